# SPDX-License-Identifier: BSD-3-Clause
# test_mpich_kind.py - tools written for MPICH's QMPI, compiled unchanged for both MPIs: order, storage, context, errors, choice.

from cairn_testing import *
from qmpi_runs import *

NO_FILE = "there is no bundled tool of this name, nor a file in CAIRN_TOOL_PATH, LD_LIBRARY_PATH or a system folder"
FIND = "'cairn tools' for the bundled tools, or the path of a shared library (with a '/' in it)"


def of_level(result, name, level):
    return said(result, f"{name} {level}:")


def test_a_layer_sees_each_call_with_its_arguments_its_storage_and_its_caller(mpi):
    result = run_tools(mpi, ["tracer"])
    assert_ran(result)
    assert of_level(result, "tracer", 1) == traced("tracer", 1, 0, 1)


def test_of_two_layers_the_outer_calls_the_inner_and_own_calls_go_down(mpi):
    result = run_tools(mpi, ["tracer", "tracer"])
    assert_ran(result)
    assert of_level(result, "tracer", 1) == traced("tracer", 1, 2, 1)
    assert of_level(result, "tracer", 2) == traced("tracer", 2, 0, 1 + 2 * 4)


def test_every_layer_of_a_hundred_calls_the_next(mpi):
    result = run_tools(mpi, ["atomic"] * 100, program="threads")
    assert (result.err, result.code) == ("", 0)
    assert said(result, "atomic") == [f"atomic {level}: 40000" for level in range(1, 101)]


def test_threads_go_through_layers_at_once(mpi):
    result = run_tools(mpi, ["atomic", "atomic"], program="threads")
    assert (result.out, result.err, result.code) == ("atomic 1: 40000\natomic 2: 40000\n", "", 0)


def switched(mpi, tools, *switches):
    tools = ",".join(tool_path(mpi, tool) for tool in tools)
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", tools, "--", path(mpi, "switching"), *switches,
                 CAIRN_SWITCHES="1")
    assert (result.err, result.code) == ("", 0)
    return result.out.splitlines()


def test_every_layer_of_a_thousand_calls_the_next(mpi):
    assert switched(mpi, ["atomic"] * 1000) == [f"atomic {level}: 10" for level in range(1, 1001)]


def test_a_layer_that_another_calls_directly_cannot_be_switched(mpi):
    assert switched(mpi, ["atomic", "atomic"], "atomic_active", "atomic.2_active") == [
        "atomic_active is off", "atomic.2_active cannot be turned now", "atomic 1: 0", "atomic 2: 10"]


def test_a_layer_with_a_filter_can_be_switched_under_another(mpi):
    assert switched(mpi, ["atomic", f"{path(mpi, 'atomic.so')}@active:on"], "atomic.2_active") == [
        "atomic.2_active is off", "atomic 1: 10", "atomic 2: 0"]


def test_two_ranks_give_the_same_results_as_without_tools(mpi):
    assert_ran(run_tools(mpi, ["tracer", "tracer"], ranks=2), ranks=2)


@pytest.mark.parametrize("variable", ["MPIR_CVAR_QMPI_TOOL_LIST", "MPICH_QMPI_TOOL_LIST", "MPIR_PARAM_QMPI_TOOL_LIST"])
def test_a_tool_linked_with_the_program_is_chosen_by_mpich_s_variable(mpi, variable):
    result = run_tools(mpi, [], program="program_with_library", **{variable: "own:own"})
    assert_ran(result)
    assert of_level(result, "own", 1) == traced("own", 1, 2, 1, called_from="program_with_library")
    # The program has the library once, so calls by name from there are linked for the inner layer.
    assert of_level(result, "own", 2) == traced("own", 2, 0, 1 + 2, called_from="program_with_library")


def test_a_tool_linked_with_the_program_is_chosen_by_name_among_others(mpi):
    result = run_tools(mpi, ["tracer", "own"], program="program_with_library")
    assert_ran(result)
    assert of_level(result, "own", 2) == traced("own", 2, 0, 1 + 2 * 4, called_from="program_with_library")


def test_the_program_s_tools_lie_under_those_that_cairn_is_asked_for(mpi):
    result = run_tools(mpi, ["tracer"], program="program_with_library", MPIR_CVAR_QMPI_TOOL_LIST="own")
    assert_ran(result)
    assert of_level(result, "tracer", 1) == traced("tracer", 1, 2, 1, called_from="program_with_library")
    assert len(of_level(result, "own", 2)) == 5


def test_other_tools_do_not_count(mpi, tmp_path):
    """A program's tools may index arrays by their ids, and be as many as it expects."""
    result = run(*mpi.mpirun(1), CAIRN, "run", "--out", tmp_path, "--tools", "profile=table:off,profile=table:off", "--",
                 path(mpi, "program_with_library"), MPIR_CVAR_QMPI_TOOL_LIST="own:own")
    assert_ran(result)
    assert of_level(result, "own", 1)[0] == "own 1: MPI_Init next 2"
    assert of_level(result, "own", 2)[0] == "own 2: MPI_Init next 0"


def test_a_program_s_tool_that_cairn_is_asked_for_too_is_there_once(mpi):
    result = run_tools(mpi, ["own", "tracer"], program="program_with_library", MPIR_CVAR_QMPI_TOOL_LIST="own")
    assert_ran(result)
    assert (len(said(result, "own")), len(said(result, "tracer"))) == (5, 5)


def test_a_program_s_tool_that_is_not_there_says_who_asked_for_it(mpi):
    result = run_tools(mpi, ["tracer"], program="program_with_library", MPIR_CVAR_QMPI_TOOL_LIST="none")
    text = f" not loaded: it is not among the QMPI tools that the program registers ('own'), and {NO_FILE}"
    asked = f"--tools {path(mpi, 'tracer.so')}, then MPIR_CVAR_QMPI_TOOL_LIST=none"
    assert_ran(result, errors=message(mpi, "none", text, asked, FIND))


def test_a_tool_inside_the_program_is_chosen_by_name(mpi):
    result = run_tools(mpi, [], program="program_with_tool", MPIR_CVAR_QMPI_TOOL_LIST="inside")
    assert_ran(result)
    # The program's own code calls MPI_Comm_rank by name as the program does, so the tool sees it.
    assert of_level(result, "inside", 1) == traced("inside", 1, 0, 1 + 2, called_from="program_with_tool")


def test_a_preloaded_tool_is_chosen_by_name(mpi):
    preload = f"LD_PRELOAD={LIBCAIRN}:{path(mpi, 'libown.so')}"
    result = run(*mpi.mpirun(1), "env", preload, "MPIR_CVAR_QMPI_TOOL_LIST=own", path(mpi, "program"))
    assert_ran(result)
    assert of_level(result, "own", 1) == traced("own", 1, 0, 1)


def test_a_linked_tool_that_nobody_chose_does_nothing(mpi):
    result = run_tools(mpi, [], program="program_with_library")
    assert_ran(result)
    assert result.out == finished() + "\n"


def test_a_name_that_nobody_registered_is_said(mpi):
    result = run_tools(mpi, [], program="program_with_library", MPIR_CVAR_QMPI_TOOL_LIST="none")
    text = f" not loaded: it is not among the QMPI tools that the program registers ('own'), and {NO_FILE}"
    assert_ran(result, errors=message(mpi, "none", text, "MPIR_CVAR_QMPI_TOOL_LIST=none", FIND))


def test_one_of_several_tools_in_a_module_is_chosen_by_option(mpi):
    assert_ran(run_tools(mpi, ["two_names=name:second"]))


REFUSED = {
    "unknown_number": ("it registers function number 9999, which is no MPI function",
                       "compiling it with the mpi.h (or qmpi.h) of this MPI"),
    "null_pointer": ("it registers a null pointer for MPI_Send", "leaving out functions that it does not wrap"),
    "foreign_id": ("QMPI_Register_tool_storage: there is no QMPI layer 77",
                   "the tool id that its init function or its wrapper got"),
    "two_names": ("it registers 2 QMPI tools, 'first', 'second'", "one of them: {tool}=name:first"),
    "two_names=name:third": ("it registers no QMPI tool 'third'", "one that it registers: 'first', 'second'"),
    "two_names=level:1": ("it has no option 'level'", "one of its options: name"),
    "no_name": ("its constructors register no QMPI tool", "QMPI_Register_tool_name in a constructor"),
}
SAID_LATER = {
    "no_storage": ("QMPI_Get_tool_storage: layer 1 has set no storage", "QMPI_Register_tool_storage in the init function"),
    "foreign_id_later": ("QMPI_Get_function: there is no QMPI layer 77",
                         "the tool id that its init function or its wrapper got"),
    "unknown_later": ("QMPI_Get_function: function number 9999 is no MPI function",
                      "compiling it with the mpi.h (or qmpi.h) of this MPI"),
    "too_late": ("it registers a function after its init function", "QMPI_Register_function in the init function"),
}


@pytest.mark.parametrize("wrong", REFUSED)
def test_a_tool_that_starts_wrongly_stays_out_and_the_user_is_told(mpi, wrong):
    text, remedy = REFUSED[wrong]
    assert_told(mpi, wrong, f" not loaded: {text}", remedy)


@pytest.mark.parametrize("wrong", SAID_LATER)
def test_what_a_tool_does_wrong_later_is_said_once_and_answered_with_an_error(mpi, wrong):
    text, remedy = SAID_LATER[wrong]
    assert_told(mpi, wrong, f": {text}", remedy)


def test_check_says_that_it_cannot_know_what_such_a_tool_intercepts(mpi):
    assert_check_says(mpi, "tracer", "a QMPI tool: registers what it intercepts when it is loaded")
