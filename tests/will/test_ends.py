# SPDX-License-Identifier: BSD-3-Clause
# test_ends.py - a stack of all bundled tools on a process that does not come to MPI_Finalize, on the real libraries: handlers that
# these install, errors that they end the process for, their launchers' exit codes; and results that cannot be written.

import concurrent.futures
import contextlib
import re

from cairn_testing import *

TOOLS = ["profile=table:off", "comm=table:off", "policy=table:off:file:{policy}", "vars=table:off", "where", "trace",
         "waits=table:off", "usage=to:{usage}"]
EXIT, LEAVE = "exit without MPI_Finalize", "_exit without MPI_Finalize"
WAYS = {("faults",): "SIGSEGV", ("overflows",): "SIGSEGV", ("aborts",): "SIGABRT", ("exits",): EXIT, ("_exits",): LEAVE, ("quick_exits",): None,
        ("sends", 15): "SIGTERM", ("MPI_Abort",): "MPI_Abort", ("errs",): None, ("truncates",): None, ("handler_of_fault_once", 11): "SIGSEGV",
        ("handler_of_abort_returns", 6, "early"): "SIGABRT"}
NO_END = {("openmpi", "truncates")}  # Open MPI 4.1.4 lets a process send itself more than it receives: see below
LIVES = [("finalizes_at_exit",), ("survives", 6), ("survives", 11)]


def plain(text):
    """Without what no two runs have in common: process numbers, addresses."""
    return re.sub(r"0x[0-9a-f]+|\b\d{3,}\b", "N", text)


def words_of(folder, tools=TOOLS):
    folder.mkdir(exist_ok=True)
    policy = folder / "p.policy"
    policy.write_text('rule "watch"\n  every 1 calls of MPI_Barrier\n  note "here"\n')
    return [tool.format(policy=policy, usage=folder / "usage.jsonl") for tool in tools]


def launch(mpi, folder, way, ranks=1):
    """Bare and under the tools: exit codes, what the program printed, lines of standard error; the files that are left. Open MPI's
    mpirun may be back before the rank that called MPI_Abort has ended: what has another name meanwhile is not left."""
    tools = words_of(folder)
    out = folder / "out"
    bare = run_with_last_words(*mpi.mpirun(ranks), mpi.program("ways"), *way)
    under = run_stacked(mpi, ranks, tools, mpi.program("ways"), *way, out=out, run=run_with_last_words, anew=out)
    shown = [(done.code, plain(done.out), len(done.err.splitlines())) for done in (bare, under)]
    left = {}
    for path in out.rglob("*"):
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                left[path.relative_to(out).as_posix()] = path.read_text(errors="replace")
    return shown, left


def launch_all(mpi, folder, ways):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        return dict(zip(ways, pool.map(lambda way: launch(mpi, folder / "-".join(map(str, way)), way), ways)))


def test_every_tool_leaves_its_part_and_the_process_ends_as_without_tools(mpi, tmp_path):
    wrong = {}
    for way, ((bare, under), files) in launch_all(mpi, tmp_path, [way for way in WAYS if (mpi.id, way[0]) not in NO_END]).items():
        parts = {name: json.loads(text) for name, text in files.items() if name.endswith(".json") and name != "run.json"}
        ends = {part.get("part", part)["ended_by"] for part in parts.values() if "ended_by" in part.get("part", part)}
        expected = {"profile.rank-0.json", "comm/rank.0.json", "policy.rank-0.json", "vars.rank-0.json"}
        left = {"waits.rank-0.graph", "trace/rank-0.trace"} <= set(files)
        if bare != under or set(parts) != expected or not left or len(ends) != 1 or (WAYS[way] and ends != {WAYS[way]}):
            wrong[way] = (bare, under, ends, sorted(files))
    assert wrong == {}


def test_a_message_that_is_too_long_ends_both_as_without_tools(mpi, tmp_path):
    """Each rank sends the other more than it receives: who sees it first ends the other, or is ended: on MPICH by Hydra's
    SIGKILL, often before anything can be left."""
    (bare, under), files = launch(mpi, tmp_path / "run", ("truncates",), ranks=2)
    assert bare[0] == under[0] != 0
    ends = [json.loads(text)["part"]["ended_by"] for name, text in files.items() if re.fullmatch(r"profile\.rank-\d\.json", name)]
    assert set(ends) <= {"SIGTERM", LEAVE, EXIT, "MPI_Abort"} and (ends or mpi.id == "mpich"), ends


def test_a_rank_that_is_slower_than_another_leaves_its_part_too(mpi, tmp_path):
    """Both launchers kill the other ranks at once when one has ended by SIGTERM: Open MPI's if it was its own, sent because
    another rank had died."""
    way, parts = {"openmpi": (("last_sends", 9), 2), "mpich": (("sends", 15), 3)}[mpi.id]
    heirs = tmp_path / "heirs"
    tools = [mpi.tool("heir") + "=fails:slow"]
    run_stacked(mpi, 3, tools, mpi.program("ways"), *way, HEIRS=heirs)
    assert heirs.read_text().splitlines() == ["1 SIGTERM"] * parts


@pytest.mark.parametrize("way, end", [("aborts", "SIGABRT"), ("exits", EXIT), ("_exits", LEAVE), ("faults", "SIGSEGV")])
def test_of_ranks_that_end_for_the_same_reason_each_leaves_its_part(mpi, way, end, tmp_path):
    """As after a failed assertion: MPICH's launcher kills the others when the first has ended, Open MPI's a moment later."""
    heirs = tmp_path / "heirs"
    run_stacked(mpi, 3, [mpi.tool("heir") + "=fails:slow"], mpi.program("ways"), way, HEIRS=heirs)
    times = 2 if (mpi.id, way) == ("openmpi", "aborts") else 1  # it has a handler, which might survive: written before it and after
    assert heirs.read_text().splitlines() == [f"1 {end}"] * 3 * times


def test_ranks_that_their_library_ends_for_an_error_leave_their_parts(mpi, tmp_path):
    """It tells its launcher before it calls exit: Hydra kills all of them at once, Open MPI's at the second such word."""
    heirs = tmp_path / "heirs"
    bare = run(*mpi.mpirun(3), mpi.program("ways"), "errs")
    done = run_stacked(mpi, 3, [mpi.tool("heir") + "=fails:slow"], mpi.program("ways"), "errs", HEIRS=heirs)
    assert done.code == bare.code and heirs.read_text().splitlines() == [f"1 {EXIT}"] * 3


@pytest.mark.parametrize("way", ["last_sends_while_another_thread_exits", "last_sends_to_a_thread_and_cancels_it"])
def test_a_rank_that_stays_for_others_ends_all_the_same(mpi, way, tmp_path):
    """What ranks print may be lost, bare as well: one may be killed before it has begun."""
    (bare, under), _ = launch(mpi, tmp_path / "run", (way, 15), ranks=2)
    assert bare[0] == under[0] and "lives" not in under[1]


def test_a_process_that_lives_on_leaves_results_and_no_parts(mpi, tmp_path):
    for way, ((bare, under), files) in launch_all(mpi, tmp_path, LIVES).items():
        assert bare == under, way
        assert {"profile.json", "comm/comm.json", "policy.json", "vars.json", "waits.json"} <= set(files), way
        assert not [name for name in files if ("rank" in name and name != "trace/rank-0.trace") or name.endswith(".new")], way


@pytest.mark.parametrize("way, reason, remedy", [("small_files", "File too large", "a higher limit of file sizes (ulimit -f)"),
                                                 ("no_more_files", "Too many open files", "a higher limit of open files (ulimit -n)")])
def test_results_that_cannot_be_written_are_told_once_and_end_nothing(mpi, way, reason, remedy, tmp_path):
    """With --out the folder is there from MPI_Init on; without it is made when the first tool writes."""
    bare = run(*mpi.mpirun(1), mpi.program("ways"), way)
    tools = ["profile=table:off", "comm=table:off", "profile=table:off"]
    for out, text in ((tmp_path / "out", rf"warning: tool 'profile': '{tmp_path}/out/report.txt' cannot be written"),
                      (None, rf"error: results cannot be written to '{tmp_path}/cairn-ways-[0-9-]*'")):
        under = run_stacked(mpi, 1, tools, mpi.program("ways"), way, out=out, cwd=tmp_path)
        shown = [[line for line in done.out.splitlines() if " UCX " not in line] for done in (bare, under)]  # tells the time
        assert under.code == bare.code and shown[0] == shown[1]
        asked = f"cairn:   asked for by: --tools {','.join(tools)}\n" if out else ""
        lines = "".join(line for line in under.err.splitlines(keepends=True) if line.startswith("cairn:"))
        assert re.fullmatch(f"cairn: {text}: {reason}\n" + re.escape(f"{asked}cairn:   try: {remedy}\n"), lines), lines
    assert not list(tmp_path.rglob("*.new")) and not list(tmp_path.rglob("*rank*"))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


@pytest.mark.parametrize("way", ["small_files", "outgrows", "ignored"])
def test_a_limit_of_file_sizes_changes_no_end_under_any_tool(mpi, way, tmp_path):
    """One that the program sets for itself, after which it lives on or ends by SIGXFSZ, and one from its start on, for which the
    run's folder is too much. `where` writes no results, and `usage` not there."""
    if (mpi.id, way) == ("mpich", "ignored"):
        pytest.skip("MPICH's own memory is a file that is larger")
    limited = ["sh", "-c", 'ulimit -f 0; exec "$@"', "sh"] if way == "ignored" else []

    def shown(done):
        return done.code, [line for line in plain(done.out).splitlines() if " UCX " not in line]

    def under(tools):
        folder = tmp_path / f"{len(tools)}-{tools[0].split('=')[0]}"
        run_words = [CAIRN, "run", "--tools", ",".join(words_of(folder, tools)), "--out", folder / "out", "--"]
        return run_with_last_words(*mpi.mpirun(1), *limited, *run_words, mpi.program("ways"), way, anew=folder / "out", CAIRN_PAGES=folder / "pages")

    bare = run_with_last_words(*mpi.mpirun(1), *limited, mpi.program("ways"), way)
    stacks = [[tool] for tool in TOOLS] + [TOOLS]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = dict(zip(map(",".join, stacks), pool.map(under, stacks)))
    assert {tools: shown(done) for tools, done in results.items()} == {tools: shown(bare) for tools in results}
    told = {tools: len(re.findall("/out['/].*: File too large", done.err)) for tools, done in results.items()}
    assert told == {tools: int(bool(limited) or not tools.startswith(("where", "usage"))) for tools in results}
