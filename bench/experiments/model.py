# SPDX-License-Identifier: BSD-3-Clause
# model.py - the overhead model of PnMPI's paper (sections 5.1 to 5.6): its terms, delay layers, MPI_Init, memory.

from setups import Setup, different

from . import pictures
from .harness import BARE, NAMES, Claim, Result, tools, values
from .stats import compare, line

TITLE = "The overhead model: stub, core, layers"
LAYERS = (1, 2, 5, 10, 20, 50, 100)
DELAYS = tuple(range(11))
DELAY_US = 100


def way_setup(count):
    """-1: without Cairn."""
    return BARE if count < 0 else tools(*different("frame", count))


def latencies(lab, place, counts):
    """µs of a message of 8 bytes, one way: a send and a receive."""
    words = place.words("pingpong", *lab.pick((60, 1000), (2, 10)))
    samples = lab.turns(f"{place.mpi}: latency", 10, counts, lambda count: place.figures(way_setup(count), words), seconds=40)
    return {count: values(samples[count], "pingpong_ns") for count in counts}


def bandwidths(lab, place):
    """MB/s of messages of 1 MB there and back, without Cairn and without tools."""
    words = place.words("pingpong", *lab.pick((20, 20), (1, 2)), 1 << 20)
    samples = lab.turns(f"{place.mpi}: bandwidth", 10, (-1, 0), lambda count: place.figures(way_setup(count), words), seconds=15)
    return {count: [1e3 * (1 << 20) / ns for ns in values(samples[count], "pingpong_ns")] for count in (-1, 0)}


def starts(lab, place, counts):
    """A cheap call, the first call and MPI_Init, in one process."""
    def once(count):
        return place.times(Setup("", "", None if count < 0 else different("frame", count), blocks=lab.pick(60, 2), calls=max(200, 5000 // max(count, 1))))

    samples = lab.turns(f"{place.mpi}: start", 9, counts, once, seconds=30)
    keys = ("rank_ns", "bind_ms", "init_ms")
    return {key: {count: min(values(samples[count], key)) for count in counts} for key in keys}


def delays(lab, place, counts):
    """µs of a message, one way, under layers that hold each send for 100 µs."""
    words = place.words("pingpong", *lab.pick((100, 1), (1, 2)))
    samples = lab.turns(f"{place.mpi}: delays", 3, counts, lambda n: place.figures(tools(*(f"delay.so=us:{DELAY_US}:busy:on",) * n), words), seconds=10)
    return {n: min(values(samples[n], "pingpong_ns")) / 1000 for n in counts}


def memory(lab, place, counts):
    """KiB per layer, in the pages of modules and in what was written elsewhere, for PMPI layers that wrap all functions and one."""
    found = {}
    for kind, name, stack in (("all functions", "frame", lambda n: different("frame", n)), ("one function", "tbcast", lambda n: ("tbcast_pmpi.so",) * n)):
        samples = {n: place.figures(tools(*stack(n)), place.words("memory", name), ranks=1) for n in counts}
        found[kind] = {key: (samples[counts[-1]][key] - samples[counts[0]][key]) / (counts[-1] - counts[0]) for key in ("modules_kib", "others_kib")}
    return found


def wrapped_functions(lab, mpi):
    text = (lab.build / "generated" / mpi / "functions.inc").read_text()
    return text.count("CAIRN_FUNCTION(")


def least_of(samples):
    """As the paper has it: the run that was disturbed least."""
    return {count: min(numbers) for count, numbers in samples.items()}


def fit(least):
    """alpha_stub, then a line through the layers for alpha_core and beta."""
    points = line([(count, ns) for count, ns in least.items() if count >= 1])
    return {"native": least[-1], "stub": least[0] - least[-1], "core": points.start - least[0], "layer": points.slope, "fit": points.fit}


def measure(lab):
    figures = {}
    for mpi, place in lab.places.items():
        counts = (-1, 0, *lab.pick(LAYERS, (1, 2)))
        part = {"latency_ns": latencies(lab, place, counts), "bandwidth": bandwidths(lab, place), "start": starts(lab, place, counts),
                "delays_us": delays(lab, place, lab.pick(DELAYS, (0, 1, 2))), "memory": memory(lab, place, (1, lab.pick(100, 2))),
                "functions": wrapped_functions(lab, mpi)}
        upto = {count: ns for count, ns in part["start"]["rank_ns"].items() if count <= 10}
        part["fits"] = {"message": fit(least_of(part["latency_ns"])), "call": fit(upto)}
        figures[mpi] = part
    return figures


def term_table(figures):
    rows = ["| | native | α stub | α core | β, per layer | R² |", "|---|---|---|---|---|---|",
            "| paper, message, Quadrics, 2.4 GHz | 4,760 ns | 66 ns | \"negligible\" | 50 ns | \"linear\" |"]
    for mpi, part in figures.items():
        for what, title in (("message", "message of 8 bytes one way, 0 to 100 layers"), ("call", "`MPI_Comm_rank`, 0 to 10 layers")):
            one = part["fits"][what]
            rows.append(f"| {NAMES[mpi]}, {title} | {one['native']:,.1f} ns | {one['stub']:+.1f} ns | {one['core']:+.1f} ns | {one['layer']:.2f} ns | {one['fit']:.3f} |")
    return "\n".join(rows)


def start_table(figures):
    counts = [count for count in next(iter(figures.values()))["start"]["init_ms"]]
    rows = ["| ms by layers | " + " | ".join("bare" if n < 0 else f"{n}" for n in counts) + " |", "|---|" + "---|" * len(counts)]
    for mpi, part in figures.items():
        for key, what in (("bind_ms", "first call, which builds the stack"), ("init_ms", "MPI_Init")):
            rows.append(f"| {NAMES[mpi]}, {what} | " + " | ".join(f"{part['start'][key][n]:.2f}" for n in counts) + " |")
    return "\n".join(rows)


def paper_memory(functions):
    """Bytes per layer by the paper's formula on 64 bits: twice 116 + 4 M."""
    return 2 * (116 + 4 * functions)


def memory_table(figures):
    rows = ["| KiB per layer | module's own pages | elsewhere | paper's formula, doubled for 64 bits |", "|---|---|---|---|"]
    for mpi, part in figures.items():
        for kind, functions in (("all functions", part["functions"]), ("one function", 1)):
            one = part["memory"][kind]
            rows.append(f"| {NAMES[mpi]}, layers that wrap {functions} function{'s' if functions > 1 else ''} | {one['modules_kib']:.1f} | {one['others_kib']:.1f} | "
                        f"{paper_memory(functions) / 1024:.1f} |")
    return "\n".join(rows)


def claims(figures):
    for mpi, part in figures.items():
        name, message, call = NAMES[mpi], part["fits"]["message"], part["fits"]["call"]
        near = line([(n, ns) for n, ns in least_of(part["latency_ns"]).items() if 0 < n <= 50])
        yield Claim(f"{name}: a stub costs little", "66 ns a message, two calls", f"{message['stub']:+.1f} ns a message; {call['stub']:.2f} ns a call", call["stub"] < 33)
        yield Claim(f"{name}: the core adds nothing that counts", "\"negligible\"", f"{call['core']:+.2f} ns a call", abs(call["core"]) < 5)
        yield Claim(f"{name}: each layer adds the same to a message", "50 ns, linear up to 100 layers", f"{message['layer']:.1f} ns, R² {message['fit']:.3f}; up to 50 layers {near.slope:.1f} ns, R² {near.fit:.3f}", message["fit"] > 0.95)
        rates = {count: max(numbers) for count, numbers in part["bandwidth"].items()}
        yield Claim(f"{name}: bandwidth does not change", "304.66 and 304.62 MB/s", f"{rates[-1]:,.0f} and {rates[0]:,.0f} MB/s",
                    compare(part["bandwidth"][-1], part["bandwidth"][0]).shows_no_difference(), noisy=True)
        delay = line(list(part["delays_us"].items()))
        yield Claim(f"{name}: ten layers that each wait for 100 µs add up", "100 µs per layer", f"{delay.slope:.1f} µs per layer, R² {delay.fit:.5f}",
                    abs(delay.slope / DELAY_US - 1) < 0.1 if delay.fit > 0.99 else None, noisy=True)
        start, most = part["start"], max(part["start"]["init_ms"])
        whole = {n: start["bind_ms"][n] + start["init_ms"][n] for n in (-1, most)}
        yield Claim(f"{name}: {most} layers lengthen MPI_Init (with the first call) by at most 12 ms or 20 %", "12 ms, 20 %",
                    f"{whole[most] - whole[-1]:.1f} ms, {100 * (whole[most] / whole[-1] - 1):.0f} %", whole[most] - whole[-1] <= 12 or whole[most] <= 1.2 * whole[-1])
        own = part["memory"]["all functions"]["others_kib"]
        yield Claim(f"{name}: what Cairn itself keeps per layer, beside the module's pages", f"{paper_memory(part['functions']) / 1024:.1f} KiB by its formula", f"{own:.1f} KiB",
                    own <= paper_memory(part["functions"]) / 1024)
        each = 1024 * (own - part["memory"]["one function"]["others_kib"]) / (part["functions"] - 1)
        yield Claim(f"{name}: the same as a formula for M functions", "232 + 8 M bytes (64 bits)", f"{1024 * part['memory']['one function']['others_kib'] - each:,.0f} + {max(each, 0):.1f} M bytes")


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([term_table(figures), start_table(figures), memory_table(figures)]))


def draw(figures, path):
    picture, axes = pictures.panels(3)
    latency = {NAMES[mpi]: {n: ns for n, ns in least_of(part["latency_ns"]).items() if n >= 0} for mpi, part in figures.items()}
    pictures.lines(axes[0], latency, "8 bytes one way, empty layers", "layers", "ns")
    pictures.lines(axes[1], {NAMES[mpi]: part["delays_us"] for mpi, part in figures.items()}, f"... layers that wait for {DELAY_US} µs", "layers", "µs")
    whole = {NAMES[mpi]: {n: part["start"]["bind_ms"][n] + part["start"]["init_ms"][n] for n in part["start"]["init_ms"] if n >= 0} for mpi, part in figures.items()}
    pictures.lines(axes[2], whole, "first call and MPI_Init", "layers", "ms")
    for axis in axes:
        axis.set_ylim(0)
    pictures.save(picture, path)
