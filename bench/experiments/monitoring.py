# SPDX-License-Identifier: BSD-3-Clause
# monitoring.py - what `comm` costs by call and size, beside Open MPI's own monitoring (report on monitoring, section 6.1), and in programs.

from statistics import mean, median

from heat import CALLS, size_text
from setups import Setup, heat_setups

from . import pictures
from .harness import NAMES, Claim, Result, values
from .stats import compare, interval_of, interval_text, p_text

TITLE = "Overhead of monitoring"
PROGRAMS = {"multigrid": ((), (8, 2)), "conjugate_gradient": ((24, 100), (8, 2))}
SMALL = 200  # bytes: 50 integers, below which the report sees a difference


def ways_of(mpi):
    return {setup.id: setup for setup in heat_setups() if setup.mpi in ("", mpi)}


def by_size(lab, place):
    """Samples {way: [{call: {size: ns}}]}."""
    ways = ways_of(place.mpi)
    found = lab.turns(f"{place.mpi}: sizes", 10, list(ways), lambda way: place.sizes(ways[way], lab.pick(60, 2)), seconds=50)
    return {way: [{call: {int(size): ns for size, ns in sample[call].items()} for call in CALLS} for sample in samples] for way, samples in found.items()}


def programs(lab, place):
    ways = ways_of(place.mpi)
    found = {}
    for program, sizes in PROGRAMS.items():
        words = place.words(program, *lab.pick(*sizes))
        samples = lab.turns(f"{place.mpi}: {program}", 12, list(ways), lambda way: place.figures(Setup("", "", ways[way].tools, environment=ways[way].environment), words), seconds=20)
        found[program] = {way: values(samples[way], "mpi_s") for way in ways}
    return found


def measure(lab):
    return {mpi: {"sizes": by_size(lab, place), "programs": programs(lab, place)} for mpi, place in lab.places.items()}


def overhead(sizes, way, call, size):
    """How much more it took than bare, as a part of that: the fastest blocks of all runs."""
    return min(more[call][size] for more in sizes[way]) / min(bare[call][size] for bare in sizes["native"]) - 1


def cells(part):
    """{way: {call: {size: overhead}}}"""
    sizes = part["sizes"]
    return {way: {call: {size: overhead(sizes, way, call, size) for size in sizes[way][0][call]} for call in CALLS} for way in sizes if way != "native"}


def alltoall_ns(sizes, way):
    """{size: differences per call by round}"""
    return {size: [more["Alltoall"][size] - bare["Alltoall"][size] for more, bare in zip(sizes[way], sizes["native"])] for size in sizes["native"][0]["Alltoall"]}


TITLES = {"comm-1": "`comm`", "monitoring": "its own monitoring"}


def heat_table(figures):
    sizes = list(next(iter(figures.values()))["sizes"]["native"][0]["Send"])
    lines = ["| more than bare, % | | " + " | ".join(size_text(size) for size in sizes) + " |", "|---|---|" + "---|" * len(sizes)]
    for mpi, part in figures.items():
        for call in CALLS:
            for way, found in cells(part).items():
                lines.append(f"| {NAMES[mpi]}, {call} | {TITLES[way]} | " + " | ".join(f"{100 * each:+.1f}" for each in found[call].values()) + " |")
    return "\n".join(lines)


def program_table(figures):
    lines = ["| program, MPI time, 2 ranks | | bare s | more, median | 95 % of the mean | of means |", "|---|---|---|---|---|---|"]
    for mpi, part in figures.items():
        for program, series in part["programs"].items():
            for way in series:
                if way != "native":
                    found = compare(series["native"], series[way])
                    lines.append(f"| {NAMES[mpi]}, `{program}` | {TITLES[way]} | {found.before:.4f} | {100 * found.change:+.2f} % | "
                                 f"{interval_text(found)} | {p_text(found.p)} |")
    return "\n".join(lines)


def claims(figures):
    for mpi, part in figures.items():
        all_cells = cells(part)
        middle = {way: median(each for by_size in found.values() for each in by_size.values()) for way, found in all_cells.items()}
        ours = middle["comm-1"]
        theirs = f"; its own monitoring {100 * middle['monitoring']:+.1f} %" if "monitoring" in middle else ""
        yield Claim(f"{NAMES[mpi]}: overhead of a call, median over calls and sizes", "4.4 % (shared memory)", f"`comm` {100 * ours:+.1f} %{theirs}", ours <= 0.05)
        for way in all_cells:
            found = alltoall_ns(part["sizes"], way)
            small = [median(numbers) for size, numbers in found.items() if 0 < size <= SMALL]
            large = [interval_of(numbers) for size, numbers in found.items() if size >= 1 << 15]
            unseen = [middle_ns for middle_ns, half in large if not middle_ns - half > 0]
            yield Claim(f"{NAMES[mpi]}, {TITLES[way]}: a small all-to-all takes longer by", "about 10 ns per call and process",
                        f"{mean(small) / 2:.0f} ns per call and process (medians over rounds)", None)
            yield Claim(f"{NAMES[mpi]}, {TITLES[way]}: in large ones noise hides it", "intervals hold 0", f"{len(unseen)} of {len(large)} sizes from 32 kB on", len(unseen) >= len(large) - 1)
        for program, series in part["programs"].items():
            found = compare(series["native"], series["comm-1"])
            yield Claim(f"{NAMES[mpi]}, `{program}` under `comm`", "below 1 %, 0.35 % on average (BT, CG, LU)", f"{100 * found.change:+.2f} %; 95 % interval {interval_text(found)}", found.stays_below(0.01), noisy=True)


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([heat_table(figures), program_table(figures)]))


def draw(figures, path):
    rows = [(f"{NAMES[mpi]}, {call}, {TITLES[way].strip('`')}", found[call]) for mpi, part in figures.items() for call in CALLS for way, found in cells(part).items()]
    picture, (axis,) = pictures.panels(1, height=0.28 * len(rows) + 0.8, width=9)
    sizes = list(rows[0][1])
    image = axis.imshow([[100 * each for each in found.values()] for _, found in rows], cmap="Oranges", vmin=0, vmax=30, aspect="auto")
    for y, (_, found) in enumerate(rows):
        for x, each in enumerate(found.values()):
            axis.text(x, y, f"{100 * each:+.1f}", ha="center", va="center", fontsize=8, color="white" if each > 0.2 else "black")
    axis.set_xticks(range(len(sizes)), [size_text(size) for size in sizes])
    axis.set_yticks(range(len(rows)), [title for title, _ in rows])
    axis.grid(False)
    axis.set_title("more than bare, %, fastest blocks")
    picture.colorbar(image, ax=axis)
    pictures.save(picture, path)
