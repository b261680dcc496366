# SPDX-License-Identifier: BSD-3-Clause
# test_stack_file.py - `--stack FILE`: layers, options, paths; and every way in which the file can be wrong.

import os

import pytest

from cli_testing import *

SHAPE = '[[layer]] sections with tool = "NAME" and optionally options = { NAME = VALUE } and filters (ranks = "0-3")'
MPICH = MPIS[1]


def stack(folder, text, name="stack.toml"):
    (folder / name).write_text(text)
    return folder / name


def layers(*tools):
    return "".join(f'[[layer]]\ntool = "{tool}"\n' for tool in tools)


class TestGood:
    def test_layers_are_in_the_order_of_the_file(self, mpi, tmp_path):
        path = stack(tmp_path, layers(trace(mpi, "c"), trace(mpi, "a"), trace(mpi, "b")))
        result = cairn_run("--stack", path, subject(mpi))
        assert (result.code, result.out, result.err) == (0, subject_output(), "trace c\ntrace a\ntrace b\n")

    def test_those_of_the_command_line_are_outermost(self, mpi, tmp_path):
        path = stack(tmp_path, layers(trace(mpi, "a"), trace(mpi, "b")))
        result = cairn_run("--stack", path, "--tools", trace(mpi, "c"), subject(mpi))
        assert result.err == "trace c\ntrace a\ntrace b\n"

    def test_under_the_launcher_each_rank_has_the_tools_and_one_complains(self, mpi, tmp_path):
        path = stack(tmp_path, layers(trace(mpi, "a"), "nosuchtool"))
        result = run(*mpi.mpirun(4), CAIRN, "run", "--stack", path, "--tools", trace(mpi, "b"), "--", subject(mpi))
        assert (result.code, result.out) == (0, subject_output())
        assert (result.err.count("trace a\n"), result.err.count("trace b\n")) == (4, 4)
        assert cairn_lines(result.err) == not_loaded("nosuchtool", NO_SUCH_TOOL, f"--tools {trace(mpi, 'b')} --stack {path}",
                                                     TRY_TOOLS)

    def test_options_of_each_type(self, mpi, tmp_path):
        path = stack(tmp_path, f"""# a comment
[[layer]]
tool = '{mpi.tool("cli/optioned")}'
options = {{ word = "a,b:c=d\\\\e", whole = -12, real = 2.5, flag = true }}

[[layer]]
tool = "{mpi.tool("cli/optioned")}"
[layer.options]
word = ""
whole = 0x10
real = 1e3
flag = false
""")
        result = cairn_run("--stack", path, subject(mpi))
        assert result.code == 0
        assert [sorted(line.split(" ")) for line in result.err.splitlines()] == [
            sorted("optioned 1 at 1: word=[a,b:c=d\\e] whole=[-12] real=[2.5] flag=[on]".split(" ")),
            sorted("optioned 2 at 2: word=[] whole=[16] real=[1000] flag=[off]".split(" "))]

    def test_large_and_exact_numbers(self, tmp_path):
        path = stack(tmp_path, layers(MPICH.tool("cli/optioned")) + "options = { whole = 9007199254740993, real = 0.1234567890123 }\n")
        result = cairn_run("--stack", path, subject(MPICH))
        assert "whole=[9007199254740993]" in result.err
        assert "real=[0.1234567890123]" in result.err

    @pytest.mark.parametrize("tool", ["./tool.so", "../folder/tool.so", "deep/../tool.so"])
    def test_a_relative_path_is_taken_from_the_files_folder(self, mpi, tool, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "deep").mkdir()
        os.symlink(trace(mpi), folder / "tool.so")
        stack(folder, layers(tool))
        result = cairn_run("--stack", "folder/stack.toml", subject(mpi), cwd=tmp_path)
        assert (result.code, result.err) == (0, "trace a\n")

    def test_a_file_in_the_current_folder(self, mpi, tmp_path):
        os.symlink(trace(mpi), tmp_path / "tool.so")
        stack(tmp_path, layers("./tool.so"))
        assert cairn_run("--stack", "stack.toml", subject(mpi), cwd=tmp_path).err == "trace a\n"

    def test_a_bundled_tool_by_name(self, mpi, tmp_path):
        path = stack(tmp_path, layers("profile") + "options = { table = false }\n")
        result = cairn_run("--stack", path, "--out", tmp_path / "out", subject(mpi))
        assert (result.code, result.err) == (0, "")
        assert (tmp_path / "out" / "profile.json").exists()

    def test_a_missing_tool_is_said_with_its_whole_path(self, mpi, tmp_path):
        path = stack(tmp_path, layers("./missing.so"))
        result = cairn_run("--stack", path, subject(mpi))
        assert result.err == not_loaded(f"{tmp_path}/missing.so", f"'{tmp_path}/missing.so' does not exist",
                                        f"--stack {path}", "the path of the tool's shared library")

    def test_with_strict_a_missing_tool_ends_the_program(self, mpi, tmp_path):
        path = stack(tmp_path, layers("nosuchtool"))
        result = cairn_run("--strict", "--stack", path, subject(mpi))
        assert (result.code, result.out) == (125, "")

    @pytest.mark.parametrize("text", ["", "# nothing\n", "layer = []\n"])
    def test_a_file_without_layers_changes_nothing(self, text, tmp_path):
        result = cairn_run("--stack", stack(tmp_path, text), subject(MPICH))
        assert (result.code, result.out, result.err) == (0, subject_output(), "")


WRONG = [
    ('[[layer]\ntool = "a"\n', 1, 9, "Error while parsing table header: expected ']', saw '\\n'"),
    ('[[layer]]\ntool = "a\n', 2, 10,
     "Error while parsing string: unescaped control characters other than TAB (U+0009) are explicitly prohibited"),
    ('[[layer]]\ntool = "a"\ntool = "b"\n', 3, 8, "Error while parsing key-value pair: cannot redefine existing string 'tool'"),
    ('x = 1\n', 1, 1, "unknown key 'x'"),
    ('[[layers]]\ntool = "a"\n', 1, 3, "unknown key 'layers'"),
    ('[[layer]]\ntool = "a"\nfoo = 1\n', 3, 1, "unknown key 'foo'"),
    ('[[layer]]\ntool = "a"\n\n[[layer]]\n  Tool = "b"\n', 5, 3, "unknown key 'Tool'"),
    ('[[layer]]\ntool = 3\n', 2, 8, "'tool' must be a name or path in quotes"),
    ('[[layer]]\ntool = ""\n', 2, 8, "'tool' must be a name or path in quotes"),
    ('[[layer]]\ntool = ["a"]\n', 2, 8, "'tool' must be a name or path in quotes"),
    ('[[layer]]\noptions = {}\n', 1, 1, "a layer without 'tool'"),
    ('[[layer]]\ntool = "a"\n[[layer]]\n', 3, 1, "a layer without 'tool'"),
    ('[layer]\ntool = "a"\n', 1, 1, "'layer' must be an array of tables"),
    ('layer = 3\n', 1, 9, "'layer' must be an array of tables"),
    ('layer = [{ tool = "a" }, 1]\n', 1, 26, "a layer must be a table"),
    ('[[layer]]\ntool = "a"\noptions = 3\n', 3, 11, "'options' must be a table"),
    ('[[layer]]\ntool = "a"\noptions = { top = [1] }\n', 3, 19,
     "an option's value must be a string, a number, true or false"),
    ('[[layer]]\ntool = "a"\noptions = { top = { x = 1 } }\n', 3, 19,
     "an option's value must be a string, a number, true or false"),
    ('[[layer]]\ntool = "a"\noptions = { day = 2026-01-01 }\n', 3, 19,
     "an option's value must be a string, a number, true or false"),
]


FILTERS = [
    ('ranks = "3-1"', 9, "'ranks' cannot be '3-1'", "ranks:N|N-M[+...], only on these ranks of MPI_COMM_WORLD"),
    ('ranks = [0, "1,x"]', 9, "'ranks' cannot be '0+1+x'", "ranks:N|N-M[+...], only on these ranks of MPI_COMM_WORLD"),
    ('from = 10', 8, "'from' cannot be '10'", "from:TIME, off before this time after the first MPI call: 500ms, 10s, 5m, 2h"),
    ('phase = "one"', 9, "'phase' cannot be 'one'",
     "phase:LEVEL[+LEVEL...], only while the last MPI_Pcontrol had one of these levels (at first: 1)"),
    ('active = "maybe"', 10, "'active' cannot be 'maybe'", "active:on|off, off: starts switched off"),
    ('functions = [{}]', 14, "a filter's value must be a string, a number, true or false, or a list of them", SHAPE),
]


@pytest.mark.parametrize("line, column, what, remedy", FILTERS, ids=[case[0] for case in FILTERS])
def test_wrong_filters_are_refused_with_their_place(line, column, what, remedy, tmp_path):
    path = stack(tmp_path, f'[[layer]]\ntool = "a"\n{line}\n')
    result = cairn_run("--stack", path, subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"stack file '{path}', line 3, column {column}: {what}", f"--stack {path}", remedy)


@pytest.mark.parametrize("text, line, column, what", WRONG, ids=[f"{case[3][:40]} {case[1]}-{case[2]}" for case in WRONG])
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_wrong_file_is_refused_with_the_place(command, text, line, column, what, tmp_path):
    path = stack(tmp_path, text)
    result = run(CAIRN, command, "--stack", path, subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"stack file '{path}', line {line}, column {column}: {what}", f"--stack {path}", SHAPE)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "stack.toml").write_bytes(b'[[layer]]\ntool = "\xff\xfe"\n')
    result = cairn_run("--stack", tmp_path / "stack.toml", subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"stack file '{tmp_path}/stack.toml', line 2, column 8: Encountered invalid utf-8 sequence",
                               f"--stack {tmp_path}/stack.toml", SHAPE)


@pytest.mark.parametrize("name", ["missing.toml", "file/below.toml"])
def test_a_missing_file_is_an_error(name, tmp_path):
    (tmp_path / "file").write_text("")
    result = cairn_run("--stack", tmp_path / name, subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"stack file '{tmp_path}/{name}' cannot be read", f"--stack {tmp_path}/{name}", "the path of a TOML file")


@pytest.mark.parametrize("setting", ["CAIRN_STACK", "PNMPI_CONF"])
@pytest.mark.parametrize("command", [(CAIRN, "run"), ()], ids=["command", "preloaded"])
def test_a_file_that_a_variable_names_is_the_variables(command, setting, tmp_path):
    """Without the command only CAIRN_STACK is read, and the program runs on."""
    missing = tmp_path / "missing.toml"
    result = run(*command, subject(MPICH), LD_PRELOAD=None if command else LIBCAIRN, **{setting: missing})
    told = error(f"stack file '{missing}' cannot be read", f"{setting}={missing}", "the path of a TOML file")
    assert (result.code, result.out) == ((125, "") if command else (0, subject_output()))
    assert result.err == (told if command or setting == "CAIRN_STACK" else "")


def test_settings_of_the_file_are_the_files(tmp_path):
    path = stack(tmp_path, "[set]\nx = {}\n")
    result = cairn_run("--stack", path, subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"stack file '{path}', line 2, column 5: 'x' has no 'value'", f"--stack {path}",
                               'NAME = VALUE, or NAME = { value = VALUE, ranks = "0-3" }')


def test_a_folder_is_no_stack_file(tmp_path):
    result = cairn_run("--stack", tmp_path, subject(MPICH))
    assert (result.code, result.out) == (125, "")
    assert result.err.startswith(f"cairn: error: stack file '{tmp_path}' ")
