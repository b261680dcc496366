# SPDX-License-Identifier: BSD-3-Clause
# test_mixed.py - both kinds of QMPI, PMPI tools and C++ tools in one stack, in any order and repeated.

import itertools

from cairn_testing import *
from qmpi_runs import *

OWN_CALLS = {"tracer": 2 * 4, "counter": 2 * 2, "counting": 1, "empty": 0}  # of MPI_Comm_rank, in one layer


def tool_of_kind(mpi, kind):
    """Both kinds of QMPI are of this folder; a PMPI tool and one in C++ are of others."""
    others = {"counting": mpi.folder / "linking/plain/counter.so", "empty": BUILD / "examples" / mpi.id / "empty.so"}
    return str(others.get(kind) or path(mpi, kind + ".so"))


def expected(tools):
    """(tool, id, calls of MPI_Comm_rank) of each QMPI layer: the program's, and the own calls of the layers above. MPICH counts
    layers of its kind alone, the thesis all."""
    seen = 1
    for level, tool in enumerate(tools, 1):
        if tool in ("tracer", "counter"):
            yield tool, tools[:level].count("tracer") if tool == "tracer" else level, seen
        seen += OWN_CALLS[tool]


@pytest.mark.parametrize("order", list(itertools.permutations(OWN_CALLS)), ids="-".join)
def test_every_order_of_the_kinds_works_twice(mpi, order, tmp_path):
    result = run_tools(mpi, [tool_of_kind(mpi, kind) for kind in order * 2], TEST_TOOL_LOG=tmp_path / "log")
    assert_ran(result)
    lines = result.out.splitlines()
    for tool, number, seen in expected(order * 2):
        assert any(line.startswith(f"{tool} {number}: ") and line.endswith(f"MPI_Comm_rank seen {seen} times") for line in lines)
    assert len((tmp_path / "log").read_text().splitlines()) == 2


def test_neighbours_of_one_kind_call_each_other_and_others_between_them_are_seen(mpi):
    result = run_tools(mpi, ["tracer", "counter", "tracer", "tracer"])
    assert_ran(result)
    following = [line for line in result.out.splitlines() if "MPI_Init next" in line]
    assert following == ["tracer 1: MPI_Init next 0", "tracer 2: MPI_Init next 3", "tracer 3: MPI_Init next 0"]
