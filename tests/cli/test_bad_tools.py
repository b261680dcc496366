# SPDX-License-Identifier: BSD-3-Clause
# test_bad_tools.py - tools that cannot be loaded: what is said, once per job; the program and the good tools go on.

import os
import re
import struct

import pytest

from cli_testing import *

OMPITRACE = "/usr/lib/x86_64-linux-gnu/libompitrace.so.40"


def with_bytes(source, target, changes):
    """A copy of a file with bytes changed: {offset: bytes}."""
    data = bytearray(open(source, "rb").read())
    for offset, new in changes.items():
        data[offset:offset + len(new)] = new
    target.write_bytes(data)
    return str(target)


def missing_name(mpi, folder):
    return "nosuchtool", NO_SUCH_TOOL, TRY_TOOLS


def former_name(mpi, folder):
    return "tune", "the tool that follows a policy is called 'policy'", "policy=file:FILE"


def missing_path(mpi, folder):
    path = f"{folder}/missing.so"
    return path, f"'{path}' does not exist", "the path of the tool's shared library"


def path_below_a_file(mpi, folder):
    (folder / "plain").write_text("x")
    path = f"{folder}/plain/tool.so"
    return path, f"'{path}' does not exist", "the path of the tool's shared library"


def text_file(mpi, folder):
    (folder / "text.so").write_text("INPUT ( libother.so )\n")
    return f"{folder}/text.so", f"'{folder}/text.so' is not an ELF file", TRY_PATH


def empty_file(mpi, folder):
    (folder / "empty.so").write_bytes(b"")
    return f"{folder}/empty.so", f"'{folder}/empty.so' is empty", TRY_PATH


def folder_as_tool(mpi, folder):
    (folder / "folder.so").mkdir()
    return f"{folder}/folder.so", f"'{folder}/folder.so' is a folder", TRY_PATH


def device(mpi, folder):
    return "/dev/null", "'/dev/null' is not a regular file", TRY_PATH


def aarch64(mpi, folder):
    path = with_bytes(trace(mpi), folder / "aarch64.so", {18: struct.pack("<H", 183)})
    return path, "aarch64.so is built for another machine (aarch64)", TRY_THIS_MACHINE


def unknown_machine(mpi, folder):
    path = with_bytes(trace(mpi), folder / "alpha.so", {18: struct.pack("<H", 0x9026)})
    return path, "alpha.so is built for another machine (machine type 36902)", TRY_THIS_MACHINE


def class_32_bit(mpi, folder):
    path = with_bytes(trace(mpi), folder / "narrow.so", {4: b"\1"})
    return path, f"'{path}' is built for another kind of machine (not 64-bit little-endian)", TRY_PATH


def big_endian(mpi, folder):
    path = with_bytes(trace(mpi), folder / "big.so", {5: b"\2"})
    return path, f"'{path}' is built for another kind of machine (not 64-bit little-endian)", TRY_PATH


def executable(mpi, folder):
    return subject(mpi), "subject is not a shared library", TRY_PATH


def object_file(mpi, folder):
    path = build(mpicc(mpi), folder / "object.o", "#include <mpi.h>\nint MPI_Barrier(MPI_Comm c) { return PMPI_Barrier(c); }",
                 "-c", "-fPIC")
    return path, "object.o is not a shared library", TRY_PATH


def other_mpi_by_needed_library(mpi, folder):
    return (trace(other(mpi)), f"trace_a.so was built for {other(mpi).name}, the application uses {mpi.name} {mpi.version}",
            TRY_THIS_MPI)


def intercepts_nothing(mpi, folder):
    path = module("gcc", folder / "nothing.so", "int not_mpi(void) { return 1; }\n")
    return path, "nothing.so intercepts nothing: it defines no MPI function", TRY_EXPORTS


def only_local_wrappers(mpi, folder):
    path = module("gcc", folder / "hidden.so", "int MPI_Barrier(void) { return 0; }\n", "-fvisibility=hidden")
    return path, "hidden.so intercepts nothing: it defines no MPI function", TRY_EXPORTS


def only_mpi_variables(mpi, folder):
    path = module("gcc", folder / "variable.so", "int MPI_Barrier = 1;\n")
    return path, "variable.so intercepts nothing: it defines no MPI function", TRY_EXPORTS


def unknown_option(mpi, folder):
    return "profile=color:red", "it has no option 'color'", "one of its options: top, sites, depth, sort, threshold, ranks, transfers, table"


def option_without_options(mpi, folder):
    path = module(mpicc(mpi), folder / "plain.so")
    return f"{path}=top:1", "it takes no options, but 'top' was given", "the tool's name alone"


def newer_tool(mpi, folder):
    text = 'int MPI_Barrier(void) { return 0; }\nconst char cairn_tool_about[] = "abi 99\\nsummary future\\n";\n'
    return (module("gcc", folder / "newer.so", text),
            "newer.so was built for a newer Cairn (tool interface 99, this one has 3)", None)


def refuses_to_start(mpi, folder):
    text = "int MPI_Barrier(void) { return 0; }\nint cairn_tool_start(const void *self) { return self != 0; }\n"
    return module("gcc", folder / "refuses.so", text), "it refused to start", None


def missing_library(mpi, folder):
    module("gcc", folder / "libgone.so", "int gone(void) { return 1; }\n")
    path = module(mpicc(mpi), folder / "needy.so",
                  "#include <mpi.h>\nint gone(void);\nint MPI_Barrier(MPI_Comm c) { gone(); return PMPI_Barrier(c); }\n",
                  f"-L{folder}", "-lgone")
    os.remove(folder / "libgone.so")
    return path, "libgone.so: cannot open shared object file: No such file or directory", None


def missing_data_symbol(mpi, folder):
    text = "extern int nowhere;\nint MPI_Barrier(void) { return nowhere; }\n"
    path = module("gcc", folder / "dangling.so", text)
    return path, f"{path}: undefined symbol: nowhere", None


def crashing_constructor(mpi, folder):
    text = ("int MPI_Barrier(void) { return 0; }\n"
            "__attribute__((constructor)) static void start(void) { *(volatile int *)8 = 1; }\n")
    return module("gcc", folder / "crashes.so", text), "its constructor crashed (SIGSEGV)", None


def aborting_constructor(mpi, folder):
    text = ("#include <stdlib.h>\nint MPI_Barrier(void) { return 0; }\n"
            "__attribute__((constructor)) static void start(void) { abort(); }\n")
    return module("gcc", folder / "aborts.so", text), "its constructor crashed (SIGABRT)", None


CLASSES = [missing_name, missing_path, path_below_a_file, text_file, empty_file, folder_as_tool, device, aarch64,
           unknown_machine, class_32_bit, big_endian, executable, object_file, other_mpi_by_needed_library,
           intercepts_nothing, only_local_wrappers, only_mpi_variables, unknown_option, option_without_options,
           newer_tool, refuses_to_start, missing_library, missing_data_symbol, crashing_constructor, aborting_constructor]


def name_of(tool):
    return tool.partition("=")[0]


@pytest.mark.parametrize("bad", CLASSES, ids=lambda bad: bad.__name__)
def test_a_bad_tool_is_not_loaded_and_the_program_runs(bad, tmp_path):
    mpi = MPIS[1]  # the tests of many tools have both
    tool, why, remedy = bad(mpi, tmp_path)
    result = cairn_run("--tools", tool, subject(mpi), "x", cwd=tmp_path, SUBJECT_EXIT=3)
    assert (result.code, result.out) == (3, subject_output("x"))
    assert result.err == not_loaded(name_of(tool), why, f"--tools {tool}", remedy)


@pytest.mark.parametrize("bad", CLASSES, ids=lambda bad: bad.__name__)
def test_with_strict_a_bad_tool_ends_the_program(bad, tmp_path):
    mpi = MPIS[1]
    tool, why, remedy = bad(mpi, tmp_path)
    result = cairn_run("--strict", "--tools", tool, subject(mpi), cwd=tmp_path)
    assert (result.code, result.out) == (125, "")
    assert result.err == (not_loaded(name_of(tool), why, f"--tools {tool}", remedy) +
                          error("the program is not run: not every tool could be loaded", "--strict"))


@pytest.mark.parametrize("bad", [text_file, folder_as_tool, aarch64, executable, other_mpi_by_needed_library,
                                 intercepts_nothing], ids=lambda bad: bad.__name__)
def test_every_refusal_says_what_to_try(bad, tmp_path):
    mpi = MPIS[1]
    tool, _, _ = bad(mpi, tmp_path)
    assert "\ncairn:   try: " in cairn_run("--tools", tool, subject(mpi)).err


def many(mpi, folder):
    """All classes, and good tools between them: the list, and what is said, innermost first."""
    parts = [bad(mpi, folder) for bad in CLASSES]
    tools = ",".join([trace(mpi, "a"), *(tool for tool, _, _ in parts[:10]), trace(mpi, "b"), *(tool for tool, _, _ in parts[10:]),
                      trace(mpi, "c")])
    said = "".join(not_loaded(name_of(tool), why, f"--tools {tools}", remedy) for tool, why, remedy in reversed(parts))
    return tools, said


def test_many_bad_tools_are_all_said_once_per_job_and_good_ones_work(mpi, tmp_path):
    tools, said = many(mpi, tmp_path)
    result = run(*mpi.mpirun(4), CAIRN, "run", "--tools", tools, subject(mpi))
    assert (result.code, result.out) == (0, subject_output())
    # Launchers pass on 4 KB at a time, so in a text as long as this one other ranks' lines may stand anywhere.
    assert cairn_lines(re.sub(r"trace [abc]\n", "", result.err)) == said
    for name in "abc":
        assert result.err.count(f"trace {name}\n") == 4


def test_many_bad_tools_with_strict_are_said_once_per_job(mpi, tmp_path):
    tools, said = many(mpi, tmp_path)
    result = run(*mpi.mpirun(4), CAIRN, "run", "--strict", "--tools", tools, subject(mpi))
    assert (result.code, result.out) == (125, "")
    assert cairn_lines(result.err) == said + error("the program is not run: not every tool could be loaded", "--strict")


def test_strict_without_a_bad_tool_changes_nothing(mpi):
    result = cairn_run("--strict", "--tools", trace(mpi), subject(mpi))
    assert (result.code, result.out, result.err) == (0, subject_output(), "trace a\n")


def test_strict_by_setting_says_that_the_setting_asked(mpi):
    result = cairn_run("--tools", "nosuchtool", subject(mpi), CAIRN_STRICT=1)
    assert (result.code, result.out) == (125, "")
    assert result.err == (not_loaded("nosuchtool", NO_SUCH_TOOL, "--tools nosuchtool", TRY_TOOLS) +
                          error("the program is not run: not every tool could be loaded", "CAIRN_STRICT=1"))


@pytest.mark.parametrize("value", ["", "0"])
def test_strict_by_setting_can_be_off(mpi, value):
    assert cairn_run("--tools", "nosuchtool", subject(mpi), CAIRN_STRICT=value).code == 0


@pytest.mark.parametrize("option, value, accepted", [("top", "many", "it is a whole number"), ("threshold", "nan", "it is a number of percent, 0 or more"),
                                                     ("threshold", "-5", "it is a number of percent, 0 or more")])
def test_an_option_value_that_makes_no_sense_is_warned_of(mpi, tmp_path, option, value, accepted):
    tools = f"profile={option}:{value}:table:off"
    result = run(*mpi.mpirun(4), CAIRN, "run", "--out", tmp_path, "--tools", tools, subject(mpi))
    assert result.code == 0
    assert cairn_lines(result.err) == warning(f"tool 'profile': option '{option}' cannot be '{value}'; {accepted}; its default is used",
                                              f"--tools {tools}")


def test_more_callers_than_are_kept_are_warned_of(mpi, tmp_path):
    tools = "profile=depth:17:table:off"
    result = run(*mpi.mpirun(2), CAIRN, "run", "--out", tmp_path, "--tools", tools, subject(mpi))
    assert (result.code, cairn_lines(result.err)) == (0, warning(
        "tool 'profile': option 'depth' cannot be '17'; it is at most 16, which is used", f"--tools {tools}"))


class TestOtherMpi:
    def refused(self, mpi, path, file):
        result = cairn_run("--tools", path, subject(mpi))
        assert (result.code, result.out) == (0, subject_output())
        return result.err == not_loaded(path, f"{file} was built for {other(mpi).name}, the application uses "
                                              f"{mpi.name} {mpi.version}", f"--tools {path}", TRY_THIS_MPI)

    def test_by_symbol_only(self, tmp_path):
        mpich = MPIS[1]
        text = "#include <mpi.h>\nint MPI_Barrier(MPI_Comm c) { return c == MPI_COMM_WORLD ? 0 : PMPI_Barrier(c); }\n"
        build("mpicc.openmpi", tmp_path / "symbol.o", text, "-c", "-fPIC")
        build("gcc", tmp_path / "symbol.so", "", "-shared", tmp_path / "symbol.o")
        assert self.refused(mpich, f"{tmp_path}/symbol.so", "symbol.so")

    @pytest.mark.skipif(not os.path.exists(OMPITRACE), reason="no libompitrace.so.40")
    def test_ompitrace_is_refused_under_mpich(self):
        assert self.refused(MPIS[1], OMPITRACE, "libompitrace.so.40")

    @pytest.mark.parametrize("tag", ["--enable-new-dtags", "--disable-new-dtags"])
    def test_by_a_helper_beside_it(self, mpi, tag, tmp_path):
        (tmp_path / "sub").mkdir()
        module(mpicc(other(mpi)), tmp_path / "sub" / "libhelper.so",
               "#include <mpi.h>\nint helper(void) { return PMPI_Barrier(MPI_COMM_WORLD); }\n")
        path = module(mpicc(mpi), tmp_path / "tool.so",
                      "#include <mpi.h>\nint helper(void);\nint MPI_Barrier(MPI_Comm c) { helper(); return PMPI_Barrier(c); }\n",
                      f"-L{tmp_path}/sub", "-lhelper", f"-Wl,{tag},-rpath,$ORIGIN/sub")
        assert self.refused(mpi, path, "libhelper.so")

    def test_by_a_helper_of_its_helper(self, mpi, tmp_path):
        module(mpicc(other(mpi)), tmp_path / "libinner.so",
               "#include <mpi.h>\nint inner(void) { return PMPI_Barrier(MPI_COMM_WORLD); }\n")
        module("gcc", tmp_path / "libouter.so", "int inner(void);\nint outer(void) { return inner(); }\n", f"-L{tmp_path}",
               "-linner", "-Wl,-rpath,$ORIGIN")
        path = module("gcc", tmp_path / "tool.so", "int outer(void);\nint MPI_Barrier(void) { return outer(); }\n",
                      f"-L{tmp_path}", "-louter", "-Wl,-rpath,$ORIGIN", f"-Wl,-rpath-link,{tmp_path}")
        assert self.refused(mpi, path, "libinner.so")

    def test_by_a_helper_in_ld_library_path(self, mpi, tmp_path):
        (tmp_path / "sub").mkdir()
        module(mpicc(other(mpi)), tmp_path / "sub" / "libhelper.so",
               "#include <mpi.h>\nint helper(void) { return PMPI_Barrier(MPI_COMM_WORLD); }\n")
        path = module("gcc", tmp_path / "tool.so", "int helper(void);\nint MPI_Barrier(void) { return helper(); }\n",
                      f"-L{tmp_path}/sub", "-lhelper")
        result = cairn_run("--tools", path, subject(mpi), LD_LIBRARY_PATH=tmp_path / "sub")
        assert (result.code, result.out) == (0, subject_output())
        assert result.err == not_loaded(path, f"libhelper.so was built for {other(mpi).name}, the application uses "
                                              f"{mpi.name} {mpi.version}", f"--tools {path}", TRY_THIS_MPI)

    @pytest.mark.parametrize("name", ["MPIR_being_debugged", "MPIR_proctable_size", "MPIR_debug_gate"])
    def test_names_of_the_debugger_interface_belong_to_no_mpi(self, name, tmp_path):
        """Open MPI has these too."""
        text = (f"#include <mpi.h>\nextern int {name} __attribute__((weak));\n"
                f"int MPI_Barrier(MPI_Comm c) {{ return &{name} == 0 ? PMPI_Barrier(c) : PMPI_Barrier(c); }}\n")
        path = module("mpicc.openmpi", tmp_path / "debugger.so", text)
        result = cairn_run("--tools", path, subject(MPIS[0]))
        assert (result.code, result.out, result.err) == (0, subject_output(), "")


class TestLibrariesThatAreNoTools:
    """They define every MPI function, so they look like tools; called, they would end the program."""

    def refused(self, mpi, path, why):
        tools = f"{path},{trace(mpi)}"
        result = cairn_run("--tools", tools, subject(mpi))
        assert (result.code, result.out) == (0, subject_output())
        assert result.err == not_loaded(path, why, f"--tools {tools}", TRY_BUNDLED) + "trace a\n"

    def test_cairn_itself_is_refused(self, mpi):
        self.refused(mpi, LIBCAIRN, "libcairn.so is Cairn itself, not a tool")

    @pytest.mark.parametrize("library", MPIS, ids=lambda library: library.id)
    def test_an_mpi_library_is_refused(self, mpi, library):
        """The application's own or the other."""
        self.refused(mpi, library.library_path(), f"{library.library} is the MPI library itself, not a tool")

    @pytest.mark.parametrize("library", MPIS, ids=lambda library: library.id)
    def test_an_mpi_library_under_another_name_is_refused(self, mpi, library, tmp_path):
        os.symlink(library.library_path(), tmp_path / "tool.so")
        self.refused(mpi, f"{tmp_path}/tool.so", "tool.so is the MPI library itself, not a tool")


class TestSearch:
    def test_name_in_tool_path(self, mpi, tmp_path):
        path = module(mpicc(mpi), tmp_path / "named.so")
        result = run(CAIRN, "check", subject(mpi), "--tools", "named.so", CAIRN_TOOL_PATH=f"/nosuch::{tmp_path}")
        assert result.code == 0
        assert f"named.so: intercepts 1 function ({path})\n" in result.out

    def test_name_in_library_path(self, mpi, tmp_path):
        path = module(mpicc(mpi), tmp_path / "named.so")
        result = run(CAIRN, "check", subject(mpi), "--tools", "named.so", LD_LIBRARY_PATH=tmp_path)
        assert f"named.so: intercepts 1 function ({path})\n" in result.out

    def test_a_file_of_the_current_folder_needs_a_slash(self, mpi, tmp_path):
        module(mpicc(mpi), tmp_path / "named.so")
        result = cairn_run("--tools", "named.so", subject(mpi), cwd=tmp_path)
        assert result.err == not_loaded("named.so", NO_SUCH_TOOL, "--tools named.so", TRY_TOOLS)

    def test_a_relative_path_is_taken_from_where_cairn_run_was_called(self, mpi, tmp_path):
        os.symlink(trace(mpi), tmp_path / "here.so")
        (tmp_path / "elsewhere").mkdir()
        script = program_file(tmp_path / "script", f"#!/bin/sh\ncd elsewhere\nexec {subject(mpi)}\n")
        assert cairn_run("--tools", "./here.so", script, cwd=tmp_path).err == "trace a\n"

    def test_separators_in_names_are_escaped(self, mpi, tmp_path):
        folder = tmp_path / "a,b=c:d"
        folder.mkdir()
        os.symlink(trace(mpi), folder / "x y.so")
        result = cairn_run("--tools", f"{tmp_path}/a\\,b\\=c:d/x y.so", subject(mpi))
        assert (result.code, result.err) == (0, "trace a\n")

    def test_option_values_with_separators(self, mpi):
        result = cairn_run("--tools", mpi.tool("cli/optioned") + r"=word:a\:b\,c=d\\e f", subject(mpi))
        assert (result.code, result.err) == (0, "optioned 1 at 1: word=[a:b,c=d\\e f]\n")
