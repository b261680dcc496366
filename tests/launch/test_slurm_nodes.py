# SPDX-License-Identifier: BSD-3-Clause
# test_slurm_nodes.py - jobs of a real Slurm on two nodes, which are namespaces of this machine with a slurmd each.
#
# Of Open MPI: on nodes of namespaces, Debian's MPICH 4.0.2 often does not come back from MPI_Finalize, without Cairn too.

import re
import shlex
import time

from cairn_testing import *
from nodes_testing import ended, nodes_up, on_node
from test_slurm import CLUSTER, skip_without_slurm

OPENMPI = MPIS[0]
NODES = ("here", "third")  # `there` has process numbers of its own, by which its slurmd is not found


def there(nodes, words, **env):
    """Runs them on the node `here`."""
    variables = [f"{name}={value}" for name, value in env.items()]
    return on_node(nodes, "here", "env", *map(shlex.quote, map(str, [*variables, *words])))


@pytest.fixture(scope="module")
def slurm():
    skip_without_slurm()
    with nodes_up(3) as nodes:
        folder = nodes / "slurm"
        started = run(*there(nodes, [CLUSTER, "start", folder], SLURM_TEST_NODES=" ".join(NODES), SLURM_TEST_AGENT=nodes / "agent", SLURM_TEST_CPUS=2), timeout=90)
        try:
            assert started.code == 0, started.err
            yield nodes, re.fullmatch(r"export SLURM_CONF=(.*)\n", started.out).group(1)
        finally:
            if started.code == 0:
                stopped = run(*there(nodes, [CLUSTER, "stop", folder], SLURM_TEST_NODES=" ".join(NODES), SLURM_TEST_AGENT=nodes / "agent"), timeout=90)
                assert stopped.code == 0, stopped.err


def srun(slurm, *words):
    nodes, configuration = slurm
    return there(nodes, [CLUSTER.with_name("srun_on_nodes.sh"), "--quiet", "-N2", "-n4", "--overcommit", "--mpi=pmix", *words], SLURM_CONF=configuration)


def test_results_are_of_the_ranks_of_both_nodes(slurm, tmp_path):
    done = run(*srun(slurm, CAIRN, "run", "--tools", "profile=table:off,waits=table:off", "--out", tmp_path, OPENMPI.program("ring_c")), timeout=90)
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n"), done.err
    assert "cairn" not in done.err, done.err
    assert json.loads((tmp_path / "run.json").read_text())["nodes"] == {"here": "0-1", "third": "2-3"}
    assert read_profile(tmp_path)["MPI_Allreduce"]["calls"] == 4
    found = json.loads((tmp_path / "waits.json").read_text())
    assert (found["ranks"], found["coverage"]["missing_ranks"]) == (4, "")


def test_a_tool_that_one_node_lacks_is_told_once(slurm, tmp_path):
    """Shared memory is each node's own."""
    nodes, _ = slurm
    tool = BUILD / "tests" / "openmpi" / "counter.so"
    copied = run(*there(nodes, ["cp", tool, "/dev/shm/counter.so"]))
    assert copied.code == 0, copied.err
    done = run(*srun(slurm, CAIRN, "run", "--tools", "/dev/shm/counter.so,profile=table:off", "--out", tmp_path, OPENMPI.program("ring_c")), timeout=90)
    assert (done.code, done.out) == (0, "ok ring_c: 4 ranks, 10 rounds, rank sum 6, errors 0\n"), done.err
    assert done.err == ("cairn: warning: ranks 2-3 have no 'counter.so': its results are those of the other ranks\n"
                        "cairn:   asked for by: --tools /dev/shm/counter.so,profile=table:off\n"
                        "cairn:   try: the same tools in every part of the job, and 'cairn check' where some rank runs\n")
    assert read_profile(tmp_path)["MPI_Allreduce"]["calls"] == 4


def test_where_sees_both_nodes(slurm, tmp_path):
    nodes, configuration = slurm
    with ended(subprocess.Popen(srun(slurm, CAIRN, "run", "--tools", "where", "--out", tmp_path / "out", BUILD / "examples" / "openmpi" / "hang", "deadlock"),
                                env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)):
        for _ in range(200):
            number = run(*there(nodes, ["squeue", "--noheader", "--states=R", "--format=%A"], SLURM_CONF=configuration)).out.strip()
            told = run(*there(nodes, [CAIRN, "where", number], SLURM_CONF=configuration)) if number else None
            if told is not None and "stuck: " in told.out and "MPI_Recv" in told.out:
                break
            time.sleep(0.1)
        assert re.match(r"hang, 4 ranks on 2 hosts.*\nstuck: all ranks wait", told.out), told
        assert (told.code, told.err) == (1, "")
        run(*there(nodes, ["scancel", number], SLURM_CONF=configuration))
