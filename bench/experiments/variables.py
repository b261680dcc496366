# SPDX-License-Identifier: BSD-3-Clause
# variables.py - what it costs to read performance variables, and what setting control variables brings (thesis on MPI_T, chapters III and IV).

import json
import re
from statistics import median

from setups import Setup

from . import pictures
from .harness import BARE, NAMES, Claim, Missing, Result, values
from .stats import compare, interval_text, p_text

TITLE = "Performance variables read, control variables set"
MONITORED = ("OMPI_MCA_pml_monitoring_enable=2",)  # else Open MPI has next to no variables
INTERVALS = ("100ms", "20ms", "5ms")
CALLS_PER_STEP = 14
FASTER = ("OMPI_MCA_btl_vader_eager_limit=131072", "OMPI_MCA_btl_vader_max_send_size=262144", "OMPI_MCA_btl_vader_flags=98311")
SPINNING = ("OMPI_MCA_mpi_yield_when_idle=0",)  # a rank that yields comes back late
DYNAMIC = ("OMPI_MCA_coll_tuned_use_dynamic_rules=1", "OMPI_MCA_mpi_yield_when_idle=1")
# name: MPI, program with its arguments, ranks, figure, environment of both, environment that is set, what it is, the paper's
STORIES = {
    "eager limit, Open MPI": ("openmpi", ("overlap",), 2, "time", SPINNING, FASTER, "µs per iteration, 16 kB", "run time -19.2 % (AmberMD), -10.7 % (SNAP), -26.2 % (3DStencil)"),
    "eager limit, MPICH": ("mpich", ("overlap",), 2, "time", (), ("UCX_RNDV_THRESH=inf",), "µs per iteration, 16 kB", "the same"),
    "memory, Open MPI": ("openmpi", ("unexpected",), 2, "memory", (), ("OMPI_MCA_btl_vader_eager_limit=1024",), "MB for 20,000 messages", "-1.1 % (AmberMD), -46 % (SNAP), -5.1 % (3DStencil) by freeing unused buffers"),
    "memory, MPICH": ("mpich", ("unexpected",), 2, "memory", (), ("UCX_RNDV_THRESH=1024",), "MB for 20,000 messages", "the same"),
    "collective algorithm, Open MPI": ("openmpi", ("collective",), 4, "time", DYNAMIC, ("OMPI_MCA_coll_tuned_allreduce_algorithm=1",), "µs per Allreduce of 16 kB, 4 ranks", "-4.6 % (MiniAMR, by reductions in the network)"),
    "collective algorithm, MPICH": ("mpich", ("collective", "alltoall", 8, 100), 2, "time", (), ("MPIR_CVAR_ALLTOALL_INTRA_ALGORITHM=pairwise",), "µs per Alltoall of 8 B", "the same"),
}
SHORT = {"overlap": ("overlap", 16384, 2), "unexpected": ("unexpected", 4000, 2000), "collective": ("collective", "alltoall", 8, 2)}


def sampling(lab, place):
    """Run times with all variables sampled at intervals, against the same library without; and what the tool says that its readings took."""
    ways = {"not sampled": None} | {every: f"vars=table:off:calls:off:budget:0:every:{every}" for every in lab.pick(INTERVALS, INTERVALS[:1])}
    shares = {way: [] for way in ways}

    def once(way):
        setup = Setup("", "", None if ways[way] is None else (ways[way],), environment=MONITORED)
        figures = place.figures(setup, place.words("conjugate_gradient", *lab.pick((24, 250), (8, 2))))
        if ways[way]:
            kept = json.loads((place.result_folder() / "vars.json").read_text())
            shares[way].append(kept["reading_time_s"]["total"] / kept["run_time_s"]["total"])
        return figures

    samples = lab.turns(f"{place.mpi}: sampling", 10, list(ways), once, seconds=30)
    return {"mpi_s": {way: values(samples[way], "mpi_s") for way in ways}, "shares": shares}


def stencil(lab, place, options, *mode):
    """µs of a step under `vars`, with the tool on and off in turn in one process, and what it read: fastest blocks."""
    setup = Setup("", "", (f"vars=table:off:{options}",), environment=MONITORED)
    figures = place.figures(setup, place.words("stencil", lab.pick(300, 2), lab.pick(5, 1), *mode))
    kept = json.loads((place.result_folder() / "vars.json").read_text())
    return {"on": figures["stencil_ns"] / 1e3, "off": figures["stencil_off_ns"] / 1e3, "variables": [one["name"] for one in kept["variables"]],
            "handles": sum(one["handles"] for one in kept["variables"])}


def by_number(lab, place):
    """{number of handles: [us more per step]} for more and more variables around every call."""
    names = list(dict.fromkeys(stencil(lab, place, "budget:0")["variables"]))
    counts = [count for count in lab.pick((1, 2, 5, 10, 20, 40), (1,)) if count < len(names)] + [len(names)]
    options = {count: "budget:0" + (f":names:{'+'.join(names[:count])}" if count < len(names) else "") for count in counts}
    return lab.turns(f"{place.mpi}: variables", 4, counts, lambda count: stencil(lab, place, options[count]), seconds=40)


def by_trigger(lab, place):
    """All variables around every call, and at the beginning and end of three regions of a step."""
    ways = {"every call": ("budget:0", "regions"), "every region": ("calls:off:budget:0:every:1000s", "samples")}
    return lab.turns(f"{place.mpi}: triggers", 4, list(ways), lambda way: stencil(lab, place, *ways[way]), seconds=25)


def story(lab, name):
    mpi, words, ranks, figure, both, environment, _, _ = STORIES[name]
    place = lab.places[mpi]
    ways = {"default": both, "set": (*both, *environment)}

    def once(way):
        printed = place.launched(Setup("", "", environment=ways[way]), place.words(*lab.pick(words, SHORT[words[0]])), lab.pick(ranks, 2))
        return {"figure": float(re.search(rf"{figure}: ([0-9.]+)", printed)[1])}

    samples = lab.turns(name, 8, list(ways), once, seconds=10)
    return {way: values(samples[way], "figure") for way in ways}


def measure(lab):
    place = lab.places.get("openmpi")
    if place is None:
        raise Missing("it needs Open MPI: Debian's MPICH has no performance variables")
    return {"sampling": sampling(lab, place), "numbers": by_number(lab, place), "triggers": by_trigger(lab, place),
            "stories": {name: story(lab, name) for name in STORIES if STORIES[name][0] in lab.places}}


def more(samples):
    """Medians: (us of a step without, µs more, percent more)."""
    off = median(values(samples, "off"))
    extra = median(one["on"] - one["off"] for one in samples)
    return off, extra, 100 * extra / off


def sampling_table(part):
    lines = ["| all variables sampled every | run s (conjugate gradients, 2 ranks) | more, 95 % of the mean | of means | the tool's own account |", "|---|---|---|---|---|"]
    for way, series in part["mpi_s"].items():
        found = compare(part["mpi_s"]["not sampled"], series)
        own = f"{100 * median(part['shares'][way]):.3f} %" if part["shares"][way] else ""
        lines.append(f"| {way} | {found.after:.4f} | " + ("| |" if way == "not sampled" else f"{interval_text(found)} | {p_text(found.p)} |") + f" {own} |")
    return "\n".join(lines)


def reading_table(figures):
    lines = ["| read around every call, stencil of 14 calls in a step | handles | µs of a step without | more, µs | more | ns per call and handle |", "|---|---|---|---|---|---|"]
    for count, samples in figures["numbers"].items():
        off, extra, percent = more(samples)
        lines.append(f"| {count} variables | {samples[0]['handles']} | {off:.1f} | {extra:.2f} | {percent:+.2f} % | {1000 * extra / CALLS_PER_STEP / max(1, samples[0]['handles']):.1f} |")
    for way, samples in figures["triggers"].items():
        off, extra, percent = more(samples)
        lines.append(f"| all, at {way}, regions named | {samples[0]['handles']} | {off:.1f} | {extra:.2f} | {percent:+.2f} % | |")
    return "\n".join(lines)


def story_table(stories):
    lines = ["| setting | figure | default | set | change, 95 % of the mean | of means |", "|---|---|---|---|---|---|"]
    for name, series in stories.items():
        found = compare(series["default"], series["set"])
        lines.append(f"| {name}: {', '.join(f'`{word}`' for word in STORIES[name][5])} | {STORIES[name][6]} | {found.before:.2f} | {found.after:.2f} | "
                     f"{100 * found.interval[0]:+.1f} to {100 * found.interval[1]:+.1f} % | {p_text(found.p)} |")
    return "\n".join(lines)


def claims(figures):
    part = figures["sampling"]
    for way in list(part["mpi_s"])[1:]:
        found = compare(part["mpi_s"]["not sampled"], part["mpi_s"][way])
        yield Claim(f"sampling every {way} costs nothing to speak of", "at most 4.7 %, every 10 s; \"negligible\" every second", f"{100 * found.change:+.1f} %; 95 % interval {interval_text(found)}; by the tool's own account {100 * median(part['shares'][way]):.2f} %", found.stays_below(0.047), noisy=True)
    costs = {count: more(samples) for count, samples in figures["numbers"].items()}
    least, most = min(costs), max(costs)
    yield Claim("reading around every call costs more with more variables", "+76 % with 73, +143 % with 402 variables (LULESH)", f"{costs[least][2]:+.1f} % with {least}, {costs[most][2]:+.1f} % with {most}",
                costs[most][1] > costs[least][1])
    triggers = {way: more(samples)[2] for way, samples in figures["triggers"].items()}
    yield Claim("reading at regions costs more than at calls", "+207 % against +143 %; LULESH enters more functions than it calls MPI", f"{triggers['every region']:+.1f} % (6 in a step) against {triggers['every call']:+.1f} % (14)",
                triggers["every region"] > triggers["every call"])
    for name, series in figures["stories"].items():
        found = compare(series["default"], series["set"])
        yield Claim(f"{name} brings something", STORIES[name][7], f"{100 * found.change:+.1f} %; {p_text(found.p)}", found.p < 0.05 and found.change < 0)


def result(figures):
    return Result(list(claims(figures)), "\n\n".join([sampling_table(figures["sampling"]), reading_table(figures), story_table(figures["stories"])]))


def draw(figures, path):
    picture, axes = pictures.panels(3)
    pictures.boxes(axes[0], figures["sampling"]["mpi_s"], "sampled every …", "run, s")
    points = {samples[0]["handles"]: more(samples)[1] for samples in figures["numbers"].values()}
    pictures.lines(axes[1], {"around every call": points}, "a step of 14 calls", "handles read", "µs more")
    changes = {name: compare(series["default"], series["set"]).change for name, series in figures["stories"].items()}
    axes[2].barh(list(changes), [100 * change for change in changes.values()])
    axes[2].set_title("settings: change of time or memory, %")
    axes[2].invert_yaxis()
    pictures.save(picture, path)
