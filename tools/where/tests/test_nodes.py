# SPDX-License-Identifier: BSD-3-Clause
# test_nodes.py - a job on two nodes, started by each MPI's own launcher: `cairn where` and the job itself see all of it.

import contextlib
import tempfile
import time

from cairn_testing import *

SCRIPT = pathlib.Path(__file__).with_name("two_nodes.sh")


@pytest.fixture(scope="module")
def nodes():
    """A folder with `agent HOST COMMAND`; the nodes are `here` and `there`."""
    missing = [program for program in ("unshare", "nsenter", "ip") if shutil.which(program) is None]
    if missing:
        pytest.skip("not installed: " + ", ".join(missing))
    with tempfile.TemporaryDirectory(prefix="cairn-nodes-") as name:
        folder = pathlib.Path(name)
        process = subprocess.Popen([SCRIPT, name], stdin=subprocess.DEVNULL)
        try:
            while not (folder / "ready").exists() and process.poll() is None:
                time.sleep(0.05)
            if process.poll() is not None:
                pytest.skip("no namespaces here: " + (folder / "problem").read_text().strip())
            yield folder
        finally:
            process.terminate()
            process.wait(timeout=20)


def launch(mpi, nodes):
    """The launcher's words: how it reaches nodes, which, how many ranks."""
    if mpi.id == "openmpi":
        return ["mpirun.openmpi", "--mca", "plm_rsh_agent", nodes / "agent", "--host", "here:2,there:2", "-n", 4]
    return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", nodes / "agent", "-hosts", "here:2,there:2", "-n", 4]


def on_node(nodes, host, *words):
    return [str(nodes / "agent"), host, "exec " + " ".join(str(word) for word in words)]


@contextlib.contextmanager
def running(mpi, nodes, tmp_path, kind, options=""):
    """A job whose launcher runs on `here`."""
    words = on_node(nodes, "here", *launch(mpi, nodes), CAIRN, "run", "--tools", "where" + options, "--out", tmp_path / "out",
                    BUILD / "examples" / mpi.id / "hang", kind)
    with open(tmp_path / "err", "w") as err:
        job = subprocess.Popen(words, env=environment(HYDRA_LAUNCHER_EXEC=nodes / "agent"), stdin=subprocess.DEVNULL, stdout=err, stderr=err)
    try:
        yield job
    finally:
        job.terminate()
        try:
            job.wait(timeout=10)
        except subprocess.TimeoutExpired:  # Hydra's mpiexec may hang when a rank on one of several nodes has ended
            job.kill()
            job.wait(timeout=60)


def where(nodes, *words):
    return run(*on_node(nodes, "here", CAIRN, "where", *words), timeout=60)


def test_all_nodes_are_seen_from_one_and_from_the_runs_folder(mpi, nodes, tmp_path):
    with running(mpi, nodes, tmp_path, "deadlock"):
        for _ in range(300):
            told = where(nodes)
            if "stuck: " in told.out:
                break
            time.sleep(0.1)
        assert told.out.startswith("hang, 4 ranks on 2 hosts, run "), told
        assert told.err == "" and told.code == 1
        assert "  ranks 0-3  MPI_Recv on MPI_COMM_WORLD at hang.c:" in told.out
        assert "  - ranks 0-1 wait for each other: rank 0 waits in MPI_Recv (hang.c:" in told.out
        recorded = json.loads((tmp_path / "out" / "run.json").read_text())
        assert (recorded["nodes"], recorded["launcher"]) == ({"here": "0-1", "there": "2-3"}, f"agent {nodes}/agent")
        from_outside = run(CAIRN, "where", tmp_path / "out", "--json", "-")
        seen = json.loads(from_outside.out)
        assert (seen["state"], seen.get("unseen")) == ("stuck", None)
        assert [group["ranks"] for group in seen["groups"]] == ["0-3"]
        (nodes / "there.up").unlink()
        try:
            told = where(nodes)
        finally:
            (nodes / "there.up").touch()
        assert told.out.split("\n")[1].startswith("waiting: ") and "\n  ranks 2-3  not seen: " in told.out
        assert told.err == ("cairn: warning: node 'there' (ranks 2-3) is not seen: no such host: there\n"
                            "cairn:   try: 'cairn where' on that node\n")


def test_the_job_tells_by_itself_what_keeps_it_on_other_nodes(mpi, nodes, tmp_path):
    with running(mpi, nodes, tmp_path, "tag", "=hang:1s:end:on"):
        for _ in range(300):
            if "cairn: the job is ended: where=end:on\n" in (tmp_path / "err").read_text() and (tmp_path / "out" / "where.json").exists():
                break
            time.sleep(0.1)
    seen = json.loads((tmp_path / "out" / "where.json").read_text())
    assert (seen["state"], seen.get("unseen"), seen["findings"][0]["kind"]) == ("stuck", None, "other tag")
    assert (tmp_path / "err").read_text().count("cairn: this job does not move\n") == 1
