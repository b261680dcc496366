# SPDX-License-Identifier: BSD-3-Clause
# test_hangs.py - each class of hang is told, by the job itself and by `cairn where`, and nothing is said of programs that are well.

import re
import time

from cairn_testing import *

# By kind: what the finding is, and what it says for 2 and 8 ranks; {last} is the last rank.
VERDICTS = {
    "deadlock": ("deadlock", r"ranks 0-1 wait for each other: rank 0 waits in MPI_Recv \(hang.c:\d+ deadlock\) for a message with tag 3 "
                             r"from rank 1; rank 1 waits in MPI_Recv \(hang.c:\d+ deadlock\) for a message with tag 3 from rank 0"),
    "missing": ("missing", r"ranks? 0(-\d)? waits? in MPI_Barrier \(hang.c:\d+ missing\), collective call 1 on MPI_COMM_WORLD, to which rank "
                           r"{last} does not come: rank {last} is in MPI_Finalize \(hang.c:\d+ main\)"),
    "function": ("other function", r"collective call 1 on MPI_COMM_WORLD is not the same function everywhere: .*rank {last} in MPI_Barrier "
                                   r"\(hang.c:\d+ function\)"),
    "duplicate": ("other function", r"collective call 1 on a communicator of {size} ranks is not the same function everywhere: .*rank {last} in "
                                    r"MPI_Barrier \(hang.c:\d+ duplicate\)"),
    "root": ("other root", r"collective call 1 on MPI_COMM_WORLD, MPI_Bcast, has not the same root everywhere: .*rank {last} with root {last} "
                           r"\(hang.c:\d+ root\)"),
    "tag": ("other tag", r"rank 1 waits in MPI_Recv \(hang.c:\d+ tag\) for a message with tag 8 from rank 0; rank 0 has sent it one with "
                         r"tag 7 that nobody receives: MPI_Send \(hang.c:\d+ tag\)"),
    "finished": ("ended", r"rank 0 waits in MPI_Recv \(hang.c:\d+ finished\) for a message with tag 5 from rank {last}; rank {last} is in "
                          r"MPI_Finalize \(hang.c:\d+ main\)"),
    "ring": ("deadlock", r"ranks 0-{last} wait for each other: rank 0 waits in MPI_Ssend \(hang.c:\d+ ring\) for rank 1 to receive a "
                         r"message with tag 2"),
    "fence": ("missing", r"rank 0 waits in MPI_Win_free \(hang.c:\d+ fence\), collective call 3 on a window of 2 ranks, to which rank 1 does "
                         r"not come: rank 1 is in MPI_Finalize \(hang.c:\d+ main\)"),
    "post": ("deadlock", r"ranks 0-1 wait for each other: rank 0 waits in MPI_Win_(start|complete) \(hang.c:\d+ post\) for rank 1; rank 1 "
                         r"waits in MPI_Barrier \(hang.c:\d+ post\) for rank 0"),
    "poll": ("deadlock", r"rank 0 waits in MPI_Iprobe \(hang.c:\d+ poll\) for a message with tag 9 from rank {last}; rank {last} waits in "
                         r"MPI_Barrier \(hang.c:\d+ poll\) for rank 0"),
}


def hang(mpi, tmp_path, kind, ranks, options="", timeout=100, tools="", **env):
    return run(*mpi.mpirun(ranks), CAIRN, "run", "--tools", f"{tools}where{options}", "--out", tmp_path / "out", BUILD / "examples" / mpi.id / "hang",
               kind, timeout=timeout, CAIRN_PAGES=tmp_path / "pages", **env)


def hang_and_be_ended(mpi, tmp_path, kind, ranks):
    """The same, where ranks are in MPI_Finalize: Open MPI 4.1.4's mpirun hangs or crashes now and then when one of these ends, bare as
    well. So the job only tells, and is ended from outside."""
    with open(tmp_path / "err", "w") as err:
        job = subprocess.Popen([*mpi.mpirun(ranks), CAIRN, "run", "--tools", "where=hang:1s", "--out", str(tmp_path / "out"),
                                str(BUILD / "examples" / mpi.id / "hang"), kind], env=environment(CAIRN_PAGES=tmp_path / "pages"),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=err)
    try:
        for _ in range(600):  # the launcher must have passed on what is told, too
            if (tmp_path / "out" / "where.json").exists() and "does not move" in (tmp_path / "err").read_text():
                break
            time.sleep(0.1)
    finally:
        job.kill()  # its ranks follow it
        job.wait(timeout=60)
    return (tmp_path / "err").read_text()


def check_verdict(text, findings, kind, ranks):
    what, sentence = VERDICTS[kind]
    assert findings and findings[0]["kind"] == what, text
    assert re.search(sentence.replace("{last}", str(ranks - 1)).replace("{size}", str(ranks)), findings[0]["text"]), findings


# How many ranks: 2 and 8, but for these.
RANKS = {"fence": [2], "post": [2], "duplicate": [2], "root": [2, 64], "ring": [2, 64]}


@pytest.mark.parametrize("kind, ranks", [(kind, ranks) for kind in VERDICTS for ranks in RANKS.get(kind, [2, 8])])
def test_the_job_tells_what_keeps_it_and_ends(mpi, tmp_path, kind, ranks):
    if kind in ("missing", "finished", "fence"):
        err = hang_and_be_ended(mpi, tmp_path, kind, ranks)
    else:
        done = hang(mpi, tmp_path, kind, ranks, "=hang:1s:end:on")
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


def test_an_endless_loop_is_told_after_ten_times_the_time(mpi, tmp_path):
    done = hang(mpi, tmp_path, "loop", 3, "=hang:500ms:end:on")
    assert "\nwaiting: nothing has happened for " in done.err
    assert re.search(r"  - rank 2 has been outside MPI for \S+ s, running; its last call was MPI_Init \(hang.c:\d+ main\); ranks 0-1 wait in "
                     r"MPI_Barrier \(hang.c:\d+ loop\) for it\n", done.err), done.err


@pytest.mark.parametrize("kind", ["slow", "fine"])
def test_nothing_is_said_of_a_program_that_is_well(mpi, tmp_path, kind):
    done = hang(mpi, tmp_path, kind, 3, "=hang:1s:end:on")
    assert (done.code, done.out, done.err) == (0, "", "")
    assert list((tmp_path / "pages").iterdir()) == []


def test_a_killed_rank_is_told_afterwards(mpi, tmp_path):
    # Open MPI asks the others to end, and kills them if they have not after a second, which is little on a loaded machine.
    done = hang(mpi, tmp_path, "killed", 3, OMPI_MCA_odls_base_sigkill_timeout=30)
    assert done.code != 0
    told = run(CAIRN, "where", tmp_path / "out", CAIRN_PAGES=tmp_path / "pages")
    assert told.code == 1
    assert told.out.split("\n")[1] == "died"
    if mpi.id == "openmpi":  # Hydra kills the others at once
        assert re.search(r"  - rank 2 was killed without warning \(SIGKILL: by hand, the scheduler, or for want of memory\); its last call was "
                         r"MPI_Init \(hang.c:\d+ main\); it was the first of 3 to end\n", told.out), told.out
    else:
        assert ("  - ranks 0-2 were killed without warning (SIGKILL: by hand, the scheduler, or for want of memory); which was first is "
                "unknown\n") in told.out
    fine = hang(mpi, tmp_path, "fine", 2)  # the next run clears away what the dead have left, into their results
    assert fine.code == 0 and list((tmp_path / "pages").iterdir()) == []
    earlier = next((tmp_path / "out").glob("run-*"))
    assert len(list((earlier / "pages").iterdir())) == 3
    assert run(CAIRN, "where", earlier, CAIRN_PAGES=tmp_path / "pages").out.split("\n")[1] == "died"
