# SPDX-License-Identifier: BSD-3-Clause
# table.py - the figures as text: one table of setups per MPI, growth per layer, targets with 'met' or 'missed'.

COLUMNS = (  # heading, quantity, format
    ("ns/call", "rank_ns", "{:.2f}"),
    ("instr", "instructions", "{:g}"),
    ("barrier", "barrier_ns", "{:.1f}"),
    ("allreduce", "allreduce_ns", "{:.1f}"),
    ("pingpong", "pingpong_ns", "{:.0f}"),
    ("stream", "stream_ns", "{:.1f}"),
    ("1st call ms", "bind_ms", "{:.2f}"),
    ("MPI_Init ms", "init_ms", "{:.1f}"),
    ("+KiB", "bound_kib", "{:.0f}"),
)
WIDTHS = [max(len(heading), 8) for heading, _, _ in COLUMNS]


def cell(figures, setup, quantity, form):
    return form.format(figures.of(setup, quantity)) if figures.has(setup, quantity) else "-"


def line(title, ratio, cells):
    return f"{title:<32}" + f"{ratio:>9}" + "".join(f"{text:>{width + 2}}" for text, width in zip(cells, WIDTHS))


def setup_table(figures, setups):
    lines = [line("", "x native", [heading for heading, _, _ in COLUMNS])]
    for setup in setups:
        if not figures.has(setup.id):  # a program with other figures
            continue
        ratio = figures.of(setup.id) / figures.of("native")
        lines.append(line(setup.title, f"{ratio:.2f}", [cell(figures, setup.id, q, form) for _, q, form in COLUMNS]))
    return lines


def message_table(figures, setups):
    """A message to oneself, in figures of its own."""
    lines = [f"{'A message to oneself':<40}{'ns':>8}{'instr':>8}{'more':>8}"]
    for setup in setups:
        if figures.has(setup.id, "message_ns"):
            quantities = [cell(figures, setup.id, *column) for column in (("message_ns", "{:.1f}"), ("instructions", "{:g}"))]
            lines.append(f"{setup.title:<40}" + "".join(f"{text:>8}" for text in quantities) + f"{more_instructions(figures, setup.id):>8}")
    return lines


def recorded_table(figures, setups):
    """Calls that are recorded, and a reading of the clock on the same machine."""
    lines = [f"{'To MPI_PROC_NULL':<40}{'MPI_Send, ns':>14}{'MPI_Isend + MPI_Wait':>22}{'instr':>8}{'clock, ns':>12}"]
    for setup in setups:
        if figures.has(setup.id, "pair_ns"):
            columns = (("send_ns", "{:.1f}", 14), ("pair_ns", "{:.1f}", 22), ("instructions", "{:g}", 8), ("clock_ns", "{:.1f}", 12))
            lines.append(f"{setup.title:<40}" + "".join(f"{cell(figures, setup.id, q, form):>{width}}" for q, form, width in columns))
    return [*lines, ""] if len(lines) > 1 else []


def stencil_table(figures, setups):
    """A step of a program under the tool 'vars'."""
    lines = [f"{'A step of a stencil on 2 ranks':<40}{'us':>8}{'switched off':>14}{'x':>8}"]
    for setup in setups:
        if figures.has(setup.id, "stencil_off_ns"):
            on, off = (figures.of(setup.id, quantity) for quantity in ("stencil_ns", "stencil_off_ns"))
            lines.append(f"{setup.title:<40}{on / 1000:>8.1f}{off / 1000:>14.1f}{on / off:>8.3f}")
    return [*lines, ""] if len(lines) > 1 else []


def more_instructions(figures, setup):
    """Than the tool that only wraps the call."""
    if not figures.has(setup, "instructions") or setup in ("message-native", "message-asks_nothing"):
        return "-"
    return f"{figures.of(setup, 'instructions') - figures.of('message-asks_nothing', 'instructions'):g}"


def growth(figures):
    lines = []
    for prefix, what in (("frame", "a layer with a frame"), ("tail", "a layer without a frame"), ("counting", "a layer that counts"),
                         ("kit", "a layer of the C++ kit"), ("qmpi", "a layer of QMPI"), ("qmpi_storage", "a layer of QMPI, storage"),
                         ("thesis", "a layer of thesis's QMPI"), ("thesis_typed", "... by a typed call"),
                         ("floor-frame", "bare chain with a frame"), ("floor-tail", "bare chain without a frame")):
        text = f"{what:<32}{figures.per_layer(prefix):6.2f} ns"
        if figures.has(f"{prefix}-10", "instructions"):
            text += f"  {figures.per_layer(prefix, 'instructions'):g} instructions"
        lines.append(text)
    return lines


def target_table(targets):
    return [f"{target.mark:<8}{target.text:<66}{target.measured}" for target in targets]


def page(title, figures, setups, targets):
    parts = [title, "=" * len(title), *setup_table(figures, setups), "", *message_table(figures, setups), "",
             *recorded_table(figures, setups), *stencil_table(figures, setups),
             "Per further layer, 1 to 10 layers", *growth(figures), "",
             "Targets", *target_table(targets), ""]
    return "\n".join(parts)
