# SPDX-License-Identifier: BSD-3-Clause
# placement.py - what placing ranks gains (report on monitoring, sections 6.2 and 6.4), on clusters that SimGrid simulates.

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from simulate_placement import PATTERNS, mappings_of, prepare, simulated, step_times

from . import pictures
from .harness import Claim, Missing, Result, tools

TITLE = "Gains by placement"
MAPPINGS = {"cairn": "`cairn place`", "slot": "by slot", "node": "by node", "random": "at random"}
REDUCTIONS = ((32, 4), (64, 8))  # ranks, nodes of 8 cores, as in the report
INTEGERS = (100_000, 1_000_000, 5_000_000)
BINARY = ("OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_coll_tuned_reduce_algorithm=4", "OMPI_MCA_mpi_yield_when_idle=1")


def reduction_times(lab, place, ranks, nodes, sizes):
    """{integers: {mapping: ms}}: the tree as `comm` has it from a real run of Open MPI, in the simulation of the same algorithm."""
    place.launched(tools("comm=table:off:inner:on", environment=BINARY), place.words("reduce", 10_000, 5), ranks)
    run = place.result_folder()
    with TemporaryDirectory() as made:
        folder = Path(made)
        program = prepare(folder, Path(__file__).parent / "programs/reduce.c", nodes, ranks // nodes)
        mappings = mappings_of(lab.build, run, folder, nodes, ranks // nodes)
        return {size: {name: 1e3 * simulated(folder, ranks // nodes, cores, [program, str(size), "1"], "--cfg=smpi/reduce:ompi_binary")
                       for name, cores in mappings.items()} for size in sizes}


def measure(lab):
    if shutil.which("smpirun") is None:
        raise Missing("SimGrid's smpirun is not there; try: apt-get install libsimgrid-dev")
    if "openmpi" not in lab.places:
        raise Missing("it needs Open MPI, whose reductions it looks into")
    reductions = {ranks: reduction_times(lab, lab.places["openmpi"], ranks, nodes, lab.pick(INTEGERS, (1000,))) for ranks, nodes in lab.pick(REDUCTIONS, ((4, 2),))}
    patterns = {name: {"machine": f"{nodes} × {cores}", "ms": step_times(lab.build, ranks, make, nodes, cores)}
                for name, ranks, make, nodes, cores in lab.pick(PATTERNS, PATTERNS[:1])}
    return {"reductions": reductions, "patterns": patterns}


def gain(times, over):
    """How much longer another mapping takes, as a part of ours."""
    return times[over] / times["cairn"] - 1


def rows(figures):
    for ranks, by_size in figures["reductions"].items():
        for size, times in by_size.items():
            yield f"reduction of {size:,} integers, {ranks} ranks", f"{max(1, ranks // 8)} × {min(8, ranks)}", times
    for name, one in figures["patterns"].items():
        yield name, one["machine"], one["ms"]


def claims(figures):
    worst = min(gain(times, over) for _, _, times in rows(figures) for over in ("slot", "node"))
    for ranks, by_size in figures["reductions"].items():
        size, times = max(by_size.items())
        yield Claim(f"a reduction by a binary tree of {ranks} ranks, {size:,} integers, placed by what messages it sends", "470 against 338 ms (64 ranks, 5,000,000 integers): 39 % longer round robin",
                    f"{times['slot']:.0f} (by slot), {times['node']:.0f} (by node) against {times['cairn']:.0f} ms", min(gain(times, "slot"), gain(times, "node")) >= 0)
    best = {over: max(gain(one["ms"], over) for one in figures["patterns"].values()) for over in ("slot", "random")}
    yield Claim("neighbours exchange: by slot takes longer by up to", "40 % (Minighost, round robin)", f"{100 * best['slot']:.0f} %", best["slot"] >= 0.4)
    yield Claim("neighbours exchange: a random placement takes longer by up to", "300 %", f"{100 * best['random']:.0f} %", best["random"] >= 3)
    yield Claim("it is never worse by more than", "2 %", f"{100 * max(0.0, -worst):.1f} %", worst >= -0.02)


def result(figures):
    lines = ["| ms, simulated | nodes × cores | " + " | ".join(MAPPINGS.values()) + " | slot takes longer | node takes longer |", "|---|---|" + "---|" * (len(MAPPINGS) + 2)]
    for name, machine, times in rows(figures):
        lines.append(f"| {name} | {machine} | " + " | ".join(f"{times[one]:.2f}" for one in MAPPINGS) + f" | {100 * gain(times, 'slot'):+.0f} % | {100 * gain(times, 'node'):+.0f} % |")
    return Result(list(claims(figures)), "\n".join(lines))


def draw(figures, path):
    picture, (axis,) = pictures.panels(1, width=10)
    shown = {name.replace("reduction of ", "reduce\n").replace(",000,000", " M").replace("100,000", "0.1 M").replace(" integers", "").replace(", ", "\n"): {each: times[each] / times["cairn"] for each in MAPPINGS} for name, _, times in rows(figures)}
    pictures.bars(axis, shown, "time, as a multiple of that of cairn place (simulated)", "")
    axis.tick_params(axis="x", labelsize=6.5)
    pictures.save(picture, path)
