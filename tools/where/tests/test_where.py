# SPDX-License-Identifier: BSD-3-Clause
# test_where.py - `cairn where` beside a running job, and where there is none.

import contextlib
import ctypes
import os
import re
import signal
import time

from cairn_testing import *


@contextlib.contextmanager
def running(mpi, tmp_path, kind, ranks=3, tools="where"):
    """A job that hangs; ended afterwards."""
    job = subprocess.Popen([*mpi.mpirun(ranks, patient=True), CAIRN, "run", "--tools", tools, "--out", str(tmp_path / "out"),
                            str(BUILD / "examples" / mpi.id / "hang"), kind], env=environment(CAIRN_PAGES=tmp_path / "pages"),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield job
    finally:
        job.send_signal(signal.SIGTERM)
        job.wait(timeout=60)


def where(tmp_path, *words, **more):
    return run(CAIRN, "where", *words, CAIRN_PAGES=tmp_path / "pages", **more)


def wait_for(tmp_path, text, *words):
    """The answer as soon as it has the text; the job may just be starting."""
    for _ in range(300):
        told = where(tmp_path, *words)
        if text in told.out:
            return told
        time.sleep(0.1)
    pytest.fail(f"never told: {text}\n{told.out}{told.err}")


def test_a_job_is_found_by_nothing_by_its_folder_and_by_its_run(mpi, tmp_path):
    with running(mpi, tmp_path, "missing"):
        told = wait_for(tmp_path, "stuck: ")
        assert told.code == 1
        first = told.out.split("\n")[0]
        run_name = first.split(" ")[-1]
        assert first.startswith("hang, 3 ranks on ") and f", run {run_name}" in first
        for name in (tmp_path / "out", run_name, run_name[:6]):
            assert where(tmp_path, name).out.split("\n")[0] == first
        as_json = json.loads(where(tmp_path, "--json", "-").out)
        assert (as_json["state"], as_json["run"]) == ("stuck", run_name)
        assert as_json["findings"][0]["ranks"] == "2"
        other = where(tmp_path, "xyz")
        assert (other.code, other.err) == (125, "cairn: error: none of your jobs on this node has a name that begins with 'xyz'\n"
                                           "cairn:   asked for by: 'xyz'\n"
                                           "cairn:   try: 'cairn where' for those that run; jobs of other users cannot be read\n")


@pytest.mark.parametrize("tools", ["where", "profile=table:off,where"])
def test_those_that_wait_are_shown_with_the_calls_that_led_there(mpi, tmp_path, tools):
    with running(mpi, tmp_path, "deadlock", 2, tools):
        told = wait_for(tmp_path, "ranks 0-1  MPI_Recv").out  # both may have been stuck in MPI_Init, on a busy machine
        assert re.search(r"\n  ranks 0-1 .* at hang\.c:\d+ deadlock, for .*\n +called \(rank 0\) from hang\.c:\d+ main\n", told), told
        groups = {group["ranks"]: group for group in json.loads(where(tmp_path, "--json", "-").out)["groups"]}
        assert groups["0-1"]["callers_of"] == 0
        assert [re.sub(r"\d+", "N", caller) for caller in groups["0-1"]["callers"]] == ["hang.c:N main"]


def test_what_a_rank_outside_mpi_waits_for_is_shown_as_far_as_it_can_be_read(mpi, tmp_path):
    with running(mpi, tmp_path, "asleep", 2):
        wait_for(tmp_path, "\n  rank 1  outside MPI, last MPI_Init")  # on a busy machine all wait in MPI_Init before
        told = wait_for(tmp_path, "\nwaiting: ").out
        assert re.search(r"\n  rank 1  outside MPI, last MPI_Init at hang\.c:\d+ main, for .*\n +is in .*hang\.c:\d+ asleep", told), told
        groups = {group["ranks"]: group for group in json.loads(where(tmp_path, "--json", "-").out)["groups"]}
        assert groups["1"]["state"] == "outside MPI" and any("asleep" in caller for caller in groups["1"]["callers"])


def test_patience_tells_what_counts_as_waiting(mpi, tmp_path):
    with running(mpi, tmp_path, "deadlock", 2):
        wait_for(tmp_path, "stuck: ", "--patience", "0.5")
        told = where(tmp_path, "--patience", "1000")
        assert told.code == 0 and told.out.split("\n")[1].startswith("moving: ")


def test_watching_shows_the_job_again_and_again_until_it_is_over(mpi, tmp_path):
    with running(mpi, tmp_path, "deadlock", 2) as job:
        wait_for(tmp_path, "stuck: ")
        watch = subprocess.Popen([CAIRN, "where", "--watch", "--every", "0.1"], env=environment(CAIRN_PAGES=tmp_path / "pages"), text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        seen = [line for line, _ in zip((line for line in watch.stdout if line.startswith("hang, 2 ranks on ")), range(3))]
        job.send_signal(signal.SIGTERM)
        rest, _ = watch.communicate(timeout=60)
    assert len(seen) == 3 and watch.returncode == 1
    assert rest.rsplit("hang, 2 ranks on ", 1)[1].split("\n")[1] == "died", rest


def run_on_other_nodes(tmp_path, agent):
    """The folder of a run that was on other nodes, and what its launcher starts commands with."""
    (tmp_path / "agent").write_text("#!/bin/sh\n" + agent)
    (tmp_path / "agent").chmod(0o755)
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text(json.dumps({"run": "00aa", "nodes": {"far": "0"}, "launcher": f"agent {tmp_path}/agent"}))
    return tmp_path / "run"


def test_a_node_has_as_long_to_answer_as_is_said(tmp_path):
    told = where(tmp_path, run_on_other_nodes(tmp_path, "exec sleep 100\n"), "--timeout", "0.5")
    assert told.code == 125
    assert told.err.startswith("cairn: warning: node 'far' (rank 0) is not seen: no answer within 0.5 s\n"), told.err


def test_more_nodes_are_asked_if_they_are_named(tmp_path):
    told = where(tmp_path, run_on_other_nodes(tmp_path, f'echo "$1" >>{tmp_path}/asked\nexit 1\n'), "--nodes", "near,nearer")
    assert told.code == 125
    assert sorted((tmp_path / "asked").read_text().split()) == ["far", "near", "nearer"]


def test_without_a_job_it_says_what_to_do(tmp_path):
    told = where(tmp_path)
    assert (told.code, told.err) == (125, f"cairn: error: none of your jobs on this node records its calls in '{tmp_path}/pages'\n"
                                     "cairn:   try: a job started with 'cairn run --tools where'\n")
    told = where(tmp_path, tmp_path)
    assert (told.code, told.err) == (125, f"cairn: error: the run of '{tmp_path}' left no pages: it ended well, did not record its calls, or "
                                     f"runs on other nodes\ncairn:   asked for by: '{tmp_path}'\n"
                                     "cairn:   try: a job started with 'cairn run --tools where'\n")


def test_a_word_with_a_slash_is_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    for name, why in (("missing", ": No such file or directory"), ("file", " is not a folder")):
        told = where(tmp_path, tmp_path / name)
        assert (told.code, told.err) == (125, f"cairn: error: no run: '{tmp_path / name}'{why}\n"
                                         f"cairn:   asked for by: '{tmp_path / name}'\n"
                                         "cairn:   try: the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME\n")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_what_another_users_folder_names_as_agent_is_not_started(tmp_path):
    folder = run_on_other_nodes(tmp_path, f": >{tmp_path}/started\n")
    assert where(tmp_path, folder).code == 125 and (tmp_path / "started").exists()
    (tmp_path / "started").unlink()
    os.chown(folder, 65534, 65534)
    assert where(tmp_path, folder).code == 125 and not (tmp_path / "started").exists()


def test_a_page_that_is_none_is_told_and_left(tmp_path):
    (tmp_path / "pages").mkdir(mode=0o700)
    (tmp_path / "pages" / "1-1.page").write_text("nothing of ours")
    told = where(tmp_path)
    assert told.code == 125
    assert told.err.startswith(f"cairn: warning: '{tmp_path}/pages/1-1.page' is not a page of Cairn's recorder\n")


def test_a_folder_that_others_can_read_is_not_used(mpi, tmp_path):
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages").chmod(0o755)
    done = run_stacked(mpi, 2, ["where"], mpi.program("ring_c"), out=tmp_path / "out", CAIRN_PAGES=tmp_path / "pages")
    bare = run(*mpi.mpirun(2), mpi.program("ring_c"))
    assert (done.code, done.out) == (0, bare.out)
    assert done.err == ("cairn: warning: tool 'cairn.recorder': other processes cannot read this job's calls: folder "
                        f"'{tmp_path}/pages' is open to other users\n"
                        "cairn:   asked for by: --tools where\n")


@pytest.mark.parametrize("size, fill", [("64k", "true"), ("16m", "cat /dev/zero > filler")], ids=["small", "full"])
def test_a_full_file_system_is_told_and_the_program_runs_on(mpi, size, fill, tmp_path):
    shield = ["unshare", "--mount", "--map-root-user", "sh", "-c",
              f'mount -t tmpfs -o size={size},mode=0700 none {tmp_path}/small && {{ (cd {tmp_path}/small; {fill} 2>/dev/null); exec "$@"; }}', "sh"]
    (tmp_path / "small").mkdir()
    if subprocess.run([*shield, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    done = run(*shield, *mpi.mpirun(2), CAIRN, "run", "--tools", "where", "--out", tmp_path / "out", mpi.program("ring_c"),
               CAIRN_PAGES=tmp_path / "small")
    assert (done.code, done.out) == (0, run(*mpi.mpirun(2), mpi.program("ring_c")).out)
    assert done.err == ("cairn: warning: tool 'cairn.recorder': other processes cannot read this job's calls: no room in "
                        f"'{tmp_path}/small': No space left on device\n"
                        "cairn:   asked for by: --tools where\n")


def test_a_small_memory_of_the_node_is_left_to_the_library(mpi, tmp_path):
    """As in a container: the ranks together take an eighth of it, so that MPI_Init has what it needs."""
    shield = ["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs -o size=32m,mode=1777 none /dev/shm && exec "$@"', "sh"]
    if subprocess.run([*shield, "true"], capture_output=True).returncode != 0:
        pytest.skip("no mount namespaces here")
    program = [*mpi.mpirun(4), *(["--mca", "btl_vader_segment_size", "1000000"] if mpi.id == "openmpi" else [])]
    bare = run(*shield, *program, mpi.program("ring_c"))
    done = run(*shield, *program, CAIRN, "run", "--tools", "waits=table:off,trace,where,comm=table:off", "--out", tmp_path / "out", mpi.program("ring_c"))
    assert (done.code, done.out) == (bare.code, bare.out) == (0, bare.out), done.err
    assert re.fullmatch("cairn: warning: tool 'cairn.recorder': other processes cannot read the calls of some threads: no room in '/dev/shm/[^']+'\n"
                        "cairn:   asked for by: --tools waits=table:off,trace,where,comm=table:off\n", done.err), done.err
    assert json.loads((tmp_path / "out/waits.json").read_text())["coverage"]["matched"] == 40


def test_ending_jobs_needs_a_time_after_which_they_hang(mpi, tmp_path):
    done = run_stacked(mpi, 2, ("where=end:on",), mpi.program("ring_c"), CAIRN_PAGES=tmp_path / "pages")
    assert done.code == 0
    assert done.err.startswith("cairn: warning: tool 'where': end: only jobs that hang are ended, as in where=hang:60s:end\n")


def test_after_a_program_has_been_compiled_again_its_new_lines_are_given(tmp_path):
    """To one who asks all the time, as `cairn live` does."""
    class Place(ctypes.Structure):
        _fields_ = [("function", ctypes.c_char_p), ("file", ctypes.c_char_p), ("line", ctypes.c_int)]

    class Symbols(ctypes.Structure):
        _fields_ = [("find", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint64, ctypes.POINTER(Place)))]

    symbols = Symbols.in_dll(ctypes.CDLL(BUILD / "lib" / "cairn" / "libcairn-symbols.so"), "cairn_symbols")
    for lines in (0, 5):
        (tmp_path / "f.c").write_text("\n" * lines + "int f(void) { return 1; }\n")
        assert run("gcc", "-g", "-shared", "-fPIC", tmp_path / "f.c", "-o", tmp_path / "f.so").code == 0
        address = int(re.search(r"(\w+) T f\n", run("nm", tmp_path / "f.so").out)[1], 16)
        place = Place()
        assert symbols.find(str(tmp_path / "f.so").encode(), address, ctypes.byref(place)) == 0
        assert (place.function, place.line) == (b"f", lines + 1)


def test_time_for_which_the_job_was_stopped_does_not_count(mpi, tmp_path):
    told = tmp_path / "out" / "where.json"
    with running(mpi, tmp_path, "loop", 3, "where=hang:800ms:end:on") as job:  # which is told after 8 s
        wait_for(tmp_path, "MPI_Barrier")
        ranks = [pid for pid, doing in descendants(job.pid).items() if doing.startswith("hang ")]
        assert len(ranks) == 3
        for pid in ranks:
            os.kill(pid, signal.SIGSTOP)
        time.sleep(9)
        for pid in ranks:
            os.kill(pid, signal.SIGCONT)
        time.sleep(1)
        assert not told.exists()
        for _ in range(600):
            if told.exists():
                break
            time.sleep(0.1)
        assert "outside MPI for" in told.read_text()
