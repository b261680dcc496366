# SPDX-License-Identifier: BSD-3-Clause
# test_gathering.py - ranks that cannot bring their results to rank 0: without memory, or as another user.

import tempfile

from cairn_testing import *


def forgetful(mpi, folder, when, rank, ranks=4):
    done = run_stacked(mpi, ranks, [f"{mpi.tool('forgetful')}=when:{when}:rank:{rank}"], mpi.program("ring_c"), out=folder, timeout=60)
    assert done.code == 0
    found = folder / "forgetful.txt"
    return found.read_text() if found.exists() else None, done.err


def test_ranks_give_figures_of_any_number(mpi, tmp_path):
    assert forgetful(mpi, tmp_path, "never", 0) == ("4 6 4002 3 100 0123", "")


@pytest.mark.parametrize("rank", range(4))
def test_a_rank_without_memory_says_so_and_the_others_go_on(mpi, rank, tmp_path):
    others = [one for one in range(4) if one != rank]
    found, err = forgetful(mpi, tmp_path, "before", rank)
    assert found == f"3 {sum(others)} {sum(others) + 3 * 999} {max(others)} {100 + min(others)} {''.join(map(str, others))}"
    assert err.startswith(f"cairn: warning: tool '{mpi.tool('forgetful')}': its results are without rank {rank}: out of memory there\n")


@pytest.mark.parametrize("when, rank, merged", [("pack", 3, "012"), ("pack", 2, "01"), ("merge", 2, "012"), ("merge", 0, "0")])
def test_memory_that_is_out_while_results_meet_costs_some_of_them(mpi, when, rank, merged, tmp_path):
    found, err = forgetful(mpi, tmp_path, when, rank)
    assert found == f"4 6 4002 3 100 {merged}"
    assert "its results are incomplete: some ranks ran out of memory while gathering them\n" in err


def test_memory_that_is_out_when_results_are_written_loses_them_and_the_user_is_told(mpi, tmp_path):
    found, err = forgetful(mpi, tmp_path, "write", 0)
    assert found is None
    assert err.startswith(f"cairn: warning: tool '{mpi.tool('forgetful')}': its results are lost: out of memory where they are put together\n")


TOOLS = "profile=table:off,comm=table:off,vars=table:off"
RESULTS = {"profile.json", "vars.json", "comm/comm.json"}
PARTS = {f"{name}{rank}.json" for name in ("profile.rank-", "vars.rank-", "comm/rank.") for rank in range(2)}


def constrained(mpi, *what, tools=TOOLS, **env):
    """What is left in a folder that anybody may write into; pytest's are its user's only."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="cairn-gathering.")) / "out"
    folder.mkdir()
    for one in (folder, folder.parent):
        one.chmod(0o777)
    bare = run(*mpi.mpirun(2), mpi.program("constrained"), *what, timeout=60)
    done = run_stacked(mpi, 2, tools.split(","), mpi.program("constrained"), *what, out=folder, run=run_to_the_last, timeout=60, **env)
    assert (done.code, bare.code) == (5, 5), done.err
    found = {str(path.relative_to(folder)) for path in folder.rglob("*.json")}
    run_identity = json.loads((folder / "run.json").read_text())["run"]
    assert not pathlib.Path(f"/dev/shm/cairn-{run_identity}").exists()
    report = run(CAIRN, "report", folder)
    shutil.rmtree(folder.parent)
    return done.err, found & (RESULTS | PARTS), report.out, report.err.replace(str(folder), "OUT")


def told(rank, why, reason):
    """Of all ranks the first speaks; it is the one that cannot, or hears of another."""
    return f"cairn: warning: tool 'profile': no tool gathers results: {why}{' on some ranks' if rank == 1 else ''}, and {reason}; " \
           "each rank writes its part\n"


@pytest.mark.parametrize("rank", [None, 0, 1], ids=["all", "first", "last"])
def test_without_memory_the_exit_code_is_the_programs(mpi, rank):
    err, found, *_ = constrained(mpi, "memory", *([] if rank is None else [rank]))
    words = told(rank, "the program has reached its limit of memory", "MPICH crashes without any")
    assert (words in err, found) == ((False, RESULTS) if mpi.id == "openmpi" else (True, PARTS)), err


@pytest.mark.parametrize("has_room", [False, True], ids=["private", "published"])
def test_a_program_that_lives_on_without_memory_has_its_results(mpi, has_room, tmp_path):
    """`profile` has no room for new places then, but for what is left of memory that others can read, or of MPICH's own."""
    err, found, *_ = constrained(mpi, "while", tools=TOOLS.replace("profile=table:off", "profile") + ",trace",
                                CAIRN_PAGES=tmp_path / "pages" if has_room else "/proc/none")
    assert found == RESULTS
    if has_room or mpi.id == "openmpi":
        assert ("\n  8 calls from new places are missing: out of memory\n" in err) != has_room


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("rank", [None, 0, 1], ids=["all", "first", "last"])
def test_a_program_that_becomes_another_user_leaves_parts(mpi, rank):
    err, found, report, warnings = constrained(mpi, "user", *([] if rank is None else [rank]), tools=TOOLS + ",waits=table:off")
    assert found == PARTS, err
    assert told(rank, "the program changed its user or group after MPI started", "other users cannot use MPI's shared memory") in err
    assert report.count("MPI_Finalize without gathering  ended rank 0") >= 1
    why = "the ranks could not gather their results when MPI ended"
    parts = [f"cairn: warning: 'OUT/{name}.json' is missing: {why}; the report shows what 2 ranks left\n"
             "cairn:   try: the warning of the run itself, which tells why\n" for name in ("profile", "vars")]
    assert warnings == (parts[0] + "cairn: warning: 'OUT/comm' has snapshots of 2 ranks, not the results of the whole run\n" + parts[1] +
                        f"cairn: warning: 'OUT/waits.json' is missing: {why}; what 2 ranks left is analysed instead\n")


@pytest.mark.parametrize("rank", [None, 0, 1], ids=["all", "first", "last"])
def test_a_program_whose_first_thread_has_ended_leaves_parts(mpi, rank):
    """What stands for the process in /proc is that thread: libraries read large messages by its number, which end the program then."""
    err, found, report, _ = constrained(mpi, "thread", *([] if rank is None else [rank]), tools=TOOLS + ",waits=table:off")
    assert found == PARTS, err
    assert told(rank, "the program's first thread has ended", "other processes cannot read the memory of such a program") in err
    assert report.count("MPI_Finalize without gathering  ended rank 0") >= 1
