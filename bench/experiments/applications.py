# SPDX-License-Identifier: BSD-3-Clause
# applications.py - two programs bare and with Cairn without tools (thesis on QMPI, section 4.5.1): run time, MPI time, instructions.

import json
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

from . import pictures
from .harness import BARE, NAMES, Claim, Result, tools, values
from .stats import compare, effect_words, p_text

TITLE = "Two programs without tools"
PROGRAMS = {"multigrid": ("AMG 2006", (8, 2)), "conjugate_gradient": ("HPCG", (8, 2))}
WAYS = {"bare": BARE, "Cairn": tools(), "bare again": BARE}
TIMES = {"app_s": "app time", "mpi_s": "MPI time"}
# Tables 4.1 and 4.2: calls of 28 ranks.
CALLS = {"multigrid": {"Allgather": 280, "Allgatherv": 140, "Allreduce": 2464, "Irecv": 23330, "Isend": 23330, "Waitall": 9800},
         "conjugate_gradient": {"Allreduce": 15540, "Bcast": 28, "Irecv": 485208, "Isend": 485208, "Waitall": 485208}}
# Section 4.5.1: means in seconds, then table 4.3.
PAPER = {("multigrid", "app_s"): (5.41, 5.42, 0.1249, 0.058), ("multigrid", "mpi_s"): (0.059, 0.062, 0.0048, 0.106),
         ("conjugate_gradient", "app_s"): (203.98, 203.6, 0.3955, 0.0321), ("conjugate_gradient", "mpi_s"): (198.15, 197.77, 0.4028, 0.0316)}


def words_of(lab, place, program):
    return place.words(program, *lab.pick((), PROGRAMS[program][1]))


def times(lab, place, program):
    words = words_of(lab, place, program)
    return lab.turns(f"{place.mpi}: {program}", 20, list(WAYS), lambda way: place.figures(WAYS[way], words), seconds=55, least=20)


def call_mix(lab, place, program):
    """Calls of a rank, as `profile` counts them."""
    place.launched(tools("profile=table:off"), words_of(lab, place, program))
    functions = json.loads((place.result_folder() / "profile.json").read_text())["functions"]
    return {one["name"].removeprefix("MPI_"): one["calls"] / 2 for one in functions}


def instructions(lab, place, program):
    """Between MPI_Init and MPI_Finalize, of one rank that is its own neighbour: it never waits, so the count is exact. And its calls of MPI."""
    if not lab.counts(place):
        return None

    def count(way):
        with TemporaryDirectory(dir=place.scratch.name) as folder:
            tool = ["valgrind", "--tool=callgrind", "--toggle-collect=solve", f"--callgrind-out-file={folder}/out"]
            place.launched(WAYS[way], [*tool, *words_of(lab, place, program)], ranks=1)
            return int(re.search(r"^(?:summary|totals): (\d+)", Path(f"{folder}/out").read_text(), re.M)[1])

    with ThreadPoolExecutor(2) as pool:
        bare, cairn = pool.map(count, ("bare", "Cairn"))
    return {"bare": bare, "cairn": cairn}


def measure(lab):
    return {mpi: {program: {"samples": times(lab, place, program), "calls": call_mix(lab, place, program), "instructions": instructions(lab, place, program)}
                  for program in PROGRAMS} for mpi, place in lab.places.items()}


def rows(figures):
    for mpi, part in figures.items():
        for program, one in part.items():
            for key in TIMES:
                series = {way: values(one["samples"][way], key) for way in WAYS}
                yield mpi, program, key, compare(series["bare"], series["Cairn"]), compare(series["bare"], series["bare again"])


def time_table(figures):
    lines = ["| | bare s | Cairn s | difference, 95 % of its mean | of means | paired | effect | bare against itself: difference | of means | pairs |", "|---|" + "---|" * 9]
    for mpi, program, key, found, control in rows(figures):
        lines.append(f"| {NAMES[mpi]}, `{program}`, {TIMES[key]} | {found.before:.4f} | {found.after:.4f} | {100 * found.change:+.2f} % ({100 * found.interval[0]:+.2f} to "
                     f"{100 * found.interval[1]:+.2f}) | {p_text(found.p)} | {p_text(found.p_paired)} | {found.effect:+.2f} ({effect_words(found.effect)}) | "
                     f"{100 * control.change:+.2f} % | {p_text(control.p)} | {found.pairs} |")
    return "\n".join(lines)


def mix_table(figures):
    lines = ["| calls of a rank | " + " | ".join(("paper", "here")) + " |", "|---|---|---|"]
    part = next(iter(figures.values()))
    for program, counts in CALLS.items():
        for name, count in counts.items():
            lines.append(f"| `{program}` ({PROGRAMS[program][0]}), {name} | {count / 28:,.1f} | {part[program]['calls'].get(name, 0):,.0f} |")
    return "\n".join(lines)


def claims(figures):
    for mpi, program, key, found, _ in rows(figures):
        before, after, p, effect = PAPER[program, key]
        yield Claim(f"{NAMES[mpi]}, {PROGRAMS[program][0]}'s mix, {TIMES[key]}: no significant difference without tools", f"{before} and {after} s; p {p}, effect {effect}",
                    f"{found.before:.4f} and {found.after:.4f} s; {p_text(found.p)}, effect {found.effect:+.2f}", found.shows_no_difference(), noisy=True)
    for mpi, part in figures.items():
        for program, one in part.items():
            if one["instructions"]:
                bare, cairn = one["instructions"]["bare"], one["instructions"]["cairn"]
                yield Claim(f"{NAMES[mpi]}, `{program}`: instructions between MPI_Init and MPI_Finalize, one rank", "",
                            f"{bare:,} and {cairn:,}: {cairn - bare:+,}, {100 * (cairn / bare - 1):+.5f} %, for {sum(one['calls'].values()):,.0f} calls", abs(cairn / bare - 1) < 0.001)


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([time_table(figures), mix_table(figures)]))


def draw(figures, path):
    picture, axes = pictures.panels(2 * len(figures))
    for axis, (mpi, program) in zip(axes, ((mpi, program) for mpi in figures for program in PROGRAMS)):
        samples = figures[mpi][program]["samples"]
        pictures.boxes(axis, {way: values(samples[way], "mpi_s") for way in WAYS}, f"{NAMES[mpi]}, {program.replace('_', ' ')}", "MPI time, s")
    pictures.save(picture, path)
