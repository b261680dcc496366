# SPDX-License-Identifier: BSD-3-Clause
# together.py - a profiler and a tracer alone and together (PnMPI's paper, section 6): the sum of the parts against the whole.

from setups import Setup

from . import pictures
from .harness import BARE, NAMES, Claim, Result, tools, values
from .stats import compare, interval_text

TITLE = "A profiler and a tracer, alone and together"
PROFILE = "profile=table:off"
WAYS = {"bare": BARE, "no tools": tools(), "profile": tools(PROFILE), "trace": tools("trace"), "both": tools(PROFILE, "trace"), "both, other order": tools("trace", PROFILE)}
PROGRAMS = {"multigrid": ((), (8, 2)), "conjugate_gradient": ((24, 100), (8, 2))}
# Table 2 of the paper, dynamic columns: profiler, tracer, both, in percent.
PAPER = {"SMG2000 on 8 CPUs": (2.50, 7.56, 9.49), "SMG2000 on 64": (1.55, 21.72, 25.31), "HPL on 8": (1.86, 2.81, 3.17), "HPL on 64": (1.87, 13.45, 12.50)}


def times(lab, place, program):
    words = place.words(program, *lab.pick(*PROGRAMS[program]))
    samples = lab.turns(f"{place.mpi}: {program}", 12, list(WAYS), lambda way: place.figures(WAYS[way], words), seconds=30)
    return {way: values(samples[way], "mpi_s") for way in WAYS}


def call_cost(lab, place):
    """Of MPI_Isend and MPI_Wait to nobody: ns, and instructions."""
    def once(way):
        return place.times(Setup("", "", WAYS[way].tools, program="recorded_loop", blocks=lab.pick(100, 2), calls=2000))

    samples = lab.turns(f"{place.mpi}: a pair of calls", 7, list(WAYS), once, seconds=20)
    counted = {}
    if lab.counts(place):
        counted = {way: place.instructions(Setup("", "", WAYS[way].tools, program="recorded_loop"), lab.pick(1000, 10)) for way in lab.pick(WAYS, ("bare",))}
    return {"ns": {way: min(values(samples[way], "pair_ns")) for way in WAYS}, "instructions": counted}


def measure(lab):
    return {mpi: {"programs": {program: times(lab, place, program) for program in PROGRAMS}, "calls": call_cost(lab, place)} for mpi, place in lab.places.items()}


def over(numbers):
    """What each way costs beyond bare, of {way: number}."""
    return {way: number - numbers["bare"] for way, number in numbers.items()}


def sums(numbers):
    """(sum of the parts, the whole)."""
    more = over(numbers)
    return more["profile"] + more["trace"], min(more["both"], more["both, other order"])


def program_table(figures):
    lines = ["| more than bare, % of MPI time (median of ratios by round; 95 % of the mean) | " + " | ".join(list(WAYS)[1:]) + " |", "|---|" + "---|" * (len(WAYS) - 1),
             *(f"| paper, {program} | | {a} | {b} | {c} | |" for program, (a, b, c) in PAPER.items())]
    for mpi, part in figures.items():
        for program, series in part["programs"].items():
            found = [compare(series["bare"], series[way]) for way in list(WAYS)[1:]]
            lines.append(f"| {NAMES[mpi]}, `{program}` | " + " | ".join(f"{100 * one.change:+.1f} ({100 * one.interval[0]:+.1f} to {100 * one.interval[1]:+.1f})" for one in found) + " |")
    return "\n".join(lines)


def call_table(figures):
    lines = ["| `MPI_Isend` and `MPI_Wait` to `MPI_PROC_NULL` | " + " | ".join(WAYS) + " |", "|---|" + "---|" * len(WAYS)]
    for mpi, part in figures.items():
        lines.append(f"| {NAMES[mpi]}, ns (fastest) | " + " | ".join(f"{ns:.1f}" for ns in part["calls"]["ns"].values()) + " |")
        if len(part["calls"]["instructions"]) == len(WAYS):
            lines.append(f"| {NAMES[mpi]}, instructions | " + " | ".join(f"{count:g}" for count in part["calls"]["instructions"].values()) + " |")
    return "\n".join(lines)


def claims(figures):
    for mpi, part in figures.items():
        parts, whole = sums(part["calls"]["ns"])
        yield Claim(f"{NAMES[mpi]}: together they cost about the sum of both, per pair of calls", "\"generally comparable to the sum\"",
                    f"whole {whole:.0f} ns, sum {parts:.0f} ns: {100 * whole / parts:.0f} %", whole <= 1.1 * parts)
        if len(part["calls"]["instructions"]) == len(WAYS):
            parts, whole = sums(part["calls"]["instructions"])
            yield Claim(f"{NAMES[mpi]}: the same in instructions", "", f"whole {whole:g}, sum {parts:g}: {100 * whole / parts:.0f} %", whole <= 1.1 * parts)
        for program, series in part["programs"].items():
            found = compare(series["bare"], series["no tools"])
            yield Claim(f"{NAMES[mpi]}, `{program}`: without tools no overhead to speak of", "-0.44 to +0.95 %", f"{100 * found.change:+.1f} %; 95 % interval {interval_text(found)}", found.stays_below(0.0095), noisy=True)


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([program_table(figures), call_table(figures)]))


def draw(figures, path):
    picture, axes = pictures.panels(len(figures))
    costs = {NAMES[mpi]: over(part["calls"]["ns"]) for mpi, part in figures.items()}
    for axis, (name, more) in zip(axes, costs.items()):
        axis.bar(["profile", "trace"], [more["profile"], more["trace"]], 0.6)
        axis.bar("sum", more["profile"], 0.6, color=pictures.COLOURS[0])
        axis.bar("sum", more["trace"], 0.6, bottom=more["profile"], color=pictures.COLOURS[4])
        axis.bar(["both", "other order"], [more["both"], more["both, other order"]], 0.6, color=pictures.COLOURS[2])
        axis.set_title(f"{name}: Isend and Wait, more than bare")
        axis.set_ylabel("ns")
    pictures.save(picture, path)
