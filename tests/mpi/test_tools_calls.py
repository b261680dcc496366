# SPDX-License-Identifier: BSD-3-Clause
# test_tools_calls.py - what tools call for themselves is no call and no traffic of the program's, in whatever order they stand.

import collections

from comm_testing import *

RANKS = 3
# ring_c: calls and bytes of each rank (the root's broadcast apart), and who sends how much to whom.
CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Send": 10, "MPI_Recv": 10, "MPI_Bcast": 1, "MPI_Barrier": 1,
         "MPI_Allreduce": 1, "MPI_Finalize": 1}
BYTES = {"MPI_Send": 4000 * RANKS, "MPI_Bcast": 40, "MPI_Allreduce": 8 * RANKS}
P2P = {(rank, (rank + 1) % RANKS): (10, 4000) for rank in range(RANKS)}
BY_CHATTY = {"messages": 2 * RANKS, "bytes": 2 * 8 * RANKS}  # a broadcast and a barrier
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
            assert data["tools"]["bytes_sent"] == (BY_CHATTY["bytes"] if "chatty.so" in stack else 0)
    for folder, above in instances(tmp_path, stack, "comm", "comm{}"):
        assert volumes(folder, "p2p") == P2P and volumes(folder, "coll") == COLL
        data = comm_json(folder)
        used = {number for phase in data["phases"] for number, *_ in phase["collectives"]}
        assert [data["communicators"][number]["name"] for number in used] == ["MPI_COMM_WORLD"]
        assert data.get("tools") == (BY_CHATTY if "chatty.so" in stack else None)


def test_the_tools_own_calls_are_said(mpi, tmp_path):
    done = run_stacked(mpi, RANKS, [mpi.program("chatty.so"), "profile", "comm"], mpi.program("ring_c"), out=tmp_path)
    of_tools = json.loads((tmp_path / "profile.json").read_text())["tools"]
    assert f"\n  not among these: {of_tools['calls']} calls of tools above for themselves, " in done.err
    assert f"\n  not among these: {comm_json(tmp_path / 'comm')['tools']['messages']} messages and collective calls of tools above for themselves, " in done.err


# ------------------------------------------------------------ tools below that count or keep calls

TALKING = ["chatty.so", "profile", "comm"]
RULES = """rule "each"
  every 1 calls of MPI_Allreduce
  note "Allreduce"
rule "all"
  at end
  note "{calls(MPI_Allreduce)} {calls(MPI_Bcast)} {calls(MPI_Type_size)} {calls(MPI_Comm_dup)}"
"""


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def below(request, tmp_path_factory):
    """The folder of a run with the others below those that talk. A stand-in for MPI_T knows how often MPI_Allreduce was called."""
    mpi, folder = request.param, tmp_path_factory.mktemp("below")
    (folder / "rules").write_text(RULES)
    run_stack(mpi, folder, [*TALKING, "trace", "waits", "usage=to:{folder}/usage", "policy=file:{folder}/rules",
                            "vars=budget:0:names:standin_around", "vars/standin.so"])
    return folder


def test_usage_counts_the_programs_calls_alone(below):
    calls = json.loads((below / "usage").read_text())["calls"]
    assert calls == {name: calls * RANKS for name, calls in CALLS.items() if name != "MPI_Finalize"}


RECORDED = {name: calls * RANKS for name, calls in CALLS.items() if name not in ("MPI_Comm_rank", "MPI_Comm_size")}  # no local ones


def test_trace_keeps_the_programs_calls_alone(below):
    told = run(CAIRN, "trace", below, "--text")
    assert told.code == 0, told.err
    assert collections.Counter(re.findall(r" (MPI_\w+)\(", told.out)) == RECORDED


def test_waits_matches_the_programs_messages_alone(below):
    coverage = json.loads((below / "waits.json").read_text())["coverage"]
    assert coverage["calls"] == sum(RECORDED.values())
    assert (coverage["sends"], coverage["receives"], coverage["matched"]) == (10 * RANKS,) * 3
    assert (coverage["collectives"], coverage["incomplete_collectives"]) == (4, 0)  # with MPI_Finalize


def test_policy_looks_at_the_programs_calls_alone(below):
    data = json.loads((below / "policy.json").read_text())
    assert {one["title"]: one["looks"] for one in data["rules"]} == {"each": RANKS, "all": RANKS}
    assert [one["text"] for one in data["events"]] == ["Allreduce", "1 1 0 0"]


def test_vars_counts_and_reads_the_programs_calls_alone(below):
    """Each MPI_Allreduce adds 2^30. What two of a tool's add is no call's change."""
    data = json.loads((below / "vars.json").read_text())
    assert {one["name"]: one["calls"] for one in data["functions"]} == {
        name: calls * RANKS for name, calls in CALLS.items() if name not in ("MPI_Init", "MPI_Finalize")}
    assert [(one["function"], one["read"], one["total"]) for one in data["changes"]] == [("MPI_Allreduce", RANKS, RANKS << 30)]
    assert [one["elsewhere"] for one in data["variables"]] == [2 * RANKS << 30]


def test_where_knows_the_programs_calls_alone(mpi, tmp_path):
    """Of a process that was killed after MPI_Init, MPI_Comm_rank and a barrier."""
    tools = [mpi.program("chatty.so"), "profile=table:off", "comm=table:off", "where"]
    run_stacked(mpi, 1, tools, mpi.program("killed"), "kill", out=tmp_path / "out", CAIRN_PAGES=tmp_path / "pages")
    told = run(CAIRN, "report", tmp_path / "out", "--json", "-", CAIRN_PAGES=tmp_path / "pages")
    assert told.code == 0, told.err
    sections = {(section["tool"], section["file"]): section for section in json.loads(told.out)["sections"]}
    functions = sections["profile", "pages"]["tables"]["functions"]["rows"]
    assert {row["name"]: row["calls"] for row in functions} == {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 1}
    [line] = sections["where", "pages"]["lines"]
    assert "its last call was MPI_Barrier (killed.c:" in line["sentence"]
