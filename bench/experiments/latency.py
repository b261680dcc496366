# SPDX-License-Identifier: BSD-3-Clause
# latency.py - what the thesis on QMPI left for later (section 6.2): ping-pong, a tool's own part of the tables, a typed call instead of exec_func.

from statistics import median

from setups import Setup, different

from . import pictures
from .harness import BARE, NAMES, Claim, Result, tools, values
from .stats import compare, line, p_text

TITLE = "Ping-pong, tables of the tools' own, typed calls"
KINDS = {"thesis": "EXEC_FUNC, table asked for at each call (the thesis's way)", "thesis_typed": "typed call, table asked for at each call",
         "thesis_stored": "typed call, the tool keeps its part of the table", "qmpi": "MPICH's QMPI, next function kept", "frame": "PMPI, for comparison"}
SIZES = (1, 2, 5, 10)


def messages(lab, place):
    """ns of 8 bytes one way."""
    ways = {"bare": BARE, "Cairn": tools()} | {f"{count} x {kind}": tools(*different(kind, count)) for kind in KINDS for count in lab.pick((1, 10), (1,))}
    words = place.words("pingpong", *lab.pick((60, 1000), (2, 10)))
    samples = lab.turns(f"{place.mpi}: ping-pong", 12, list(ways), lambda way: place.figures(ways[way], words), seconds=50)
    return {way: values(samples[way], "pingpong_ns") for way in ways}


def calls(lab, place, sizes):
    """ns of MPI_Comm_rank through N layers."""
    ways = [(kind, count) for kind in KINDS for count in sizes]
    samples = lab.turns(f"{place.mpi}: a call", 7, ways, lambda way: place.times(Setup("", "", different(*way), blocks=lab.pick(60, 2))), seconds=30)
    return {kind: {count: median(values(samples[kind, count], "rank_ns")) for count in sizes} for kind in KINDS}


def instructions(lab, place):
    if not lab.counts(place):
        return {}
    counts = {kind: [place.instructions(Setup("", "", different(kind, count)), lab.pick(1000, 10)) for count in (1, 2)]
              for kind in lab.pick(KINDS, ("thesis_stored",))}
    return {kind: two - one for kind, (one, two) in counts.items()}


def measure(lab):
    return {mpi: {"messages": messages(lab, place), "calls": calls(lab, place, lab.pick(SIZES, (1, 2))), "instructions": instructions(lab, place)}
            for mpi, place in lab.places.items()}


def layer_table(figures):
    lines = ["| a layer | " + " | ".join(f"{NAMES[mpi]}, ns per layer | instructions" for mpi in figures) + " |", "|---|" + "---|---|" * len(figures)]
    for kind, title in KINDS.items():
        cells = [f"{line(list(part['calls'][kind].items())).slope:.2f} | {part['instructions'].get(kind, float('nan')):g}" for part in figures.values()]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def message_table(figures):
    lines = ["| message of 8 bytes, one way, ns (medians) | " + " | ".join(f"{NAMES[mpi]} | more than bare, 95 % of the mean" for mpi in figures) + " |", "|---|" + "---|---|" * len(figures)]
    for way in next(iter(figures.values()))["messages"]:
        cells = []
        for part in figures.values():
            found = compare(part["messages"]["bare"], part["messages"][way])
            cells.append(f"{found.after:.0f} | " + ("" if way == "bare" else f"{100 * found.interval[0]:+.1f} to {100 * found.interval[1]:+.1f} %"))
        lines.append(f"| {way.replace('_', ', ')} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def claims(figures):
    for mpi, part in figures.items():
        found = compare(part["messages"]["bare"], part["messages"]["Cairn"])
        yield Claim(f"{NAMES[mpi]}: latency with Cairn and no tool", "proposed, not measured", f"{found.before:.0f} and {found.after:.0f} ns, {100 * found.change:+.1f} %; {p_text(found.p)}",
                    found.shows_no_difference(), noisy=True)
        counted = part["instructions"]
        if "thesis" in counted:
            yield Claim(f"{NAMES[mpi]}: a typed call makes a layer cheaper than exec_func", "\"a considerable amount of time overhead\"",
                        f"{counted['thesis']:g} and {counted['thesis_typed']:g} instructions", counted["thesis_typed"] < counted["thesis"])
            yield Claim(f"{NAMES[mpi]}: a table of the tool's own makes it cheaper again", "\"more efficient\"", f"{counted['thesis_typed']:g} and {counted['thesis_stored']:g} instructions",
                        counted["thesis_stored"] < counted["thesis_typed"])


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([layer_table(figures), message_table(figures)]))


def draw(figures, path):
    picture, axes = pictures.panels(len(figures))
    for axis, (mpi, part) in zip(axes, figures.items()):
        pictures.lines(axis, {kind.replace("_", ", "): part["calls"][kind] for kind in KINDS}, f"{NAMES[mpi]}: MPI_Comm_rank", "layers", "ns")
        axis.set_ylim(0)
    pictures.save(picture, path)
