# SPDX-License-Identifier: BSD-3-Clause
# test_tools_calls.py - what tools call for themselves is no traffic of the program's, in whatever order they stand.

from comm_testing import *

RANKS = 3
# ring_c: calls and bytes of each rank (the root's broadcast apart), and who sends how much to whom.
CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 10, "MPI_Recv": 10, "MPI_Bcast": 1, "MPI_Barrier": 1,
         "MPI_Allreduce": 1, "MPI_Finalize": 1}
BYTES = {"MPI_Send": 4000 * RANKS, "MPI_Bcast": 40, "MPI_Allreduce": 8 * RANKS}
P2P = {(rank, (rank + 1) % RANKS): (10, 4000) for rank in range(RANKS)}
COLL = {(i, j): (3, 48) if i == 0 else (2, 8) for i in range(RANKS) for j in range(RANKS) if i != j}

POLICY = SOURCE / "bench" / "policies" / "counted.policy"
WITHOUT_TABLE = ("where", "steer", "trace", "usage")
STACKS = {
    "comm_below": ["profile", "vars", "comm"],
    "profile_below": ["comm", "vars=sites:on", "profile"],
    "twice": ["profile", "comm", "profile", "comm"],
    "all_others_above": ["where=hang:600s", "waits", "trace", "steer", "policy=file:{policy}", "usage=to:{folder}/usage", "profile", "comm"],
    "through_another_tool": ["chatty.so", "profile", "comm", "counter.so", "profile", "comm"],
}


def words_of(mpi, folder, tool):
    if tool.endswith(".so"):
        return mpi.program(tool)
    name, _, options = tool.format(folder=folder, policy=POLICY).partition("=")
    quiet = [] if name in WITHOUT_TABLE else ["table:off"]
    options = ":".join(quiet + ([options] if options else []))
    return f"{name}={options}" if options else name


def run_stack(mpi, folder, stack):
    done = run_stacked(mpi, RANKS, [words_of(mpi, folder, tool) for tool in stack], mpi.program("ring_c"), out=folder)
    assert done.code == 0 and "not loaded" not in done.err, done.err
    return done


def instances(folder, stack, name, file):
    """Paths of the results of all instances of a tool, from the outermost on, and how many tools of the kit stand above each."""
    levels = [level for level, tool in enumerate(stack) if tool.split("=")[0] == name]
    return [(folder / file.format("" if number == 0 else f".{number + 1}"), level) for number, level in enumerate(levels)]


@pytest.mark.parametrize("name", STACKS)
def test_every_instance_sees_the_programs_calls_alone(mpi, name, tmp_path):
    stack = STACKS[name]
    run_stack(mpi, tmp_path, stack)
    for path, above in instances(tmp_path, stack, "profile", "profile{}.json"):
        data = json.loads(path.read_text())
        assert {f["name"]: f["calls"] for f in data["functions"]} == {n: c * RANKS for n, c in CALLS.items()}
        assert {f["name"]: f["bytes_sent"] for f in data["functions"] if f["bytes_sent"]} == BYTES
        if above:
            assert data["tools"]["calls"] >= RANKS and 0 < data["tools"]["time_s"] < 60
            assert data["tools"]["bytes_sent"] == (8 * RANKS if "chatty.so" in stack else 0)
    for folder, above in instances(tmp_path, stack, "comm", "comm{}"):
        assert volumes(folder, "p2p") == P2P and volumes(folder, "coll") == COLL
        data = comm_json(folder)
        used = {number for phase in data["phases"] for number, *_ in phase["collectives"]}
        assert [data["communicators"][number]["name"] for number in used] == ["MPI_COMM_WORLD"]
        assert data.get("tools") == ({"messages": RANKS, "bytes": 8 * RANKS} if "chatty.so" in stack else None)


def test_the_tools_own_calls_are_said(mpi, tmp_path):
    done = run_stacked(mpi, RANKS, [mpi.program("chatty.so"), "profile", "comm"], mpi.program("ring_c"), out=tmp_path)
    of_tools = json.loads((tmp_path / "profile.json").read_text())["tools"]
    assert f"\n  not among these: {of_tools['calls']} calls of tools above for themselves, " in done.err
    assert f"\n  not among these: {comm_json(tmp_path / 'comm')['tools']['messages']} messages and collective calls of tools above for themselves, " in done.err
