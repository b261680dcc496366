# SPDX-License-Identifier: BSD-3-Clause
# layers.py - 1 to 1,000 empty layers of each kind (seeds: thesis, section 4.5.2): time per layer, and whether it is a line.

import os
from concurrent.futures import ThreadPoolExecutor
from statistics import median

from setups import Setup, different

from . import pictures
from .harness import BARE, NAMES, Claim, Result, tools, values
from .stats import line

TITLE = "A thousand empty layers"
KINDS = {"frame": "PMPI", "qmpi": "MPICH's QMPI", "thesis": "thesis's QMPI", "kit": "C++ kit", "chain": "bare chain, no Cairn"}
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
RANGES = ((1, 10), (10, 100), (100, 1000))
APPLICATION = (0, 1, 10, 50, 100, 200, 500, 1000)


def setup_of(way):
    kind, count = way
    calls = max(200, 20000 // count)
    if kind == "chain":
        return Setup(f"chain-{count}", "", chain="frame", layers=count, blocks=20, calls=calls)
    return Setup(f"{kind}-{count}", "", different(kind, count), layers=count, blocks=20, calls=calls)


def call_times(lab, place, sizes):
    ways = [(kind, count) for kind in KINDS for count in sizes]
    samples = lab.turns(f"{place.mpi}: a call", 5, ways, lambda way: place.times(setup_of(way)), seconds=70)
    return {kind: {count: median(values(samples[kind, count], "rank_ns")) for count in sizes} for kind in KINDS}


def instructions(lab, place, sizes):
    """Of one call; not a matter of load, so on all cores at once."""
    if not lab.counts(place):
        return {}
    ways = [(kind, count) for kind in lab.pick(list(KINDS), ["frame"]) for count in sizes]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        counts = dict(zip(ways, pool.map(lambda way: place.instructions(setup_of(way), lab.pick(1000, 10)), ways)))
    return {kind: {count: counts[kind, count] for count in sizes if (kind, count) in counts} for kind in KINDS}


def application_times(lab, place, sizes):
    """The thesis's app time and MPI time of the multigrid program, with empty layers of PMPI."""
    words = place.words("multigrid", *lab.pick((), (8, 2)))
    samples = lab.turns(f"{place.mpi}: multigrid", 5, sizes, lambda count: place.figures(tools(*different("frame", count)) if count else BARE, words), seconds=35)
    return {key: {count: median(values(samples[count], key)) for count in sizes} for key in ("app_s", "mpi_s")}


def per_layer(times, least, most):
    return (times[most] - times[least]) / (most - least)


def steps(times):
    """Growth per layer within the ranges that were measured."""
    return [per_layer(times, a, b) for a, b in RANGES if a in times and b in times]


def measure(lab):
    figures = {}
    for mpi, place in lab.places.items():
        sizes = lab.pick(SIZES, (1, 2))
        figures[mpi] = {"ns": call_times(lab, place, sizes), "instructions": instructions(lab, place, lab.pick((1, 10, 100), (1, 2))),
                        "application": application_times(lab, place, lab.pick(APPLICATION, (0, 1, 2)))}
    return figures


def kind_table(part):
    measured = [f"{a} to {b:,}" for a, b in RANGES if b in part["ns"]["frame"]]
    lines = ["| kind | " + " | ".join(f"ns per layer, {words}" for words in measured) + " | R² of a line, 1 to 100 | R² of all | instructions per layer |", "|---|" + "---|" * (len(measured) + 3)]
    for kind, title in KINDS.items():
        times = part["ns"][kind]
        cells = [f"{cost:.2f}" for cost in steps(times)]
        cells += [f"{line([(n, t) for n, t in times.items() if n <= most]).fit:.4f}" for most in (100, 1000)]
        lines.append(f"| {title} | " + " | ".join([*cells, " then ".join(f"{cost:g}" for cost in steps(part["instructions"].get(kind, {})))]) + " |")
    return "\n".join(lines)


def application_table(figures):
    sizes = list(next(iter(figures.values()))["application"]["app_s"])
    lines = ["| multigrid, seconds by layers (medians) | " + " | ".join("bare" if n == 0 else f"{n:,}" for n in sizes) + " |", "|---|" + "---|" * len(sizes)]
    for mpi, part in figures.items():
        for key, what in (("app_s", "app time"), ("mpi_s", "MPI time")):
            lines.append(f"| {NAMES[mpi]}, {what} | " + " | ".join(f"{part['application'][key][n]:.3f}" for n in sizes) + " |")
    return "\n".join(lines)


def claims(figures):
    for mpi, part in figures.items():
        app = part["application"]["app_s"]
        fit = line(list(app.items()))
        yield Claim(f"{NAMES[mpi]}: app time grows linearly up to {max(app):,} tools", "linear, but for peaks at 250 and 695 (figure 4.5)",
                    f"{1000 * fit.slope:.2f} ms per layer, R² {fit.fit:.3f}", fit.fit > 0.95)
        if counted := steps(part["instructions"].get("frame", {})):
            yield Claim(f"{NAMES[mpi]}: the work of a call grows linearly", "", f"{' then '.join(f'{cost:g}' for cost in counted)} instructions per PMPI layer",
                        max(counted) == min(counted))
        few = {n: ns for n, ns in part["ns"]["frame"].items() if n <= 100}
        cost = per_layer(few, 1, max(few))
        yield Claim(f"{NAMES[mpi]}: a tool adds little to a call, up to the 100 tools that the thesis calls realistic", "\"low\"; limit here 10 ns", f"{cost:.1f} ns per PMPI layer", cost < 10)


def result(figures):
    tables = "\n\n".join([f"{NAMES[mpi]}, `MPI_Comm_rank`:\n\n{kind_table(part)}" for mpi, part in figures.items()] + [application_table(figures)])
    return Result(list(claims(figures)), tables)


def draw(figures, path):
    picture, axes = pictures.panels(2 * len(figures))
    for (mpi, part), (left, right) in zip(figures.items(), zip(axes[::2], axes[1::2])):
        pictures.lines(left, {title: part["ns"][kind] for kind, title in KINDS.items()}, f"{NAMES[mpi]}: a call through N layers", "layers", "ns per call",
                       xscale="log", yscale="log")
        app = part["application"]
        pictures.lines(right, {"app time": app["app_s"], "MPI time": app["mpi_s"]}, f"{NAMES[mpi]}: multigrid, 2 ranks", "layers", "seconds")
        right.set_ylim(0)
    pictures.save(picture, path)
