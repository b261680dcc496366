# SPDX-License-Identifier: BSD-3-Clause
# test_environment.py - LD_PRELOAD, CAIRN_TOOLS, TOOLS and CAIRN_OUT: what is read, what is kept, what children see.

import pathlib
import shutil

import pytest

from cli_testing import *

LOUD = """#include <unistd.h>
__attribute__((constructor)) static void loaded(void) { if (write(2, "user preload\\n", 13) < 0) _exit(99); }
"""


@pytest.fixture(scope="module")
def preload(tmp_path_factory):
    """A preload library of the user's own, which says when it is loaded."""
    return module("gcc", tmp_path_factory.mktemp("preload") / "loud.so", LOUD)


@pytest.fixture(scope="module")
def quiet(tmp_path_factory):
    return module("gcc", tmp_path_factory.mktemp("preload") / "quiet.so", "int quiet;\n")


class TestPreload:
    def test_the_users_own_library_is_still_loaded(self, mpi, preload):
        bare = run(subject(mpi), LD_PRELOAD=preload)
        result = run(CAIRN, "run", "--tools", trace(mpi), subject(mpi), LD_PRELOAD=preload)
        assert (bare.out, result.out) == (subject_output(), subject_output())
        # Once for `cairn` itself, once for the program; Open MPI may start a helper of its own.
        assert result.err.count("user preload\n") == bare.err.count("user preload\n") + 1
        assert result.err.count("trace a\n") == 1

    def test_children_after_mpi_init_see_the_users_list_alone(self, mpi, preload):
        result = run(CAIRN, "run", "--tools", trace(mpi), mpi.program("fork_exec"), LD_PRELOAD=preload)
        assert result.code == 0
        assert result.out == f"LD_PRELOAD is set to {preload}\nchild\nok fork_exec: 1 ranks, 2 children\n"

    def test_children_after_mpi_init_see_no_list_where_the_user_had_none(self, mpi):
        result = run(CAIRN, "run", "--tools", trace(mpi), mpi.program("fork_exec"))
        assert (result.code, result.out) == (0, "child\nok fork_exec: 1 ranks, 2 children\n")

    @pytest.mark.parametrize("before", ["{0}", "{0}:{1}", "{0} {1}", "{0}::{1}"])
    def test_the_users_list_is_kept_as_it_was(self, preload, quiet, before):
        mpi = MPIS[1]
        before = before.format(quiet, preload)
        result = run(CAIRN, "run", "--tools", trace(mpi), mpi.program("fork_exec"), LD_PRELOAD=before)
        assert f"LD_PRELOAD is set to {before}\n" in result.out

    @pytest.mark.parametrize("order", ["{cairn}:{user}", "{user}:{cairn}", "{user} {cairn}", "{user}:{cairn}:{other}"])
    def test_cairn_is_taken_out_of_any_place(self, quiet, preload, order):
        mpi = MPIS[1]
        words = {"cairn": LIBCAIRN, "user": quiet, "other": preload}
        result = run(mpi.program("fork_exec"), LD_PRELOAD=order.format(**words), CAIRN_TOOLS=trace(mpi))
        left = order.replace("{cairn}:", "").replace(":{cairn}", "").replace(" {cairn}", "").format(**words)
        assert result.out == f"LD_PRELOAD is set to {left}\nchild\nok fork_exec: 1 ranks, 2 children\n"

    @pytest.mark.parametrize("folder", ["with space", "with:colon"])
    def test_a_place_that_the_dynamic_loader_cannot_preload_from_is_refused(self, tmp_path, folder):
        command, library = (tmp_path / folder / pathlib.Path(file).relative_to(BUILD) for file in (CAIRN, LIBCAIRN))
        for original, copy in ((CAIRN, command), (LIBCAIRN, library)):
            copy.parent.mkdir(parents=True)
            shutil.copy(original, copy)
        result = run(command, "run", "--tools", "profile", "true")
        assert (result.code, result.err) == (125, error(
            f"'{library}' cannot be preloaded: LD_PRELOAD allows no spaces or colons in a path", None,
            "Cairn in a folder without spaces and colons in its path"))

    def test_without_tools_children_do_not_inherit_cairn_either(self, mpi):
        result = run(CAIRN, "run", mpi.program("fork_exec"))
        assert (result.code, result.out, result.err) == (0, "child\nok fork_exec: 1 ranks, 2 children\n", "")

    def test_before_the_first_mpi_call_it_is_inherited(self, quiet, tmp_path):
        script = program_file(tmp_path / "script", '#!/bin/sh\nsh -c \'echo "$LD_PRELOAD"\'\n')
        assert cairn_run("--tools", "profile", script).out == f"{LIBCAIRN}\n"
        assert cairn_run("--tools", "profile", script, LD_PRELOAD=quiet).out == f"{LIBCAIRN}:{quiet}\n"

    def test_a_library_with_a_similar_name_is_the_users(self, mpi, tmp_path):
        path = module("gcc", tmp_path / "mylibcairn.so", "int quiet;\n")
        result = run(CAIRN, "run", "--tools", trace(mpi), mpi.program("fork_exec"), LD_PRELOAD=path)
        assert f"LD_PRELOAD is set to {path}\n" in result.out
        assert "trace a\n" in result.err

    def test_a_missing_preload_of_the_users_is_said_by_the_loader_as_before(self, mpi):
        result = run(CAIRN, "run", "--tools", trace(mpi), subject(mpi), LD_PRELOAD="/nosuch/preload.so")
        assert (result.code, result.out) == (0, subject_output())
        assert "object '/nosuch/preload.so' from LD_PRELOAD cannot be preloaded" in result.err


class TestWithoutTheCommand:
    def test_cairn_tools_are_loaded_outermost_first(self, mpi):
        result = run(subject(mpi), "x", LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=f"{trace(mpi, 'b')},{trace(mpi, 'a')}", SUBJECT_EXIT=3)
        assert (result.code, result.out, result.err) == (3, subject_output("x"), "trace b\ntrace a\n")

    def test_under_the_launcher_each_rank_has_the_tools_and_one_complains(self, mpi):
        result = run(*mpi.mpirun(4), subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=f"nosuchtool,{trace(mpi)}")
        assert (result.code, result.out, result.err.count("trace a\n")) == (0, subject_output(), 4)
        asked = f"CAIRN_TOOLS=nosuchtool,{trace(mpi)}"
        assert cairn_lines(result.err) == not_loaded("nosuchtool", NO_SUCH_TOOL, asked, TRY_TOOLS)

    @pytest.mark.parametrize("setting", ["CAIRN_TOOLS", "TOOLS"])
    def test_it_is_said_which_setting_asked(self, mpi, setting):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, **{setting: "nosuchtool"})
        assert result.err == not_loaded("nosuchtool", NO_SUCH_TOOL, f"{setting}=nosuchtool", TRY_TOOLS)

    def test_a_wrong_list_loads_no_tool_and_the_program_runs(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile=")
        assert (result.code, result.out) == (0, subject_output())
        assert result.err == error("no tool loaded: option '' of tool 'profile' has no value", "CAIRN_TOOLS=profile=", SYNTAX)

    def test_with_strict_a_wrong_list_ends_the_program(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile=", CAIRN_STRICT=1)
        assert (result.code, result.out) == (125, "")

    def test_with_strict_a_missing_tool_ends_the_program(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="nosuchtool", CAIRN_STRICT=1)
        assert (result.code, result.out) == (125, "")

    def test_the_variable_tools_is_a_list_by_colons(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, TOOLS=f"{trace(mpi, 'b')}:{trace(mpi, 'a')}")
        assert (result.code, result.out, result.err) == (0, subject_output(), "trace b\ntrace a\n")

    def test_empty_entries_of_tools_are_skipped(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, TOOLS=f":{trace(mpi)}::")
        assert (result.code, result.out, result.err) == (0, subject_output(), "trace a\n")

    def test_cairn_tools_wins_over_tools(self, mpi):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, TOOLS=trace(mpi, "a"), CAIRN_TOOLS=trace(mpi, "b"))
        assert (result.out, result.err) == (subject_output(), "trace b\n")

    @pytest.mark.parametrize("settings", [{}, {"CAIRN_TOOLS": ""}, {"TOOLS": ""}, {"CAIRN_TOOLS": "", "TOOLS": ""}],
                             ids=lambda settings: "+".join(settings) or "none")
    def test_without_tools_nothing_changes(self, mpi, settings, tmp_path):
        result = run(subject(mpi), cwd=tmp_path, LD_PRELOAD=LIBCAIRN, **settings)
        assert (result.code, result.out, result.err) == (0, subject_output(), "")
        assert list(tmp_path.iterdir()) == []

    def test_results_go_to_cairn_out(self, mpi, tmp_path):
        result = run(subject(mpi), LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile=table:off", CAIRN_OUT=tmp_path / "results")
        assert (result.code, result.err) == (0, "")
        assert {"profile.json", "run.json"} <= {path.name for path in (tmp_path / "results").iterdir()}

    def test_programs_without_mpi_are_left_alone(self):
        result = run("ls", "-d", "/", LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS="profile")
        assert (result.code, result.out, result.err) == (0, "/\n", "")


class TestWithTheCommand:
    def test_tools_are_taken_from_the_environment(self, mpi):
        result = cairn_run(subject(mpi), CAIRN_TOOLS=trace(mpi))
        assert (result.out, result.err) == (subject_output(), "trace a\n")

    def test_the_command_line_wins_over_the_environment(self, mpi):
        result = cairn_run("--tools", trace(mpi, "a"), subject(mpi), CAIRN_TOOLS=trace(mpi, "b"), TOOLS=trace(mpi, "c"))
        assert (result.out, result.err) == (subject_output(), "trace a\n")

    def test_an_empty_list_on_the_command_line_wins_too(self, mpi):
        result = cairn_run("--tools", "", subject(mpi), CAIRN_TOOLS=trace(mpi, "b"), TOOLS=trace(mpi, "c"))
        assert (result.out, result.err) == (subject_output(), "")

    def test_out_wins_over_cairn_out(self, mpi, tmp_path):
        cairn_run("--tools", "profile=table:off", "--out", tmp_path / "a", subject(mpi), CAIRN_OUT=tmp_path / "b")
        assert [path.name for path in tmp_path.iterdir()] == ["a"]

    def test_the_environment_decides_about_static_programs_too(self, tmp_path):
        program = build("gcc", tmp_path / "program", "int main(void) { return 5; }\n", "-static")
        result = cairn_run(program, CAIRN_TOOLS="profile")
        assert result.code == 5
        assert result.err == error(f"no tool loaded: '{program}' is statically linked", "CAIRN_TOOLS=profile",
                                   "linking it dynamically (without -static)")
