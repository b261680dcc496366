# SPDX-License-Identifier: BSD-3-Clause
# test_four_nodes.py - a job on four nodes: its results are those of the same job on one, and run.json says where ranks were.

import re

from cairn_testing import *
from nodes_testing import HOSTS, launch, nodes_up, on_node

EACH = 2
OPENMPI = MPIS[0]  # on nodes of namespaces, Debian's MPICH 4.0.2 often does not come back from MPI_Finalize, without Cairn too
TOOLS = "profile=table:off,comm=table:off,usage=to:line"


@pytest.fixture(scope="module")
def nodes():
    with nodes_up(len(HOSTS)) as folder:
        yield folder


def results(folder):
    """What does not depend on time and place."""
    profile = {name: (entry["calls"], entry["bytes_sent"]) for name, entry in read_profile(folder / "out").items()}
    matrices = {path.name: re.sub(r"% run \w+\n", "", path.read_text()) for path in (folder / "out/comm").glob("*.mtx") if "node" not in path.name}
    [job] = [json.loads(line) for line in (folder / "line").read_text().splitlines()]
    return profile, matrices, job["calls"], job["ranks"]


def on_nodes(nodes, folder, command):
    launcher = launch(OPENMPI, nodes, EACH, len(HOSTS))
    return on_node(nodes, "here", "env", "-C", folder, *launcher, *command)


def test_results_of_four_nodes_are_those_of_one(nodes, tmp_path):
    ranks = EACH * len(HOSTS)
    under = [CAIRN, "run", "--tools", TOOLS, "--out", "out", OPENMPI.program("ring_c")]
    found = []
    for place, words in (("one", [*OPENMPI.mpirun(ranks), *under]), ("four", on_nodes(nodes, tmp_path / "four", under))):
        (tmp_path / place).mkdir()
        done = run(*words, cwd=tmp_path / place)
        # Open MPI's launcher may complain of a setpgid that comes too late.
        assert done.code == 0 and "cairn" not in done.err and done.out.startswith(f"ok ring_c: {ranks} ranks"), done
        found.append(results(tmp_path / place))
    assert found[0] == found[1] and len(found[0][1]) > 3
    recorded = json.loads((tmp_path / "four/out/run.json").read_text())
    assert {place["node"] for place in recorded["places"]} == set(recorded["nodes"]) == set(HOSTS)
    assert [count(text) for text in recorded["nodes"].values()] == [EACH] * len(HOSTS)


def count(text):
    """How many ranks "4" or "4-5" are."""
    ends = [int(number) for number in text.split("-")]
    return ends[-1] - ends[0] + 1
