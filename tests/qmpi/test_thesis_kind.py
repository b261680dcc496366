# SPDX-License-Identifier: BSD-3-Clause
# test_thesis_kind.py - tools of the thesis's QMPI: the tables of figure 3.1, the tools of the appendix, contexts, errors.

from cairn_testing import *
from qmpi_runs import *

# Which of the three tools wrap MPI_Send, and what the tables of levels 0 to 3 then hold.
CASES = {
    "a": ({3}, ["T3_Send 3", "T3_Send 3", "T3_Send 3", "out 4"]),
    "b": ({2}, ["T2_Send 2", "T2_Send 2", "out 4", "out 4"]),
    "c": ({1}, ["T1_Send 1", "out 4", "out 4", "out 4"]),
    "d": ({1, 3}, ["T1_Send 1", "T3_Send 3", "T3_Send 3", "out 4"]),
    "e": ({2, 3}, ["T2_Send 2", "T2_Send 2", "T3_Send 3", "out 4"]),
    "f": ({1, 2}, ["T1_Send 1", "T2_Send 2", "out 4", "out 4"]),
    "g": ({1, 2, 3}, ["T1_Send 1", "T2_Send 2", "T3_Send 3", "out 4"]),
    "h": (set(), ["out 4", "out 4", "out 4", "out 4"]),
}


@pytest.mark.parametrize("case", CASES)
def test_function_tables_have_no_holes(mpi, case):
    wrapping, tables = CASES[case]
    result = run_tools(mpi, [f"T{i}_sends" if i in wrapping else f"T{i}_alone" for i in (1, 2, 3)])
    assert_ran(result)
    assert result.out.splitlines()[:4] == [f"{level}: {cell}" for level, cell in enumerate(tables)]


@pytest.mark.parametrize("language", ["", "_cxx"])
def test_the_tools_of_the_appendix_run(mpi, language):
    assert_ran(run_tools(mpi, ["T1" + language, "TBcast" + language, "T1" + language], ranks=2), ranks=2)


def test_tbcast_replaces_the_broadcast_by_calls_that_the_layers_below_see(mpi, tmp_path):
    result = run(*mpi.mpirun(2), CAIRN, "run", "--out", tmp_path / "out", "--tools",
                 f"{path(mpi, 'TBcast.so')},profile=table:off", "--", path(mpi, "program"))
    assert result.code == 0 and finished(2) in result.out
    seen = read_profile(tmp_path / "out")
    assert "MPI_Bcast" not in seen
    assert [seen[name]["calls"] for name in ("MPI_Send", "MPI_Recv", "MPI_Comm_size")] == [1, 1, 4]


@pytest.mark.parametrize("language", ["", "_cxx"])
def test_each_layer_has_its_context_and_own_calls_go_down(mpi, language):
    result = run_tools(mpi, ["counter" + language] * 2)
    assert_ran(result)
    assert said(result, "counter") == ["counter 1: phase 3, MPI_Comm_rank seen 1 times",
                                       f"counter 2: phase 3, MPI_Comm_rank seen {1 + 2 * 2} times"]


def test_the_variable_tools_names_them_by_path(mpi):
    tools = ":".join([path(mpi, "T1.so"), path(mpi, "counter.so")])
    result = run(*mpi.mpirun(1), path(mpi, "program"), LD_PRELOAD=LIBCAIRN, TOOLS=tools)
    assert_ran(result)
    assert said(result, "counter") == ["counter 2: phase 3, MPI_Comm_rank seen 1 times"]


def test_a_path_may_be_long(mpi, tmp_path):
    folder = tmp_path / ("a" * 120) / ("b" * 120)
    folder.mkdir(parents=True)
    tool = folder / "counter.so"
    tool.write_bytes(pathlib.Path(path(mpi, "counter.so")).read_bytes())
    result = run_tools(mpi, [str(tool)])
    assert_ran(result)
    assert said(result, "counter") == ["counter 1: phase 3, MPI_Comm_rank seen 1 times"]


WRONG = {
    "missing_wrapper": (" not loaded: its wrapper 'wrong_Send' for MPI_Send (index 258) is not in the module",
                        "exporting a function of that name, or \"NULL\" in its place"),
    "other_header": (" not loaded: other_header.so was built with another version of the QMPI thesis's header",
                     "compiling it with Cairn's qmpi_thesis.h"),
    "wrong_level": (": QMPI_Set_context: there is no layer of this level", "the level that its wrapper got"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_a_tool_does_wrong_is_said(mpi, wrong):
    assert_told(mpi, wrong, *WRONG[wrong])


def test_check_says_that_it_cannot_know_what_such_a_tool_intercepts(mpi):
    assert_check_says(mpi, "T1", "a tool of the thesis's QMPI: says what it intercepts when it is loaded")
