# SPDX-License-Identifier: BSD-3-Clause
# test_mixed.py - both kinds of QMPI, PMPI tools and C++ tools in one stack, in any order and repeated.

import functools
import itertools
import tempfile

from cairn_testing import *
from qmpi_runs import *

KINDS = ["tracer", "counter", "counting", "profile=table:off"]
OWN_CALLS = {"tracer": 2 * 4, "counter": 2 * 2, "counting": 1}  # of MPI_Comm_rank, in one layer


def run_stack(mpi, tools, folder):
    tools = [str(mpi.folder / "linking/plain/counter.so") if tool == "counting" else tool for tool in tools]
    return run(*mpi.mpirun(1), CAIRN, "run", "--out", folder / "out", "--tools", ",".join(tool_path(mpi, tool) for tool in tools),
               "--", path(mpi, "program"), TEST_TOOL_LOG=folder / "log")


@functools.cache
def own_calls_of_profile(mpi):
    """The bundled tool may call MPI_Comm_rank as it likes; a layer under it says how often."""
    with tempfile.TemporaryDirectory() as folder:
        line = said(run_stack(mpi, [KINDS[3], "counter"], pathlib.Path(folder)), "counter")[0]
    return int(line.split()[-2]) - 1


def expected(mpi, tools):
    """(tool, level, calls of MPI_Comm_rank) of each QMPI layer: the program's, and the own calls of the layers above."""
    seen = 1
    for level, tool in enumerate(tools, 1):
        if tool in ("tracer", "counter"):
            yield tool, level, seen
        seen += OWN_CALLS[tool] if tool in OWN_CALLS else own_calls_of_profile(mpi)


@pytest.mark.parametrize("order", list(itertools.permutations(KINDS)), ids=lambda order: "-".join(t.split("=")[0] for t in order))
def test_every_order_of_the_kinds_works_twice(mpi, order, tmp_path):
    result = run_stack(mpi, order * 2, tmp_path)
    assert result.code == 0 and finished() in result.out, result.err
    lines = result.out.splitlines()
    for tool, level, seen in expected(mpi, order * 2):
        assert any(line.startswith(f"{tool} {level}: ") and line.endswith(f"MPI_Comm_rank seen {seen} times") for line in lines)
    assert len((tmp_path / "log").read_text().splitlines()) == 2


def test_neighbours_of_one_kind_call_each_other_and_others_between_them_are_seen(mpi):
    result = run_tools(mpi, ["tracer", "counter", "tracer", "tracer"])
    assert_ran(result)
    following = [line for line in result.out.splitlines() if "MPI_Init next" in line]
    assert following == ["tracer 1: MPI_Init next 0", "tracer 3: MPI_Init next 4", "tracer 4: MPI_Init next 0"]
