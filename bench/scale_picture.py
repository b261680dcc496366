#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# scale_picture.py - docs/scale.png: the curves of the tables in docs/scale.md.

import re
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402

DOCS = Path(__file__).resolve().parent.parent / "docs"
UNITS = {"ms": 1e-3, "s": 1}


def table(page, heading):
    """The first one below a heading: {column: [(ranks, seconds)]} of the cells that begin with a time."""
    lines = page.split(f"\n## {heading}\n")[1].split("\n| ranks ")[1].splitlines()
    columns = [name.strip(" `") for name in lines[0].strip("| ").split("|")]
    curves = {}
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        ranks, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column, cell in zip(columns, cells):
            if time := re.match(r"([\d.]+) (ms|s)\b", cell):
                curves.setdefault(column, []).append((int(ranks.replace(",", "")), float(time[1]) * UNITS[time[2]]))
    return curves


def draw(axes, title, curves):
    for name, points in curves.items():
        axes.loglog(*zip(*points), marker="o", label=name.replace("`", ""))
    axes.set(title=title, xlabel="ranks", ylabel="seconds")
    axes.grid(True, which="major", alpha=0.3)
    axes.legend(fontsize="small")


def main():
    page = (DOCS / "scale.md").read_text()
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(13, 4), layout="constrained")
    draw(left, "rank 0 as MPI starts and ends", table(page, "In MPI_Finalize"))
    results = table(page, "Results, report, advice")
    draw(middle, "results", {name: results[name] for name in ("cairn report", "cairn advise", "in the browser")})
    draw(right, "a running job", table(page, "A running job"))
    figure.savefig(DOCS / "scale.png", dpi=80, metadata={"Software": None})


main()
