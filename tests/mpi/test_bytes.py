# SPDX-License-Identifier: BSD-3-Clause
# test_bytes.py - what calls move, rule by rule: every form of them that a library has, under `profile` and under `comm`.
#
# Expected figures are data, worked out by hand from bytes_program.c. What counts is defined at the top of
# include/cairn/kit/moves.hpp. One run of a form has all groups, each in a region of its name.

import collections
import functools

from comm_testing import *

# Group of bytes_program: its figures over four ranks. Every function that is not listed must have sent nothing.
GROUPS = {
    # each to the next rank, and a hundred to MPI_PROC_NULL
    "sends": {"MPI_Send": (8, 4 * 4), "MPI_Bsend": (8, 4 * 8), "MPI_Ssend": (8, 4 * 12), "MPI_Rsend": (8, 4 * 20)},
    # the ring has four messages, the chain three
    "exchanges": {"MPI_Sendrecv": (8, 4 * 56 + 3 * 88), "MPI_Sendrecv_replace": (8, 4 * 20 + 3 * 36)},
    "rooted": {"MPI_Bcast": (4, 40), "MPI_Gather": (4, 4 * 12), "MPI_Gatherv": (4, 4 * (1 + 2 + 3 + 4)),
               "MPI_Scatter": (4, 4 * 20), "MPI_Scatterv": (4, 2 * (2 + 0 + 3 + 1)), "MPI_Reduce": (4, 4 * 48)},
    "rooted_in_place": {"MPI_Gather": (4, 4 * 12), "MPI_Gatherv": (4, 40), "MPI_Scatter": (4, 80),
                        "MPI_Scatterv": (4, 12), "MPI_Reduce": (4, 192)},
    "among_all": {"MPI_Allgather": (4, 4 * 12), "MPI_Allgatherv": (4, 40), "MPI_Alltoall": (4, 4 * 4 * 8),
                  "MPI_Alltoallv": (4, 4 * 2 * 10), "MPI_Alltoallw": (4, 4 * (1 * 8 + 2 * 4 + 3 * 8 + 4 * 4)),
                  "MPI_Allreduce": (4, 4 * 20), "MPI_Reduce_scatter": (4, 4 * 40),
                  "MPI_Reduce_scatter_block": (4, 4 * 4 * 24), "MPI_Scan": (4, 4 * 8), "MPI_Exscan": (4, 4 * 28)},
    "among_all_in_place": {"MPI_Allgather": (4, 48), "MPI_Allgatherv": (4, 40), "MPI_Alltoall": (4, 128),
                           "MPI_Alltoallv": (4, 4 * 4 * (1 + 2 + 1 + 2)), "MPI_Alltoallw": (4, 4 * (2 * 4 + 2 * 16)),
                           "MPI_Allreduce": (4, 80), "MPI_Reduce_scatter": (4, 160),
                           "MPI_Reduce_scatter_block": (4, 384), "MPI_Scan": (4, 32), "MPI_Exscan": (4, 112)},
    # one rank faces three
    "inter_rooted": {"MPI_Bcast": (8, 40 + 24), "MPI_Gather": (4, 3 * 12), "MPI_Gatherv": (4, 4 * (1 + 2 + 3)),
                     "MPI_Scatter": (4, 3 * 20), "MPI_Scatterv": (4, 2 * (1 + 2 + 3)), "MPI_Reduce": (4, 3 * 48)},
    "inter_all": {"MPI_Allgather": (4, 8 + 3 * 4), "MPI_Allgatherv": (4, 16 + 4 * (1 + 2 + 3)),
                  "MPI_Alltoall": (4, 3 * 8 + 3 * 8), "MPI_Alltoallv": (4, 4 * (1 + 2 + 3) + 3 * 10),
                  "MPI_Alltoallw": (4, (4 + 8 + 2) + 3 * 8), "MPI_Allreduce": (4, 4 * 20),
                  "MPI_Reduce_scatter": (4, 24 + 3 * 24), "MPI_Reduce_scatter_block": (4, 12 + 3 * 12)},
    "cart": {"MPI_Neighbor_allgather": (4, 4 * 12), "MPI_Neighbor_allgatherv": (4, 4 * 8),
             "MPI_Neighbor_alltoall": (4, 4 * 4 * 8), "MPI_Neighbor_alltoallv": (4, 4 * 4 * (1 + 1 + 3 + 3)),
             "MPI_Neighbor_alltoallw": (4, 4 * (2 * 4 + 6 * 8))},
    # a line of four has six arrows between neighbors
    "open_cart": {"MPI_Neighbor_allgather": (4, 4 * 4), "MPI_Neighbor_alltoall": (4, 6 * 8),
                  "MPI_Neighbor_alltoallv": (4, 6 * 12), "MPI_Neighbor_alltoallw": (4, 6 * 24)},
    "graph": {"MPI_Neighbor_allgather": (4, 4 * 20), "MPI_Neighbor_alltoall": (4, 4 * 2 * 4),
              "MPI_Neighbor_alltoallv": (4, 4 * 2 * 4)},
    # three, one, no and two arrows leave ranks 0 to 3
    "dist_graph": {"MPI_Neighbor_allgather": (4, 4 * 8), "MPI_Neighbor_allgatherv": (4, 40),
                   "MPI_Neighbor_alltoall": (4, (3 + 1 + 0 + 2) * 8),
                   "MPI_Neighbor_alltoallv": (4, 4 * ((1 + 2 + 3) + 1 + (1 + 2))),
                   "MPI_Neighbor_alltoallw": (4, (4 + 8 + 2) + 4 + (4 + 8))},
    # null pointers in place of empty arrays
    "lonely": {"MPI_Neighbor_allgather": (4, 4 * 8), "MPI_Neighbor_alltoall": (4, 0), "MPI_Neighbor_alltoallv": (4, 0),
               "MPI_Neighbor_alltoallw": (4, 0)},
    "bottom": {"MPI_Bcast": (4, 40), "MPI_Gather": (4, 4 * 40), "MPI_Allgather": (4, 4 * 40)},
    "one_sided": {"MPI_Put": (8, 4 * 12), "MPI_Get": (8, 0), "MPI_Accumulate": (8, 4 * 16),
                  "MPI_Get_accumulate": (8, 4 * 16), "MPI_Fetch_and_op": (8, 4 * 8),
                  "MPI_Compare_and_swap": (8, 4 * 4)},
    "one_sided_read": {"MPI_Get_accumulate": (4, 0), "MPI_Fetch_and_op": (4, 0)},
    "persistent": {"MPI_Send_init": (12, 0), "MPI_Recv_init": (12, 0), "MPI_Startall": (12, 480)},
    "persistent_sends": {f"MPI_{mode}_init": (8, 0) for mode in ("Send", "Bsend", "Ssend", "Rsend")},
    "partitioned": {},
    "datatypes": {"MPI_Send": (8, 4 * 3 * 20), "MPI_Ssend": (8, 4 * 48), "MPI_Bsend": (8, 4 * 2 * 12),
                  "MPI_Rsend": (8, 4 * 3 * 4), "MPI_Isend": (8, 0), "MPI_Issend": (8, 4 * 6 * 8),
                  "MPI_Ibsend": (8, 4 * 5 * 2), "MPI_Irsend": (8, 4 * 2 * 12),
                  "MPI_Sendrecv_replace": (20, 4 * 4 * (1 + 2 + 3 + 4 + 5))},
}
ONLY_BLOCKING = {"persistent", "persistent_sends", "partitioned", "datatypes"}
# What only MPI-4 libraries have.
MORE_OF_MPI_4 = {"persistent": {"MPI_Start": (4, 40)},
                 "partitioned": {"MPI_Psend_init": (4, 0), "MPI_Precv_init": (4, 0), "MPI_Startall": (12, 480), "MPI_Pready": (24, 0)}}
WITHOUT_TWIN = {"MPI_Fetch_and_op", "MPI_Compare_and_swap"}
WITHOUT_LARGE_COUNTS = {"MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Startall", "MPI_Start", "MPI_Psend_init",
                        "MPI_Precv_init", "MPI_Pready"}


def twin_of(name):
    """MPI_Bcast has MPI_Ibcast, MPI_Put has MPI_Rput."""
    letter = "R" if name in ("MPI_Put", "MPI_Get", "MPI_Accumulate", "MPI_Get_accumulate") else "I"
    return "MPI_" + letter + name[4].lower() + name[5:]

# Those whose calls are all collective.
COLLECTIVE = ["rooted", "rooted_in_place", "among_all", "among_all_in_place", "inter_rooted", "inter_all", "cart", "open_cart",
              "graph", "dist_graph", "lonely", "bottom"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """runs(mpi, program, form, groups): the folder of that run under both tools; made once."""

    @functools.cache
    def result_of(mpi_id, program, form, groups):
        folder = tmp_path_factory.mktemp("bytes")
        mpi = next(one for one in MPIS if one.id == mpi_id)
        done = run_stacked(mpi, 4, ["profile=table:off", "comm=table:off"], mpi.program(program), form, *groups, out=folder)
        assert done.code == 0 and "cairn" not in done.err, done.err
        return folder

    return lambda mpi, program, form, groups: result_of(mpi.id, program, form, tuple(groups))


def regions_of(folder):
    """{region: {function: (calls, bytes sent)}}"""
    data = json.loads((folder / "profile.json").read_text())
    return {region["region"]: {f["name"]: (f["calls"], f["bytes_sent"]) for f in region["functions"]} for region in data["regions"]}


def check_group(folder, group, expected):
    found = regions_of(folder)[group]
    assert {name: found.get(name) for name in expected} == expected
    assert {name for name, (_, sent) in found.items() if sent} == {name for name, (_, sent) in expected.items() if sent}


def more_of(mpi, group):
    return MORE_OF_MPI_4.get(group, {}) if mpi.id == "mpich" else {}


@pytest.mark.parametrize("group", GROUPS)
def test_bytes_are_what_the_process_hands_to_mpi(mpi, group, runs):
    check_group(runs(mpi, "bytes_program", "blocking", GROUPS), group, GROUPS[group] | more_of(mpi, group))


TWINS = [group for group in GROUPS if group not in ONLY_BLOCKING]


@pytest.mark.parametrize("group", TWINS)
def test_bytes_of_nonblocking_twins(mpi, group, runs):
    if group == "exchanges" and mpi.id == "openmpi":
        pytest.skip("MPI_Isendrecv is not in Open MPI < 5")
    expected = {twin_of(name): figure for name, figure in GROUPS[group].items() if name not in WITHOUT_TWIN}
    check_group(runs(mpi, "bytes_program", "nonblocking", TWINS), group, expected)


def large(name):
    return name if name in WITHOUT_LARGE_COUNTS else name + "_c"


@pytest.mark.parametrize("group", GROUPS)
def test_bytes_of_large_counts(group, runs):
    expected = GROUPS[group] | MORE_OF_MPI_4.get(group, {})
    check_group(runs(MPIS[1], "bytes_program_c", "blocking", GROUPS), group, {large(n): f for n, f in expected.items()})


@pytest.mark.parametrize("group", TWINS)
def test_bytes_of_nonblocking_twins_with_large_counts(group, runs):
    expected = {large(twin_of(name)): figure for name, figure in GROUPS[group].items() if name not in WITHOUT_TWIN}
    check_group(runs(MPIS[1], "bytes_program_c", "nonblocking", TWINS), group, expected)


def check_persistent(mpi, program, group, ending, runs):
    """Of an _init call nothing is counted, of each start what its blocking form would have sent."""
    regions = regions_of(runs(mpi, program, "persistent", COLLECTIVE))
    prefix = "MPIX_" if mpi.id == "openmpi" else "MPI_"
    for name, (calls, sent) in GROUPS[group].items():
        assert regions[group][prefix + name[4:] + "_init" + ending] == (calls, 0)
        assert regions[f"{group}/{name}"] == {"MPI_Start": (calls, sent), "MPI_Pcontrol": (calls, 0)}


@pytest.mark.parametrize("group", COLLECTIVE)
def test_bytes_of_persistent_forms(mpi, group, runs):
    check_persistent(mpi, "bytes_program", group, "", runs)


@pytest.mark.parametrize("group", COLLECTIVE)
def test_bytes_of_persistent_forms_with_large_counts(group, runs):
    check_persistent(MPIS[1], "bytes_program_c", group, "_c", runs)


PROGRAMS = [(mpi, program) for mpi in MPIS for program in ("bytes_program", "bytes_program_c")[:1 + (mpi.id == "mpich")]]


@pytest.mark.parametrize("mpi, program", PROGRAMS, ids=lambda value: getattr(value, "id", value))
def test_persistent_sends_of_every_mode_are_the_messages_of_blocking_ones(mpi, program, runs):
    folder = runs(mpi, program, "blocking", GROUPS)
    regions, traffic = regions_of(folder), messages_of(folder)
    for name, (calls, sent) in GROUPS["sends"].items():
        region = f"persistent_sends/{name}"
        assert regions[region] == {"MPI_Start": (calls, sent), "MPI_Pcontrol": (calls, 0)}
        assert traffic[region] == {(rank, (rank + 1) % 4): (1, sent // 4) for rank in range(4)}


@pytest.mark.parametrize("program", ["bytes_program", "bytes_program_c"])
def test_partitioned_messages_are_sent_at_their_start_and_received(program, runs):
    folder = runs(MPIS[1], program, "blocking", GROUPS)
    assert received_in(folder)["partitioned"] == {"MPI_Precv_init": 480}
    assert messages_of(folder)["partitioned"] == {(rank, (rank + 1) % 4): (3, 120) for rank in range(4)}


# Bytes that arrive at all four ranks together; in place as much as otherwise.
RECEIVED = {
    "rooted_in_place": {"MPI_Gather": 4 * 12, "MPI_Gatherv": 40, "MPI_Scatter": 80, "MPI_Scatterv": 12, "MPI_Reduce": 48},
    "among_all_in_place": {"MPI_Allgather": 192, "MPI_Allgatherv": 160, "MPI_Alltoall": 128, "MPI_Alltoallv": 96,
                           "MPI_Alltoallw": 160, "MPI_Allreduce": 80, "MPI_Reduce_scatter": 40,
                           "MPI_Reduce_scatter_block": 96, "MPI_Scan": 32, "MPI_Exscan": 3 * 28},
    # what each side sends is for the other
    "inter_all": {"MPI_Allgather": 3 * 8 + 3 * 4, "MPI_Allgatherv": 3 * 16 + 4 * (1 + 2 + 3),
                  "MPI_Alltoall": 48, "MPI_Alltoallv": 54, "MPI_Alltoallw": 38, "MPI_Allreduce": 4 * 20,
                  "MPI_Reduce_scatter": 24 + 24, "MPI_Reduce_scatter_block": 12 + 3 * 4},
    "rooted": {"MPI_Bcast": 3 * 40, "MPI_Gather": 4 * 12, "MPI_Gatherv": 4 * (1 + 2 + 3 + 4), "MPI_Scatter": 4 * 20,
               "MPI_Scatterv": 2 * (2 + 0 + 3 + 1), "MPI_Reduce": 48},
    "among_all": {"MPI_Allgather": 4 * 4 * 12, "MPI_Allgatherv": 4 * 40, "MPI_Alltoall": 4 * 4 * 8, "MPI_Alltoallv": 80,
                  "MPI_Alltoallw": 224, "MPI_Allreduce": 4 * 20, "MPI_Reduce_scatter": 40,
                  "MPI_Reduce_scatter_block": 4 * 24, "MPI_Scan": 4 * 8, "MPI_Exscan": 3 * 28},  # nothing at rank 0
    "inter_rooted": {"MPI_Bcast": 3 * 40 + 24, "MPI_Gather": 3 * 12, "MPI_Gatherv": 4 * (1 + 2 + 3), "MPI_Scatter": 3 * 20,
                     "MPI_Scatterv": 2 * (1 + 2 + 3), "MPI_Reduce": 48},
    # three, one, no and two arrows leave ranks 0 to 3; what is sent by alltoall arrives
    "dist_graph": {"MPI_Neighbor_alltoall": 48, "MPI_Neighbor_alltoallv": 40, "MPI_Neighbor_alltoallw": 30,
                   "MPI_Neighbor_allgather": 8 * (3 + 1 + 0 + 2), "MPI_Neighbor_allgatherv": 52},
}


def received_in(folder):
    """{region: {function: bytes received}}"""
    data = json.loads((folder / "profile.json").read_text())
    return {region["region"]: {f["name"]: f["bytes_received"] for f in region["functions"] if f["bytes_received"]}
            for region in data["regions"]}


@pytest.mark.parametrize("group", RECEIVED)
def test_bytes_received_in_collective_calls(mpi, group, runs):
    """Of every form; a persistent one counts where it is started."""
    assert received_in(runs(mpi, "bytes_program", "blocking", GROUPS))[group] == RECEIVED[group]
    nonblocking = received_in(runs(mpi, "bytes_program", "nonblocking", TWINS))[group]
    assert nonblocking == {twin_of(name): received for name, received in RECEIVED[group].items()}
    persistent = received_in(runs(mpi, "bytes_program", "persistent", COLLECTIVE))
    assert group not in persistent or persistent[group] == {}
    assert {name: persistent[f"{group}/{name}"] for name in RECEIVED[group]} == {
        name: {"MPI_Start": received} for name, received in RECEIVED[group].items()}


# ------------------------------------------------------------ comm


def traffic_of(folder):
    """{group: volumes of its collective calls}, by pair, and by communicator, reach and rank."""
    data = comm_json(folder / "comm")
    groups = collections.defaultdict(lambda: collections.Counter())
    for phase in data["phases"]:
        cells = groups[phase["name"].split("/")[0]]
        for sender, receiver, messages, sent, _ in phase.get("coll", []):
            cells.update({(sender, receiver, "messages"): messages, (sender, receiver, "bytes"): sent})
        for communicator, reach, rank, messages, sent, _ in phase.get("coll_shared", []):
            members = data["communicators"][communicator]["members"]
            cells.update({(members, reach, rank, "messages"): messages, (members, reach, rank, "bytes"): sent})
    return {group: dict(cells) for group, cells in groups.items()}


def messages_of(folder):
    """{phase: {(from, to): (messages, bytes)}}"""
    return {phase["name"]: {(sender, receiver): (messages, sent) for sender, receiver, messages, sent, _ in phase.get("p2p", [])}
            for phase in comm_json(folder / "comm")["phases"]}


@pytest.mark.parametrize("group", COLLECTIVE)
def test_every_form_of_a_call_is_the_same_traffic(mpi, group, runs):
    programs = ["bytes_program"] + ["bytes_program_c"] * (mpi.id == "mpich")
    forms = [("blocking", GROUPS), ("nonblocking", TWINS), ("persistent", COLLECTIVE)]
    expected, *others = [traffic_of(runs(mpi, program, *form))[group] for program in programs for form in forms]
    assert expected or group == "lonely"
    for other in others:
        assert other == expected
