# SPDX-License-Identifier: BSD-3-Clause
# test_nested.py - `cairn run` inside `cairn run`: both stacks are used, and it is said.

import pytest

from cli_testing import *

INSIDE = "'cairn run' inside 'cairn run': the layers of both are used, those of the outer one outermost"
ONE = "one 'cairn run' with all tools"


def nested(outer, inner):
    return warning(INSIDE, f"{outer}, then {inner}", ONE)


def both(mpi, *inner, outer=("a",)):
    return cairn_run("--tools", ",".join(trace(mpi, name) for name in outer), CAIRN, "run", *inner)


def test_layers_of_both_in_order(mpi):
    result = both(mpi, "--tools", trace(mpi, "c"), subject(mpi), "x", outer=("b", "a"))
    assert (result.code, result.out) == (0, subject_output("x"))
    outer = f"--tools {trace(mpi, 'b')},{trace(mpi, 'a')}"
    assert result.err == nested(outer, f"--tools {trace(mpi, 'c')}") + "trace b\ntrace a\ntrace c\n"


def test_said_once_per_job(mpi):
    result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", trace(mpi, "a"), CAIRN, "run", "--tools", trace(mpi, "b"), subject(mpi))
    assert (result.code, result.out) == (0, subject_output())
    assert (result.err.count("trace a\n"), result.err.count("trace b\n")) == (4, 4)
    assert cairn_lines(result.err) == nested(f"--tools {trace(mpi, 'a')}", f"--tools {trace(mpi, 'b')}")


def test_tools_of_a_run_in_a_script_are_said_and_loaded_below(mpi, tmp_path):
    script = program_file(tmp_path / "script", f"#!/bin/sh\n{CAIRN} run --tools {trace(mpi, 'b')} -- {subject(mpi)}\n")
    result = cairn_run("--tools", trace(mpi, "a"), script)
    assert (result.code, result.out) == (0, subject_output())
    assert result.err == nested(f"--tools {trace(mpi, 'a')}", f"--tools {trace(mpi, 'b')}") + "trace a\ntrace b\n"


@pytest.mark.parametrize("outer", [[], ["--tools", ""]], ids=["no option", "empty list"])
def test_nothing_is_said_where_the_outer_one_has_no_tools(mpi, outer):
    result = cairn_run(*outer, CAIRN, "run", "--tools", trace(mpi), subject(mpi))
    assert (result.code, result.out, result.err) == (0, subject_output(), "trace a\n")


def test_an_inner_one_without_tools_is_no_second_stack(mpi):
    result = both(mpi, subject(mpi))
    assert (result.code, result.out, result.err) == (0, subject_output(), "trace a\n")


def test_the_inner_option_of_a_tool_survives(mpi):
    result = both(mpi, "--tools", mpi.tool("cli/optioned") + "=word:inner", subject(mpi))
    assert result.err.endswith("trace a\noptioned 1 at 2: word=[inner]\n")


def test_the_outer_option_of_a_tool_survives(mpi):
    result = cairn_run("--tools", mpi.tool("cli/optioned") + r"=word:a\,b\:c", CAIRN, "run", "--tools", trace(mpi), subject(mpi))
    assert result.err.endswith("optioned 1 at 1: word=[a,b:c]\ntrace a\n")


def test_a_bad_tool_of_the_outer_one_is_not_blamed_on_the_inner_one(mpi):
    result = cairn_run("--tools", "nosuchtool", CAIRN, "run", "--tools", trace(mpi), subject(mpi))
    complaint = result.err.partition("cairn: error: ")[2].splitlines()
    assert complaint[0].startswith("tool 'nosuchtool' not loaded: ")
    assert complaint[1].startswith("cairn:   asked for by: ")
    assert "--tools nosuchtool" in complaint[1]


def test_with_strict_the_program_is_not_run(mpi):
    """The program is not run, and it is said that --strict asked for that."""
    result = both(mpi, "--strict", "--tools", trace(mpi, "b"), subject(mpi))
    assert (result.code, result.out) == (125, "")
    assert result.err.startswith(nested(f"--tools {trace(mpi, 'a')}", f"--tools {trace(mpi, 'b')}") +
                                 "cairn: error: the program is not run")
    assert "\ncairn:   asked for by: --strict\n" in result.err


def test_strict_says_nothing_of_a_program_without_mpi_calls(mpi):
    result = both(mpi, "--strict", "--tools", trace(mpi, "b"), subject(mpi))
    assert "made no MPI call" not in result.err


def test_an_error_of_the_inner_command_is_the_only_message(mpi):
    result = both(mpi, "./nosuchprogram")
    assert (result.code, result.out) == (127, "")
    assert result.err == error("program './nosuchprogram' not found")


def test_cairn_check_inside_is_quiet(mpi):
    bare = run(CAIRN, "check", subject(mpi))
    result = cairn_run("--tools", trace(mpi), CAIRN, "check", subject(mpi))
    assert (result.code, result.out) == (bare.code, bare.out)
