# SPDX-License-Identifier: BSD-3-Clause
# figures.py - from samples to figures: minima, growth per layer, and what the targets say about them.

from dataclasses import dataclass
from statistics import median

STEPS = (1, 2, 3, 5, 10)
STARTS = (  # setup, the same with one layer, layers, words
    ("frame-10", "frame-1", 10, "10 different"),
    ("copies-10", "frame-1", 10, "10 copies"),
    ("copies-100", "frame-1", 100, "100 copies"),
    ("copies-1000", "frame-1", 1000, "1000 copies"),
    ("profile-10", "profile-1", 10, "profile, 10x"),
)


def slope(points):
    """Least squares: growth of y per unit of x."""
    points = list(points)
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def summarise(samples):
    """Samples of one setup (a list of dicts) as {quantity: {"min", "median"}}."""
    numbers = {key for sample in samples for key, value in sample.items() if not isinstance(value, str)}
    result = {}
    for key in sorted(numbers):
        values = [sample[key] for sample in samples if key in sample]
        result[key] = {"min": min(values), "median": median(values)}
    return result


class Figures:
    """Everything measured on one MPI; `of("frame-10", "rank_ns")` is the least of the samples."""

    def __init__(self, results):
        self.results = results

    def has(self, setup, quantity="rank_ns"):
        return quantity in self.results.get(setup, {})

    def of(self, setup, quantity="rank_ns"):
        return self.results[setup][quantity]["min"]

    def per_layer(self, prefix, quantity="rank_ns"):
        """Growth per layer from 1 to 10, by least squares over the sizes that were measured."""
        return slope((n, self.of(f"{prefix}-{n}", quantity)) for n in STEPS if self.has(f"{prefix}-{n}", quantity))

    def steps(self, prefix):
        """Growth per layer from each measured size to the next."""
        sizes = [n for n in STEPS if self.has(f"{prefix}-{n}")]
        cost = {n: self.of(f"{prefix}-{n}") for n in sizes}
        return [(cost[b] - cost[a]) / (b - a) for a, b in zip(sizes, sizes[1:])]

    def growth(self, one, many, layers, quantity):
        """What each layer after the first adds, between a setup with one layer and one with several."""
        return (self.of(many, quantity) - self.of(one, quantity)) / (layers - 1)


@dataclass
class Target:
    text: str
    measured: str
    met: bool  # None: stated, no limit given

    @property
    def mark(self):
        return {True: "met", False: "missed", None: "stated"}[self.met]


def call_targets(figures):
    stub = figures.of("stub") - figures.of("native")
    yield Target("no tools: at most 1 ns above native", f"{stub:.2f} ns", stub <= 1)
    if figures.has("stub", "instructions"):
        jumps = figures.of("stub", "instructions") - figures.of("native", "instructions")
        yield Target("no tools: one jump above native", f"{jumps:g} instruction", jumps <= 1)
    worst = max(figures.steps("frame"))
    fitted = figures.per_layer("frame")
    yield Target("each further empty layer up to 10: at most 2 ns", f"{fitted:.2f} ns, largest step {worst:.2f}", worst <= 2)


QMPI_LAYERS = (  # setup, words, most ns per layer or None
    ("qmpi", "QMPI, next function cached", 1.0),
    ("qmpi_storage", "QMPI, storage at each call", 2.4),
    ("thesis", "thesis's QMPI by EXEC_FUNC", None),
    ("thesis_typed", "thesis's QMPI by a typed call", None),
)


def qmpi_targets(figures):
    """Beside each figure the empty PMPI layer of the same run: that one moves with the machine."""
    for kind, what, limit in QMPI_LAYERS:
        if figures.has(f"{kind}-10"):
            cost = figures.per_layer(kind)
            text = f"each further layer of {what}" + (f": at most {limit} ns" if limit else "")
            yield Target(text, f"{cost:.2f} ns; PMPI {figures.per_layer('frame'):.2f}", cost <= limit if limit else None)
    for kind in ("qmpi", "thesis"):
        if figures.has(f"{kind}-round"):
            cost = figures.of(f"{kind}-round") - figures.of("frame-2")
            yield Target(f"PMPI to {kind} and back to PMPI: at most 5 ns", f"{cost:.2f} ns", cost <= 5)


def kit_targets(figures):
    if figures.has("kit-10"):
        cost = figures.per_layer("kit")
        yield Target("each further layer of the C++ kit: at most 1.5 ns", f"{cost:.2f} ns; PMPI {figures.per_layer('frame'):.2f}", cost <= 1.5)
    if figures.has("message-follows", "instructions"):
        more = figures.of("message-follows", "instructions") - figures.of("message-asks_nothing", "instructions")
        yield Target("following a request: at most 150 instructions", f"{more:g}", more <= 150)


def per_layer_text(figures, prefix, sizes):
    return ", ".join(f"{figures.of(f'{prefix}{size}') / size:.1f}" for size in sizes)


def growth_targets(figures):
    for kind, what in (("frame", "of ten kinds"), ("copies", "copies of one")):
        if not figures.has(f"{kind}-1000"):
            continue
        small = figures.growth("frame-1", f"{kind}-100", 100, "bind_ms")
        large = (figures.of(f"{kind}-1000", "bind_ms") - figures.of(f"{kind}-100", "bind_ms")) / 900
        yield Target(f"100 and 1000 layers {what}: start grows linearly",
                     f"{small:.3f} then {large:.3f} ms per layer", large <= 1.5 * small)
        calls = [per_layer_text(figures, f"{prefix}{kind}-", (100, 1000)) for prefix in ("", "floor-")]
        yield Target(f"100 and 1000 layers {what}: a call, ns per layer", f"{calls[0]}; bare chain {calls[1]}", None)


def init_growth_ms(figures):
    """What one layer adds to MPI_Init itself: only the largest stack adds more than Init varies by; None without it."""
    return figures.growth("frame-1", "copies-1000", 1000, "init_ms") if figures.has("copies-1000") else None


def start_targets(figures):
    init = init_growth_ms(figures)
    share = "MPI_Init not judged" if init is None else f"MPI_Init {init:.3f}"
    for many, one, layers, what in STARTS:
        if figures.has(many):
            bind = figures.growth(one, many, layers, "bind_ms")
            start = bind + (init or 0)
            yield Target(f"start: at most 0.2 ms per further layer ({what})",
                         f"{start:.3f} ms: first call {bind:.3f}, {share}", start <= 0.2)
    once = figures.of("frame-1", "bind_ms") - figures.of("stub", "bind_ms")
    yield Target("start: the runtime and the first layer, once", f"{once:.2f} ms", None)


def comm_targets(figures):
    """What a message costs the sender more, beside what it costs with the library's own monitoring."""
    if not figures.has("comm-1", "stream_ns"):
        return
    cost = {setup: figures.of(setup, "stream_ns") - figures.of("native", "stream_ns")
            for setup in ("comm-1", "monitoring") if figures.has(setup, "stream_ns")}
    yield Target("the tool 'comm': at most 12 ns per message", f"{cost['comm-1']:.1f} ns", cost["comm-1"] <= 12)
    if "monitoring" in cost:
        yield Target("the tool 'comm': not above Open MPI's monitoring", f"{cost['comm-1']:.1f} and {cost['monitoring']:.1f} ns",
                     cost["comm-1"] <= cost["monitoring"])


def variable_targets(figures):
    """What a program pays that has performance variables read around each of its calls."""
    for setup, what, limit in (("ten", "ten variables around every call", 1.05), ("all", "all variables around every call", None),
                               ("budget", "all variables, budget of 2 %", 1.05)):
        if figures.has(f"stencil-{setup}", "stencil_off_ns"):
            ratio = figures.of(f"stencil-{setup}", "stencil_ns") / figures.of(f"stencil-{setup}", "stencil_off_ns")
            yield Target(f"the tool 'vars': {what}" + (": at most 5 %" if limit else ""), f"{100 * (ratio - 1):.1f} %",
                         ratio <= limit if limit else None)


def recorded_targets(figures):
    """Beside two readings of the clock, which take most of it."""
    if not figures.has("recorded-where", "pair_ns"):
        return

    def more(quantity, calls):
        clock = 2 * figures.of("recorded-native", "clock_ns")
        return (figures.of("recorded-where", quantity) - figures.of("recorded-native", quantity)) / calls - clock

    for what, cost in (("a send", more("send_ns", 1)), ("MPI_Isend or MPI_Wait", more("pair_ns", 2))):
        yield Target(f"recording {what}: at most 8 ns beside the clock", f"{cost:.1f} ns", cost <= 8)
    least = figures.of("recorded-profile", "send_ns") + figures.of("recorded-where", "send_ns") - figures.of("recorded-native", "send_ns")
    both = max(figures.of(f"recorded-{order}", "send_ns") for order in ("above", "below"))
    yield Target("'where' and 'profile' together: less than each for itself", f"{both:.1f} of {least:.1f} ns", both < least)


def memory_targets(figures):
    for many, one, layers, what in STARTS:
        if figures.has(many):
            yield Target(f"memory per further layer ({what})", f"{figures.growth(one, many, layers, 'bound_kib'):.0f} KiB", None)
    once = figures.of("frame-1", "bound_kib") - figures.of("stub", "bound_kib")
    yield Target("memory: the runtime and the first layer, once", f"{once:.0f} KiB", None)


def targets(figures):
    return [*call_targets(figures), *qmpi_targets(figures), *kit_targets(figures), *comm_targets(figures),
            *recorded_targets(figures), *variable_targets(figures), *growth_targets(figures), *start_targets(figures), *memory_targets(figures)]
