# SPDX-License-Identifier: BSD-3-Clause
# test_nodes.py - a job on two nodes, started by each MPI's own launcher: `cairn where` and the job itself see all of it.

import contextlib
import time

from cairn_testing import *
from nodes_testing import ended, launch, on_node, two_nodes

@pytest.fixture(scope="module")
def nodes():
    with two_nodes() as folder:
        yield folder


@contextlib.contextmanager
def running(mpi, nodes, tmp_path, kind, options=""):
    """A job whose launcher runs on `here`."""
    words = on_node(nodes, "here", *launch(mpi, nodes), CAIRN, "run", "--tools", "where" + options, "--out", tmp_path / "out",
                    BUILD / "examples" / mpi.id / "hang", kind)
    with open(tmp_path / "err", "w") as err:
        job = subprocess.Popen(words, env=environment(HYDRA_LAUNCHER_EXEC=nodes / "agent"), stdin=subprocess.DEVNULL, stdout=err, stderr=err)
    with ended(job):
        yield job


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
