# SPDX-License-Identifier: BSD-3-Clause
# setups.py - what is measured: the stacks, the floor, and which programs run under them.

import pathlib
from dataclasses import dataclass, replace

PLACES = 10  # variants of each module; CMakeLists.txt builds as many
LARGE = ((100, {"blocks": 100, "calls": 2000}), (1000, {"blocks": 20, "calls": 200, "repeats": 5}))


@dataclass(frozen=True)
class Setup:
    """One stack (or none) and how long to look at it."""

    id: str
    title: str
    tools: tuple = None  # outermost first; None: without Cairn
    program: str = "rank_loop"  # whose figures they are
    chain: str = ""      # kind of the bare chain that stands in for a stack
    alike: bool = False  # the chain's links are copies of one
    layers: int = 0
    blocks: int = 200
    calls: int = 20000
    repeats: int = 0     # 0: as many as the run makes
    counted: bool = False   # instructions too
    pingpong: bool = False  # two ranks too
    ranks: int = 1
    environment: tuple = ()  # "NAME=VALUE" words for the program
    mpi: str = ""           # the one MPI that it is for


def different(kind, count):
    return tuple(f"{kind}{i % PLACES}.so" for i in range(count))


def copies(kind, count):
    return (f"{kind}0.so",) * count


def stack(kind, count, title, **more):
    return Setup(f"{kind}-{count}", title, different(kind, count), layers=count, **more)


def plural(count, verb=""):
    return (f"{count} layer" if count == 1 else f"{count} layers") + (f" that {verb}{'s' if count == 1 else ''}" if verb else "")


def empty_stacks():
    yield Setup("native", "native, without Cairn", counted=True, pingpong=True)
    yield Setup("stub", "Cairn without tools", (), counted=True, pingpong=True)
    for count in (1, 2, 3, 5, 10):
        yield stack("frame", count, plural(count), counted=count != 3 and count != 5, pingpong=count in (1, 10))
    for count in (1, 10):
        yield stack("tail", count, f"{plural(count)} without a frame", counted=True)
    for count in (1, 10):
        yield stack("counting", count, plural(count, "count"), counted=True)


def qmpi_stacks():
    for kind, what in (("qmpi", "QMPI"), ("qmpi_storage", "QMPI, storage at each call"), ("thesis", "thesis's QMPI, EXEC_FUNC"),
                       ("thesis_typed", "thesis's QMPI, typed call")):
        for count in (1, 2, 5, 10):
            yield stack(kind, count, f"{count} of {what}", counted=True)
    for kind in ("qmpi", "thesis"):
        yield Setup(f"{kind}-round", f"PMPI, {kind}, PMPI", ("frame0.so", f"{kind}1.so", "frame2.so"), layers=3, counted=True)


def kit_stacks():
    for count in (1, 2, 5, 10):
        yield stack("kit", count, f"{count} of the C++ kit", counted=True)


def message_stacks():
    """What the services cost, in a loop of messages to oneself."""
    for id, title, tools in (("native", "native, without Cairn", None), ("asks_nothing", "a tool that wraps MPI_Isend", ("asks_nothing.so",)),
                             ("asks_size", "... and asks the size of a datatype", ("asks_size.so",)),
                             ("asks_rank", "... and asks a rank in the world", ("asks_rank.so",)),
                             ("follows", "... and follows the request", ("follows.so",))):
        yield Setup(f"message-{id}", title, tools, program="message_loop", layers=0 if tools is None else 1, calls=2000, counted=True)


def large_stacks():
    yield Setup("copies-10", "10 copies of one", copies("frame", 10), layers=10)
    for count, size in LARGE:
        yield Setup(f"frame-{count}", f"{count} layers of ten kinds", different("frame", count), layers=count, **size)
        yield Setup(f"copies-{count}", f"{count} copies of one", copies("frame", count), layers=count, pingpong=count == 100, **size)


def tool_stacks():
    for count in (1, 10):
        tools = ("profile=table:off",) * count
        yield Setup(f"profile-{count}", f"the tool 'profile', {count}x", tools, layers=count, calls=5000, counted=count == 1,
                    pingpong=count == 1)
    yield Setup("comm-1", "the tool 'comm'", ("comm=table:off",), layers=1, calls=5000, counted=True, pingpong=True)
    yield Setup("monitoring", "Open MPI's own monitoring", environment=("OMPI_MCA_pml_monitoring_enable=2",), pingpong=True,
                mpi="openmpi")


def recorded_stacks():
    """What it costs to record calls for other processes, alone and beside a tool that measures them."""
    for id, title, tools in (("native", "native, without Cairn", None), ("where", "the tool 'where'", ("where",)),
                             ("trace", "the tool 'trace'", ("trace",)), ("waits", "the tool 'waits'", ("waits=table:off",)),
                             ("profile", "the tool 'profile'", ("profile=table:off",)),
                             ("above", "'where' above 'profile'", ("where", "profile=table:off")),
                             ("below", "'profile' above 'where'", ("profile=table:off", "where"))):
        yield Setup(f"recorded-{id}", title, tools, program="recorded_loop", layers=len(tools or ()), calls=2000, counted=True)


def policy_stacks():
    for name, title in (("elsewhere", "a policy on another function"), ("counted", "a policy that counts these calls"),
                        ("look", "... and looks at a rule in each")):
        policy = pathlib.Path(__file__).resolve().parent / "policies" / f"{name}.policy"
        yield Setup(f"policy-{name}", title, (f"policy=table:off:file:{policy}",), calls=5000, counted=True)


def heat_setups():
    """Whose cost is looked at by call and size."""
    return [setup for setup in (Setup("native", "native, without Cairn"), *tool_stacks()) if setup.id in ("native", "comm-1", "monitoring")]


def variable_stacks():
    """A stencil under the tool 'vars', with the variables of Open MPI's monitoring."""
    for id, title, options in (("ten", "'vars', ten variables, every call", "budget:0:names:coll_monitoring_*+pml_monitoring_*"),
                               ("all", "'vars', all variables, every call", "budget:0"),
                               ("pass", "'vars', every call, those that move", "budget:0:pass:1000"),
                               ("budget", "'vars', all, within its budget", "budget:2"),
                               ("sampled", "'vars', all, sampled every 100 ms", "calls:off:every:100ms:series:on")):
        yield Setup(f"stencil-{id}", title, (f"vars=table:off:{options}",), program="stencil", blocks=500, calls=5, ranks=2, mpi="openmpi",
                    environment=("OMPI_MCA_pml_monitoring_enable=2",))


def floors():
    for kind, counts in (("frame", (0, 1, 2, 3, 5, 10)), ("tail", (1, 10))):
        for count in counts:
            what = "" if kind == "frame" else " without a frame"
            yield Setup(f"floor-{kind}-{count}", f"bare chain of {count}{what}", chain=kind, layers=count,
                        counted=count in (0, 1, 10))
    for count, size in LARGE:
        yield Setup(f"floor-frame-{count}", f"bare chain of {count}, ten kinds", chain="frame", layers=count, **size)
        yield Setup(f"floor-copies-{count}", f"bare chain of {count}, copies of one", chain="frame", alike=True, layers=count, **size)


def all_setups(quick):
    """Everything; `quick` looks a tenth as long at each and leaves out the largest stacks, and sizes in between."""
    setups = [*empty_stacks(), *qmpi_stacks(), *kit_stacks(), *message_stacks(), *large_stacks(), *tool_stacks(), *recorded_stacks(), *policy_stacks(), *variable_stacks(),
              *floors()]
    if not quick:
        return setups
    return [replace(setup, blocks=max(setup.blocks // 10, 5)) for setup in setups
            if setup.layers < 1000 and not (setup.layers in (2, 5) and setup.id.startswith(("qmpi", "thesis", "kit")))]
