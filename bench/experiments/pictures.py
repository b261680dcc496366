# SPDX-License-Identifier: BSD-3-Clause
# pictures.py - one look for all pictures: SVG by matplotlib, the same bytes for the same figures.

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402

COLOURS = ("#1f6fb2", "#c84e28", "#3a8f4d", "#7a52a8", "#8a8f98", "#b5872b")

pyplot.rcParams.update({
    "font.family": "sans-serif", "font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "cairn", "axes.spines.top": False, "axes.spines.right": False,
    "axes.prop_cycle": matplotlib.cycler(color=COLOURS), "axes.grid": True, "grid.color": "#e5e8ec", "axes.axisbelow": True, "axes.titlesize": 10,
    "legend.frameon": False, "lines.markersize": 4,
})


def panels(count, height=3.2, width=4.4):
    """A picture with so many panels, up to three beside each other, four in two rows."""
    across = 2 if count == 4 else min(count, 3)
    figure, axes = pyplot.subplots(-(-count // across), across, figsize=(width * across, height * -(-count // across)), squeeze=False, layout="constrained")
    return figure, list(axes.flat)


def save(figure, path):
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
    path.write_text("\n".join(text.rstrip() for text in path.read_text().splitlines()) + "\n")


def boxes(axis, series, title, unit):
    """Series by name, each as a box with its points."""
    axis.boxplot(list(series.values()), widths=0.5, showfliers=False, medianprops={"color": COLOURS[1]})
    for place, numbers in enumerate(series.values(), 1):
        axis.plot([place + 0.05 * (i % 5 - 2) for i in range(len(numbers))], numbers, ".", color=COLOURS[0], alpha=0.5)
    axis.set_xticks(range(1, len(series) + 1), list(series))
    axis.set_title(title)
    axis.set_ylabel(unit)


def lines(axis, series, title, across, up, **scales):
    """Series by name, {x: y} each."""
    for name, points in series.items():
        axis.plot(list(points), list(points.values()), "o-", label=name)
    axis.set_title(title)
    axis.set_xlabel(across)
    axis.set_ylabel(up)
    axis.set(**scales)
    axis.legend()


def bars(axis, groups, title, up):
    """{group: {name: height}}."""
    names = list(dict.fromkeys(name for heights in groups.values() for name in heights))
    width = 0.8 / len(names)
    for number, name in enumerate(names):
        places = [place + width * (number - (len(names) - 1) / 2) for place in range(len(groups))]
        axis.bar(places, [heights.get(name, 0) for heights in groups.values()], width, label=name)
    axis.set_xticks(range(len(groups)), list(groups))
    axis.set_title(title)
    axis.set_ylabel(up)
    axis.legend()
