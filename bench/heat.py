# SPDX-License-Identifier: BSD-3-Clause
# heat.py - what the tool `comm` costs by call and size, beside Open MPI's own monitoring: a table, and a heat map as SVG.

from html import escape

CALLS = ("Send", "Bcast", "Alltoall", "Put", "Get")
COLUMN, ROW, LEFT, TOP = 84, 26, 215, 40


def least_of(samples):
    """{call: {size: ns}}, each the least of all samples."""
    return {call: {int(size): min(sample[call][size] for sample in samples) for size in samples[0][call]} for call in CALLS}


def size_text(size):
    return f"{size >> 20} MB" if size >= 1 << 20 else f"{size >> 10} kB" if size >= 1 << 10 else f"{size} B"


def rows_of(figures, setups):
    """(call, title, {size: (ns, ns more than bare, times bare)}); bare ones without the last two."""
    bare = figures["native"]
    for call in CALLS:
        yield call, "bare", {size: (ns, None, None) for size, ns in bare[call].items()}
        for setup in setups:
            if setup.id != "native" and setup.id in figures:
                yield call, setup.title, {size: (ns, ns - bare[call][size], ns / bare[call][size])
                                          for size, ns in figures[setup.id][call].items()}


def cell_text(ns, more, times):
    return f"{ns:.0f}" if more is None else f"{more:+.0f} {times:.2f}x"


def table(title, figures, setups):
    sizes = list(figures["native"]["Send"])
    lines = [f"{title}: ns of a call by size; below more than bare, and times bare",
             f"{'':<36}" + "".join(f"{size_text(size):>15}" for size in sizes)]
    for call, name, cells in rows_of(figures, setups):
        lines.append(f"{call if name == 'bare' else '':<9}{name:<27}" + "".join(f"{cell_text(*cells[size]):>15}" for size in sizes))
    return "\n".join(lines) + "\n"


def shade(times):
    """From nothing more to half as much again."""
    return 0 if times is None else round(max(0, min(times - 1, 0.5)) * 2, 3)


def text(x, y, words, anchor="middle"):
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def svg(title, figures, setups):
    sizes = list(figures["native"]["Send"])
    rows = list(rows_of(figures, setups))
    width, height = LEFT + COLUMN * len(sizes) + 10, TOP + ROW * len(rows) + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" font-size="11">',
             f'<rect width="{width}" height="{height}" fill="#fff"/>', text(8, 14, f"{title}: ns of a call, 2 ranks", "start")]
    parts += [text(LEFT + COLUMN * (i + 0.5), TOP - 6, size_text(size)) for i, size in enumerate(sizes)]
    for number, (call, name, cells) in enumerate(rows):
        y = TOP + ROW * number
        parts.append(text(8, y + 17, f"{call}, {name}", "start"))
        for i, size in enumerate(sizes):
            parts.append(f'<rect x="{LEFT + COLUMN * i}" y="{y}" width="{COLUMN - 1}" height="{ROW - 1}" fill="#c84e28" '
                         f'fill-opacity="{shade(cells[size][2])}" stroke="#dfe3e9"/>')
            parts.append(text(LEFT + COLUMN * (i + 0.5), y + 17, cell_text(*cells[size])))
    parts.append(text(8, height - 8, "white: as bare; darkest: half as much again, or more", "start"))
    return "\n".join([*parts, "</svg>", ""])
