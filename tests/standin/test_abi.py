# SPDX-License-Identifier: BSD-3-Clause
# test_abi.py - Cairn on a library with the MPI-5 standard ABI, for which the stand-in library serves.

import pytest

from cairn_testing import BUILD, CAIRN, LIBCAIRN, run
from standin.expected import *

FOLDER = BUILD / "tests" / "standin"


def tool(name):
    return str(FOLDER / f"{name}.so")


def program(name="program"):
    return str(FOLDER / name)


def run_under(tools, *command, **env):
    return run(CAIRN, "run", "--tools", ",".join(map(tool, tools)), "--", *command, **env)


def test_the_program_itself_works():
    assert run(program()).out == OUTPUT


def test_check_names_the_library():
    result = run(CAIRN, "check", program(), "--tools", tool("counter"))
    assert result.out.splitlines() == [
        f"program  {program()}: dynamically linked",
        f"MPI      {DESCRIPTION} ({FOLDER}/libmpi_abi.so.1)",
        f"layer 1  {tool('counter')}: intercepts 19 functions ({tool('counter')})",
    ]
    assert (result.code, result.err) == (0, "")


def test_preloaded_without_tools_nothing_changes():
    result = run(program(), "pcontrol", LD_PRELOAD=LIBCAIRN)
    assert (result.out, result.err, result.code) == (PCONTROL_LINE + OUTPUT, "", 0)


@pytest.mark.parametrize("layers", [1, 2, 8])
def test_every_layer_sees_every_call_of_the_program_once_and_none_of_the_library(layers):
    result = run_under(["counter"] * layers, program())
    assert (result.out, result.code) == (OUTPUT, 0)
    assert counted(result.err) == [("counter", calls_under(above)) for above in range(layers)]


def test_functions_that_are_new_in_the_abi_and_such_without_error_code_pass_through():
    result = run_under(["others", "others"], program())
    assert (result.out, result.err, result.code) == (OUTPUT, "others Wtime=2 Abi_get_version=1\n" * 2, 0)


@pytest.mark.parametrize("name", ["fortran_program", "fortran_program_mpifort_abi"])
def test_calls_from_fortran_are_seen_once_by_every_layer(name):
    result = run_under(["counter", "counter"], program(name))
    assert (result.out, result.code) == (FORTRAN_OUTPUT, 0)
    assert counted(result.err) == [("counter", FORTRAN_CALLS), ("counter", calls_under(1, FORTRAN_CALLS))]


@pytest.mark.parametrize("tools", [["counter"], ["pcontrol"], ["counter", "pcontrol", "pcontrol"]], ids=",".join)
def test_variable_arguments_of_pcontrol_arrive_whole_also_as_the_first_call_of_all(tools):
    result = run_under(tools, program(), "pcontrol")
    assert (result.out, result.code) == (PCONTROL_LINE + OUTPUT, 0)
    assert result.err.count("pcontrol sees level 3, 10 pairs and 'end'\n") == tools.count("pcontrol")


@pytest.mark.parametrize("name", ["finds_next", "finds_early"])
def test_tools_that_look_functions_up_are_linked_like_any(name):
    result = run_under(["counter", name, "counter"], program())
    assert (result.out, result.code) == (OUTPUT, 0)
    assert counted(result.err) == [("counter", CALLS), ("finds_below", calls_under(1)), ("counter", calls_under(2))]


def test_a_tool_with_tables_of_function_pointers_is_linked_like_any():
    result = run_under(["counter", "table", "counter"], program())
    assert (result.out, result.code) == (OUTPUT, 0)
    # In its MPI_Barrier, the tool asks for the size, which it does not wrap itself, and for the rank, which it does.
    table = {name: calls for name, calls in calls_under(2).items() if name != "MPI_Comm_size"}
    assert counted(result.err) == [("counter", CALLS), ("table", table), ("counter", calls_under(3) | {"MPI_Comm_size": 2})]


def test_a_tool_of_the_kit_built_with_the_header_of_the_abi_works():
    result = run_under(["kit", "counter", "kit"], program())
    assert (result.out, result.code) == (OUTPUT, 0)
    (first, outer), (name, counter), (last, inner) = counted(result.err)
    assert (first, name, last) == ("kit", "counter", "kit") and counter == CALLS
    assert {function: outer[function] for function in KIT_CALLS} == KIT_CALLS
    assert inner == outer | {"MPI_Comm_rank": outer["MPI_Comm_rank"] + 1}


@pytest.mark.parametrize("name", ["foreign_by_need", "foreign_by_symbol"])
def test_a_tool_for_another_mpi_is_refused_and_the_program_goes_on(name):
    result = run_under([name, "counter"], program())
    assert (result.out, result.code) == (OUTPUT, 0)
    assert (f"cairn: error: tool '{tool(name)}' not loaded: {name}.so was built for Open MPI, the application uses {DESCRIPTION}\n"
            f"cairn:   asked for by: --tools {tool(name)},{tool('counter')}\n") in result.err
    said = [line for line in result.err.splitlines() if not line.startswith("cairn:")]
    assert counted("\n".join(said)) == [("counter", CALLS)]


def test_a_tool_for_the_standard_abi_is_refused_on_another_mpi():
    result = run(CAIRN, "check", BUILD / "tests/openmpi/ring_c", "--tools", tool("counter"))
    assert result.code == 1
    assert (f"layer 1  {tool('counter')}: would not be loaded: counter.so was built for an MPI with the standard ABI, "
            "the application uses Open MPI") in result.out


def test_a_bundled_tool_that_is_not_there_for_it_is_named_with_the_mpis_it_is_there_for():
    result = run(CAIRN, "check", program(), "--tools", "profile")
    assert result.out.splitlines()[2:] == [
        "layer 1  profile: would not be loaded: it is installed for Open MPI and MPICH, not for an MPI with the standard ABI",
        "         try: 'cairn add-mpi MPICC', with that MPI's compiler wrapper, which adds it"]
