# SPDX-License-Identifier: BSD-3-Clause
# test_programs.py - programs that no tool can see, or not at once: static, without MPI, scripts, helpers, an unknown MPI.

import pytest

from cli_testing import *

# Launchers end a job at the first process that fails, whether or not another has begun: in jobs the programs end well.
STATIC_CODE = '#include <stdio.h>\nint main(int argc, char **argv) { (void)argv; puts("static output"); return argc > 1 ? 0 : 5; }\n'
TRY_DYNAMIC = "linking it dynamically (without -static)"


def no_mpi_call(program, asked):
    return warning(f"no tool was loaded: '{program}' made no MPI call", asked, f"cairn check {program}")


class TestStatic:
    @pytest.fixture(params=["-static", "-static-pie"])
    def program(self, request, tmp_path):
        return build("gcc", tmp_path / "program", STATIC_CODE, request.param)

    def test_runs_without_tools(self, program):
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out) == (5, "static output\n")
        assert result.err == error(f"no tool loaded: '{program}' is statically linked", "--tools profile", TRY_DYNAMIC)

    def test_is_not_run_with_strict(self, program):
        result = cairn_run("--strict", "--tools", "profile", program)
        assert (result.code, result.out) == (125, "")
        assert result.err == (error(f"no tool loaded: '{program}' is statically linked", "--tools profile", TRY_DYNAMIC) +
                              error("the program is not run: not every tool could be loaded", "--strict"))

    @pytest.mark.parametrize("options", [[], ["--strict"]], ids=" ".join)
    def test_nothing_is_said_where_no_tool_is_wanted(self, program, options):
        result = cairn_run(*options, program)
        assert (result.code, result.out, result.err) == (5, "static output\n", "")

    @pytest.mark.parametrize("program", ["-static"], indirect=True)
    def test_said_once_per_job(self, mpi, program):
        result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", "profile", program, "well")
        assert (result.code, result.out) == (0, 4 * "static output\n")
        assert cairn_lines(result.err) == error(f"no tool loaded: '{program}' is statically linked", "--tools profile",
                                                TRY_DYNAMIC)

    @pytest.mark.parametrize("program", ["-static"], indirect=True)
    def test_strict_is_said_once_per_job(self, mpi, program):
        result = run(*mpi.mpirun(4), CAIRN, "run", "--strict", "--tools", "profile", program)
        assert result.code == 125
        assert cairn_lines(result.err).count("cairn: error: the program is not run") == 1


class TestSpecialRights:
    """The dynamic loader preloads nothing into programs that run with other rights than their user's."""

    def complaint(self, program, rights):
        return error(f"no tool loaded: '{program}' is {rights}, and the system preloads nothing into it", "--tools profile",
                     "a copy of it without these privileges")

    def test_runs_without_tools(self, with_rights):
        program, rights = with_rights
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out, result.err) == (3, "output\n", self.complaint(program, rights))

    def test_is_not_run_with_strict(self, with_rights):
        program, rights = with_rights
        result = cairn_run("--strict", "--tools", "profile", program)
        assert (result.code, result.out) == (125, "")
        assert result.err == self.complaint(program, rights) + error(
            "the program is not run: not every tool could be loaded", "--strict")

    def test_nothing_is_said_where_no_tool_is_wanted(self, with_rights):
        result = cairn_run(with_rights[0])
        assert (result.code, result.out, result.err) == (3, "output\n", "")


class TestMpiInside:
    """An MPI library linked into the program: its calls do not pass the dynamic loader."""

    def test_said_at_the_end(self, tmp_path):
        text = """#include <stdio.h>
            int PMPI_Initialized(int *flag) { *flag = 1; return 0; }
            int MPI_Init(int *c, char ***v) { (void)c; (void)v; return 0; }
            int main(int c, char **v) { int f; MPI_Init(&c, &v); PMPI_Initialized(&f); puts("output"); return 3; }
            """
        program = build("gcc", tmp_path / "program", text)
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out) == (3, "output\n")
        assert result.err == warning(
            f"no tool was loaded: no tool can see the calls of '{program}': its MPI library is linked into the program",
            "--tools profile", "linking it with a shared MPI library")


class TestWithoutMpi:
    def test_warned_at_the_end(self, tmp_path):
        (tmp_path / "file").write_text("")
        result = cairn_run("--tools", "profile", "ls", tmp_path)
        assert (result.code, result.out) == (0, "file\n")
        assert result.err == no_mpi_call("ls", "--tools profile")

    def test_exit_code_is_kept(self):
        result = cairn_run("--tools", "profile", "ls", "/nosuchfolder")
        bare = run("ls", "/nosuchfolder")
        assert (result.code, result.out) == (bare.code, bare.out)
        assert result.err == bare.err + no_mpi_call("ls", "--tools profile")

    def test_nothing_is_said_where_no_tool_is_wanted(self):
        assert cairn_run("true").err == ""

    def test_warned_once_per_job(self, mpi):
        result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", "profile", "true")
        assert (result.code, cairn_lines(result.err)) == (0, no_mpi_call("true", "--tools profile"))

    def test_an_mpi_program_that_calls_no_mpi(self, mpi, tmp_path):
        text = "#include <mpi.h>\nint main(int argc, char **argv) { return argc > 5 ? MPI_Init(&argc, &argv) : 4; }\n"
        program = build(mpicc(mpi), tmp_path / "lazy", text)
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out, result.err) == (4, "", no_mpi_call(program, "--tools profile"))

    def test_a_program_that_ends_at_once_is_left_alone(self, tmp_path):
        program = build("gcc", tmp_path / "abrupt", "#include <unistd.h>\nint main(void) { _exit(6); }\n")
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out, result.err) == (6, "", "")


class TestScript:
    @pytest.mark.parametrize("start", ["", "exec "], ids=["child", "exec"])
    def test_tools_reach_the_program_that_a_script_starts(self, mpi, start, tmp_path):
        script = program_file(tmp_path / "script", f'#!/bin/sh\necho before\n{start}{subject(mpi)} "$@"\n')
        result = cairn_run("--tools", trace(mpi), script, "two words", SUBJECT_EXIT=3)
        assert (result.code, result.out, result.err) == (3, "before\n" + subject_output("two words"), "trace a\n")

    def test_tools_reach_every_program_of_a_script(self, mpi, tmp_path):
        script = program_file(tmp_path / "script", f"#!/bin/sh\n{subject(mpi)} 1\n{subject(mpi)} 2\n")
        result = cairn_run("--tools", trace(mpi), script)
        assert (result.out, result.err) == (subject_output("1") + subject_output("2"), "trace a\n" * 2)

    def test_a_script_under_the_launcher_runs_its_program_with_tools(self, mpi, tmp_path):
        script = program_file(tmp_path / "script", f"#!/bin/sh\nexec {subject(mpi)}\n")
        result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", trace(mpi), script)
        assert (result.code, result.out) == (0, subject_output())
        assert (result.err.count("trace a\n"), cairn_lines(result.err)) == (4, "")

    def test_a_script_may_start_the_launcher(self, mpi, tmp_path):
        """Open MPI's mpirun itself makes no MPI call, nor does Hydra."""
        launch = " ".join(mpi.mpirun(2))
        script = program_file(tmp_path / "script", f"#!/bin/sh\n{launch} {subject(mpi)}\n")
        result = cairn_run("--tools", trace(mpi), script)
        assert (result.code, result.out) == (0, subject_output())
        assert result.err.count("trace a\n") == 2

    def test_a_bad_tool_is_said_for_each_program_of_a_script(self, mpi, tmp_path):
        script = program_file(tmp_path / "script", f"#!/bin/sh\n{subject(mpi)} 1\n{subject(mpi)} 2\n")
        result = cairn_run("--tools", "nosuchtool", script)
        assert result.err == not_loaded("nosuchtool", NO_SUCH_TOOL, "--tools nosuchtool", TRY_TOOLS) * 2

    def test_strict_ends_the_program_not_the_script(self, mpi, tmp_path):
        script = program_file(tmp_path / "script", f"#!/bin/sh\n{subject(mpi)}\necho code $?\n")
        result = cairn_run("--strict", "--tools", "nosuchtool", script)
        assert (result.code, result.out) == (0, "code 125\n")


class TestHelpers:
    @pytest.mark.parametrize("ranks", [1, 4])
    def test_a_program_that_starts_others(self, mpi, ranks):
        launcher = mpi.mpirun(ranks) if ranks > 1 else []
        bare = run(*launcher, mpi.program("fork_exec"))
        result = run(*launcher, CAIRN, "run", "--tools", trace(mpi), mpi.program("fork_exec"))
        assert (result.code, result.out) == (bare.code, bare.out)
        assert bare.out == f"child\nok fork_exec: {ranks} ranks, 2 children\n"
        assert (result.err.count("trace a\n"), cairn_lines(result.err)) == (ranks, "")

    def test_children_before_the_first_mpi_call(self, mpi, tmp_path):
        text = ('#include <mpi.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n'
                '  if (system("echo child") != 0) return 1;\n  MPI_Init(&argc, &argv);\n  MPI_Finalize();\n  return 0;\n}\n')
        program = build(mpicc(mpi), tmp_path / "early", text)
        result = cairn_run("--tools", trace(mpi), program)
        assert (result.code, result.out, result.err) == (0, "child\n", "trace a\n")

    def test_a_fork_without_exec_says_nothing_of_its_own(self, tmp_path):
        text = ("#include <stdlib.h>\n#include <sys/wait.h>\n#include <unistd.h>\n"
                "int main(void) {\n  if (fork() == 0) exit(0);\n  wait(0);\n  return 3;\n}\n")
        program = build("gcc", tmp_path / "forks", text)
        result = cairn_run("--tools", "profile", program)
        assert (result.code, result.out) == (3, "")
        assert result.err in ("", no_mpi_call(program, "--tools profile"))


FOO = """#include <stdio.h>
int PMPI_Init(int *argc, char ***argv) { (void)argc; (void)argv; puts("foo init"); return 0; }
int PMPI_Comm_rank(int comm, int *rank) { (void)comm; *rank = 0; return 0; }
int PMPI_Finalize(void) { puts("foo finalize"); return 0; }
int MPI_Init(int *argc, char ***argv) __attribute__((weak, alias("PMPI_Init")));
int MPI_Comm_rank(int comm, int *rank) __attribute__((weak, alias("PMPI_Comm_rank")));
int MPI_Finalize(void) __attribute__((weak, alias("PMPI_Finalize")));
"""
FOO_PROGRAM = """int MPI_Init(int *, char ***); int MPI_Comm_rank(int, int *); int MPI_Finalize(void);
int main(int argc, char **argv) { int rank = 1; MPI_Init(&argc, &argv); MPI_Comm_rank(0, &rank); MPI_Finalize(); return argc > 1 ? 0 : 5 + rank; }
"""


class TestUnknownMpi:
    @pytest.fixture
    def program(self, tmp_path):
        module("gcc", tmp_path / "libmpi_foo.so", FOO, "-Wl,-soname,libmpi_foo.so")
        return build("gcc", tmp_path / "program", FOO_PROGRAM, f"-L{tmp_path}", "-lmpi_foo", f"-Wl,-rpath,{tmp_path}")

    @pytest.fixture
    def tool(self, tmp_path):
        return module("gcc", tmp_path / "twice.so", """int PMPI_Comm_rank(int, int *);
int MPI_Comm_rank(int comm, int *rank) { int code = PMPI_Comm_rank(comm, rank); *rank = 2 * *rank + 1; return code; }
""")

    COMPLAINT = ("tool 'profile' not loaded: it is installed for Open MPI and MPICH, not for libmpi_foo.so", "--tools profile",
                 "PMPI tools, which need nothing that is built for this MPI")

    def test_pmpi_tools_run_there_any_number_of_them(self, program, tool):
        result = cairn_run("--tools", f"{tool},{tool},{tool}", program)
        assert (result.code, result.out, result.err) == (5 + 7, "foo init\nfoo finalize\n", "")

    def test_bundled_tools_say_that_they_are_for_others_and_the_rest_runs(self, program, tool):
        result = cairn_run("--tools", f"profile,{tool}", program)
        asked = f"--tools profile,{tool}"
        assert (result.code, result.out) == (5 + 1, "foo init\nfoo finalize\n")
        assert result.err == error(self.COMPLAINT[0], asked, self.COMPLAINT[2])

    def test_with_strict_the_program_is_not_run(self, program):
        result = cairn_run("--strict", "--tools", "profile", program)
        assert (result.code, result.out) == (125, "")
        assert result.err == error(*self.COMPLAINT) + error("the program is not run: not every tool could be loaded", "--strict")

    def test_without_tools_nothing_is_said(self, program):
        result = cairn_run(program)
        assert (result.code, result.out, result.err) == (5, "foo init\nfoo finalize\n", "")

    def test_said_once_per_job(self, mpi, program):
        result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", "profile", program, "well")
        assert (result.code, result.err) == (0, error(*self.COMPLAINT))

    def test_check_names_functions_that_cairn_has_no_stub_for_and_they_work(self, tmp_path, tool):
        module("gcc", tmp_path / "libmpi_foo.so", FOO + "int MPIX_Newest(void) { return 2; }\n", "-Wl,-soname,libmpi_foo.so")
        source = FOO_PROGRAM.replace("return argc", "rank += MPIX_Newest(); return argc").replace("int main", "int MPIX_Newest(void);\nint main")
        program = build("gcc", tmp_path / "program", source, f"-L{tmp_path}", "-lmpi_foo", f"-Wl,-rpath,{tmp_path}")
        assert "         calls past all tools, unknown to Cairn: MPIX_Newest\n" in run(CAIRN, "check", program).out
        assert cairn_run("--tools", tool, program).code == 5 + 1 + 2

    def test_check_names_it_and_what_it_is_good_for(self, program, tool, tmp_path):
        result = run(CAIRN, "check", program, "--tools", f"{tool},profile")
        assert result.out.splitlines() == [
            f"program  {program}: dynamically linked", f"MPI      libmpi_foo.so ({tmp_path}/libmpi_foo.so)",
            "         not known to Cairn: it hosts PMPI tools, but no bundled tools, QMPI tools and services",
            f"layer 1  {tool}: intercepts 1 function ({tool})",
            "layer 2  profile: would not be loaded: it is installed for Open MPI and MPICH, not for libmpi_foo.so",
            "         try: PMPI tools, which need nothing that is built for this MPI"]
