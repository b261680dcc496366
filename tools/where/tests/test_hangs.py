# SPDX-License-Identifier: BSD-3-Clause
# test_hangs.py - each class of hang is told, by the job itself and by `cairn where`, and nothing is said of programs that are well.

import re
import time

from cairn_testing import *

# By kind: what the finding is, and what it says for 2 and 8 ranks; {last} is the last rank.
VERDICTS = {
    "deadlock": ("deadlock", r"ranks 0-1 wait for each other: rank 0 waits in MPI_Recv \(hang.c:\d+ deadlock\) for a message with tag 3 "
                             r"from rank 1; rank 1 waits in MPI_Recv \(hang.c:\d+ deadlock\) for a message with tag 3 from rank 0"),
    "missing": ("missing", r"ranks? 0(-\d)? waits? in MPI_Barrier \(hang.c:\d+ missing\), collective call 1 on MPI_COMM_WORLD, which rank "
                           r"{last} never reaches: rank {last} is in MPI_Finalize \(hang.c:\d+ main\)"),
    "function": ("other function", r"collective call 1 on MPI_COMM_WORLD is not the same function everywhere: .*rank {last} in MPI_Barrier "
                                   r"\(hang.c:\d+ function\)"),
    "duplicate": ("other function", r"collective call 1 on a communicator of {size} ranks is not the same function everywhere: .*rank {last} in "
                                    r"MPI_Barrier \(hang.c:\d+ duplicate\)"),
    "root": ("other root", r"collective call 1 on MPI_COMM_WORLD, MPI_Bcast, does not have the same root everywhere: .*rank {last} with root {last} "
                           r"\(hang.c:\d+ root\)"),
    "tag": ("other tag", r"rank 1 waits in MPI_Recv \(hang.c:\d+ tag\) for a message with tag 8 from rank 0; rank 0 has sent it one with "
                         r"tag 7 that nobody receives: MPI_Send \(hang.c:\d+ tag\)"),
    "finished": ("ended", r"rank 0 waits in MPI_Recv \(hang.c:\d+ finished\) for a message with tag 5 from rank {last}; rank {last} is in "
                          r"MPI_Finalize \(hang.c:\d+ main\)"),
    "ring": ("deadlock", r"ranks 0-{last} wait for each other: rank 0 waits in MPI_Ssend \(hang.c:\d+ ring\) for rank 1 to receive a "
                         r"message with tag 2"),
    "fence": ("missing", r"rank 0 waits in MPI_Win_free \(hang.c:\d+ fence\), collective call 3 on a window of 2 ranks, which rank 1 never "
                         r"reaches: rank 1 is in MPI_Finalize \(hang.c:\d+ main\)"),
    "post": ("deadlock", r"ranks 0-1 wait for each other: rank 0 waits in MPI_Win_(start|complete) \(hang.c:\d+ post\) for rank 1; rank 1 "
                         r"waits in MPI_Barrier \(hang.c:\d+ post\) for rank 0"),
    "complete": ("deadlock", r"ranks 0-1 wait for each other: rank 0 waits in MPI_Win_wait \(hang.c:\d+ complete\) for rank 1; rank 1 waits in "
                             r"MPI_Barrier \(hang.c:\d+ complete\) for rank 0"),
    "count": ("other count", r"collective call 1 on MPI_COMM_WORLD, MPI_Allreduce, does not have the same amount everywhere: .*rank {last} with 1024 B "
                             r"\(hang.c:\d+ count\)"),
    "poll": ("deadlock", r"rank 0 waits in MPI_Iprobe \(hang.c:\d+ poll\) for a message with tag 9 from rank {last}; rank {last} waits in "
                         r"MPI_Barrier \(hang.c:\d+ poll\) for rank 0"),
}


# MPICH 4.0.2 finds that a message is cut, and ends the job.
ENDS = {("mpich", "count")}


def hang(mpi, tmp_path, kind, ranks, options="", timeout=100, tools="", through=(), **env):
    return run(*mpi.mpirun(ranks, patient=kind in VERDICTS), *through, CAIRN, "run", "--tools", f"{tools}where{options}", "--out", tmp_path / "out", BUILD / "examples" / mpi.id / "hang",
               kind, timeout=timeout, CAIRN_PAGES=tmp_path / "pages", **env)


def hang_and_be_ended(mpi, tmp_path, kind, ranks, options="=hang:1s", title="does not move", json_comes=True, through=()):
    """The same, where ranks are in MPI_Finalize: Open MPI 4.1.4's mpirun hangs or crashes now and then when one of these ends, bare as
    well. So the job only tells, and is ended from outside."""
    with open(tmp_path / "err", "w") as err:
        job = subprocess.Popen([*mpi.mpirun(ranks, patient=True), *through, CAIRN, "run", "--tools", f"where{options}", "--out", str(tmp_path / "out"),
                                str(BUILD / "examples" / mpi.id / "hang"), kind], env=environment(CAIRN_PAGES=tmp_path / "pages"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
    try:
        for _ in range(600):  # the launcher must have passed on what is told, too
            if (tmp_path / "out" / "where.json").exists() >= json_comes and title in (tmp_path / "err").read_text():
                break
            time.sleep(0.1)
        time.sleep(1)  # in which nothing must come after it
        assert job.poll() is None, (tmp_path / "err").read_text()
    finally:
        if json_comes:
            job.kill()  # its ranks follow it
        else:
            job.terminate()  # a rank that has not called MPI_Init would not
        job.wait(timeout=60)
    return (tmp_path / "err").read_text()


def check_verdict(text, findings, kind, ranks):
    what, sentence = VERDICTS[kind]
    assert findings and findings[0]["kind"] == what, text
    assert re.search(sentence.replace("{last}", str(ranks - 1)).replace("{size}", str(ranks)), findings[0]["text"]), findings


def check_that_the_cause_is_told_afterwards(mpi, tmp_path, kind, ranks):
    assert hang(mpi, tmp_path, kind, ranks).code != 0
    for _ in range(300):  # Hydra ends before all its ranks have
        seen = json.loads(run(CAIRN, "where", tmp_path / "out", "--json", "-", CAIRN_PAGES=tmp_path / "pages").out)
        if seen["state"] == "died":
            break
        time.sleep(0.1)
    assert (seen["state"], seen["findings"][0]["kind"]) == ("died", "death")
    check_verdict(seen, seen["findings"][1:], kind, ranks)


# How many ranks: 2 and 8, but for these.
RANKS = {"function": [2, 8, 64], "fence": [2], "post": [2], "complete": [2], "count": [3], "duplicate": [2], "root": [2, 64], "ring": [2, 64]}


@pytest.mark.parametrize("kind, ranks", [(kind, ranks) for kind in VERDICTS for ranks in RANKS.get(kind, [2, 8])])
def test_the_job_tells_what_keeps_it_and_ends(mpi, tmp_path, kind, ranks):
    if (mpi.id, kind) in ENDS:
        return check_that_the_cause_is_told_afterwards(mpi, tmp_path, kind, ranks)
    if kind in ("missing", "finished", "fence"):
        err = hang_and_be_ended(mpi, tmp_path, kind, ranks)
    else:
        done = hang(mpi, tmp_path, kind, ranks, "=hang:1s:end")
        err = done.err
        assert err.count("cairn: the job is ended: where=end:on\n") == 1
        assert done.code == (124 if mpi.id == "openmpi" else done.code) and done.code != 0
    assert err.count("cairn: this job does not move\n") == 1, err
    assert "\nstuck: all ranks wait, and nothing has happened for " in err
    seen = json.loads((tmp_path / "out" / "where.json").read_text())
    assert (seen["format"], seen["state"], seen["ranks"]) == ("cairn-where 1", "stuck", ranks)
    check_verdict(err, seen["findings"], kind, ranks)


def test_tools_above_change_nothing(mpi, tmp_path):
    done = hang(mpi, tmp_path, "tag", 4, "=hang:1s:end:on", tools="profile=table:off,comm=table:off,")
    check_verdict(done.err, json.loads((tmp_path / "out" / "where.json").read_text())["findings"], "tag", 4)


def test_an_endless_loop_is_told_after_ten_times_the_time_and_not_ended(mpi, tmp_path):
    err = hang_and_be_ended(mpi, tmp_path, "loop", 3, "=hang:500ms:end:on", "outside MPI for")
    assert re.search(r"^cairn: ranks wait for rank 2, which has been outside MPI for \S+ s\n", err, re.M), err
    assert "\nwaiting: nothing has happened for " in err and "is ended" not in err
    assert re.search(r"  - rank 2 has been outside MPI for \S+ s, running; its last call was MPI_Init \(hang.c:\d+ main\); ranks 0-1 wait in "
                     r"MPI_Barrier \(hang.c:\d+ loop\) for it\n", err), err


def test_who_keeps_a_lock_and_computes_is_told_after_ten_times_the_time(mpi, tmp_path):
    err = hang_and_be_ended(mpi, tmp_path, "lock", 3, "=hang:500ms:end:on", "outside MPI for")
    assert re.search(r"^cairn: ranks wait for rank 2, which has been outside MPI for \S+ s\n", err, re.M), err
    assert re.search(r"  - rank 2 has been outside MPI for \S+ s, running; its last call was MPI_Barrier \(hang.c:\d+ lock\); rank 0 waits in "
                     r"MPI_Barrier \(hang.c:\d+ lock\), rank 1 waits in MPI_Win_lock \(hang.c:\d+ lock\) for it\n", err), err


@pytest.mark.parametrize("kind, after_s, what, sentence", [
    ("late", 5, "busy", r"rank 1 \(process \d+, hang, sleeping\) has not called MPI_Init; ranks 0,2 wait in MPI_Init \(hang.c:\d+ main\) for it"),
    ("gone", 1, "missing", r"rank 1 never called MPI_Init, and its process is gone; ranks 0,2 wait in MPI_Init \(hang.c:\d+ main\) for it")])
@pytest.mark.parametrize("through", [(), ("sh", "-c", '"$@"; exit $?', "sh")], ids=["alone", "wrapped"])
def test_a_rank_that_does_not_come_to_the_start_is_named(mpi, tmp_path, kind, after_s, what, sentence, through):
    if kind == "late":  # it may come
        err = hang_and_be_ended(mpi, tmp_path, kind, 3, "=hang:500ms:end:on", "not recorded\n\n", False, through)
        assert "is ended" not in err and err.count("cairn: nothing has happened in this job for ") == 1
    else:
        done = hang(mpi, tmp_path, kind, 3, "=hang:500ms:end:on", through=through)
        err = done.err
        assert done.code != 0 and err.count("cairn: this job does not move\n") == 1
    if through:
        sentence = sentence.replace(", hang, ", ", sh, ")  # the launcher's own process
    assert re.search(f"  - {sentence}\n", err), err
    assert "\n  rank 1     not seen: before MPI_Init, on another node, or not recorded\n" in err
    assert float(re.search(r"nothing has happened for ([0-9.]+) s", err)[1]) >= after_s
    seen = json.loads((tmp_path / "out" / "where.json").read_text()) if (tmp_path / "out" / "where.json").exists() else None
    assert seen is None or (seen["findings"][0]["kind"], seen["unseen"]) == (what, "1")


def test_a_rank_whose_environment_is_unknown_is_not_taken_for_gone(mpi, tmp_path):
    done = hang(mpi, tmp_path, "hidden", 3, "=hang:1s:end:on")  # which would be told from 2 s on, and comes after 3
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("kind", ["slow", "reads", "fine"])
def test_nothing_is_said_of_a_program_that_is_well(mpi, tmp_path, kind):
    done = hang(mpi, tmp_path, kind, 3, "=hang:1s:end:on")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert list((tmp_path / "pages").iterdir()) == []


def test_an_open_request_far_back_in_an_array_is_found(mpi, tmp_path):
    """The first one, at the same place, was completed, and is not open any more."""
    done = run_stacked(mpi, 2, ["where=hang:1s:end"], mpi.program("far_request"), out=tmp_path / "out", timeout=60, CAIRN_PAGES=tmp_path / "pages")
    assert done.code != 0 and "the job is ended" in done.err
    assert re.search(r"ranks 0-1 wait for each other: rank 0 waits in MPI_Recv \(far_request.c:\d+ main\) for a message with tag 3 from rank 1; rank 1 waits in "
                     r"MPI_Waitall \(far_request.c:\d+ main\) for a message with tag 2 from rank 0 \(MPI_Irecv \(far_request.c:\d+ main\)\)\n", done.err), done.err
    assert "MPI_Waitall, 1 request not complete at far_request.c" in done.err, done.err


def test_who_still_watches_when_the_run_is_over_leaves_no_file(mpi, tmp_path):
    """The second `where` keeps the recorder below the tool that lingers: pages are gone while the first one looks."""
    done = hang(mpi, tmp_path, "fine", 2, tools=f"where=hang:500ms,{mpi.tool('lingers')},")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert list((tmp_path / "pages").iterdir()) == []


def test_a_killed_rank_is_told_afterwards(mpi, tmp_path):
    # Open MPI asks the others to end, and kills them if they have not after a second, which is little on a loaded machine.
    done = hang(mpi, tmp_path, "killed", 3, OMPI_MCA_odls_base_sigkill_timeout=6)
    assert done.code != 0
    told = run(CAIRN, "where", tmp_path / "out", CAIRN_PAGES=tmp_path / "pages")
    assert told.code == 1
    assert told.out.split("\n")[1] == "died"
    unknown = "  - ranks 0-2 were killed without warning (SIGKILL: by hand, by the scheduler, or out of memory); which was first is unknown\n"
    if mpi.id == "openmpi" or unknown not in told.out:  # Hydra kills the others at once, which may be before one has seen who was first
        assert re.search(r"  - rank 2 was killed without warning \(SIGKILL: by hand, by the scheduler, or out of memory\); its last call was "
                         r"MPI_Init \(hang.c:\d+ main\); it was the first of 3 to end\n", told.out), told.out
    fine = hang(mpi, tmp_path, "fine", 2)  # the next run clears away what the dead have left, into their results
    assert fine.code == 0 and list((tmp_path / "pages").iterdir()) == []
    earlier = next((tmp_path / "out").glob("run-*"))
    assert len(list((earlier / "pages").iterdir())) == 3
    assert run(CAIRN, "where", earlier, CAIRN_PAGES=tmp_path / "pages").out.split("\n")[1] == "died"
