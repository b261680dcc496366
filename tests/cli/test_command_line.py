# SPDX-License-Identifier: BSD-3-Clause
# test_command_line.py - wrong command lines: text, exit code, nothing on standard output, once per job.

import shutil
import subprocess

import pytest

from cli_testing import *

TRY_RUN = "cairn run --tools profile ./program"


def no_option(option, command="cairn", near=None):
    return error(f"'{command}' has no option '{option}'", remedy=near or f"{command} --help")


def too_many(word, command):
    return error(f"'{command}' does not take the argument '{word}'", remedy=f"{command} --help")


@pytest.mark.parametrize("words, text", [
    (["frob"], error("there is no command 'frob'", remedy="cairn --help")),
    (["reprot", "x", "y"], error("there is no command 'reprot'", remedy="cairn report")),
    (["--frob"], no_option("--frob")),
    (["--verison"], no_option("--verison", near="--version")),
    (["--manual"], no_option("--manual")),
    (["run", "--frob"], no_option("--frob", "cairn run")),
    (["run", "--tols=profile", "true"], no_option("--tols", "cairn run", "--tools")),
    (["run", "--too", "profile", "true"], no_option("--too", "cairn run", "--tools")),
    (["run", "--version"], no_option("--version", "cairn run")),
    (["report", "a", "--hmtl", "x", "b", "c"], no_option("--hmtl", "cairn report", "--html")),
    (["run", "--tools"], error("--tools: 1 required LIST missing", remedy="cairn run --help")),
    (["run", "--stack"], error("--stack: 1 required FILE missing", remedy="cairn run --help")),
    (["run", "--out"], error("--out: 1 required DIR missing", remedy="cairn run --help")),
    (["run", "--tools", "a", "--tools", "b", "true"],
     error("--tools: At Most 1 required but received 2", remedy="cairn run --help")),
    (["run"], error("no program given", remedy=TRY_RUN)),
    (["run", "--"], error("no program given", remedy=TRY_RUN)),
    (["run", "--tools", "profile"], error("no program given", remedy=TRY_RUN)),
    (["run", "--tools=profile"], error("no program given", remedy=TRY_RUN)),
    (["run", "--strict"], error("no program given", remedy=TRY_RUN)),
    (["check"], error("program is required", remedy="cairn check --help")),
    (["check", "--tools", "profile"], error("program is required", remedy="cairn check --help")),
    (["check", "true", "--frob"], no_option("--frob", "cairn check")),
    (["check", "true", "extra", "more"], too_many("extra", "cairn check")),
    (["check", "true", "--mpi"], error("--mpi: 1 required MPI missing", remedy="cairn check --help")),
    (["tools", "extra"], too_many("extra", "cairn tools")),
    (["tools", "--frob"], no_option("--frob", "cairn tools")),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")
def test_a_wrong_command_line_is_an_error(words, text):
    result = run(CAIRN, *words)
    assert (result.code, result.out, result.err) == (125, "", text)


@pytest.mark.parametrize("words", [["--help"], ["--version"], ["--manual", "cairn"], ["tools"], ["advise", "--fields"], ["report", "."],
                                   ["report", ".", "--text", "-"], ["check", "true"], ["run", "--explain", "true"]], ids=" ".join)
def test_what_cannot_be_written_is_no_success(words, tmp_path):
    (tmp_path / "profile.json").write_text('{"format": "cairn-profile 1", "functions": []}')
    with open("/dev/full", "w") as full:
        done = subprocess.run([CAIRN, *words], cwd=tmp_path, env=environment(), stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr.splitlines()[-2:]) == (125, [
        "cairn: error: standard output cannot be written: No space left on device", "cairn:   try: a file or disk with space left"])


@pytest.mark.parametrize("tools, text", [
    ("profile=", "option '' of tool 'profile' has no value"),
    ("profile=top:1:", "option '' of tool 'profile' has no value"),
    (",", "a tool's name is missing in ''"),
    ("profile,", "a tool's name is missing in ''"),
    (",profile", "a tool's name is missing in ''"),
    ("=top:1", "a tool's name is missing in '=top:1'"),
])
@pytest.mark.parametrize("command", ["run", "check"])
def test_wrong_list_of_tools(command, tools, text, tmp_path):
    program = program_file(tmp_path / "program", "#!/bin/sh\necho ran\n")
    result = run(CAIRN, command, "--tools", tools, program)
    assert (result.code, result.out) == (125, "")
    assert result.err.startswith(error(text))
    assert result.err.endswith(f"cairn:   try: {SYNTAX}\n")


def test_wrong_list_of_tools_says_who_asked():
    assert cairn_run("--tools", "profile=", "true").err == error(
        "option '' of tool 'profile' has no value", "--tools profile=", SYNTAX)


@pytest.mark.parametrize("words", [["--frob"], ["--tools", "profile=", "true"],
                                   ["--stack", "missing.toml", "true"]], ids=" ".join)
def test_a_wrong_command_line_is_said_once_per_job(mpi, words):
    result = run(*mpi.mpirun(4), CAIRN, "run", *words)
    assert result.code == 125
    assert cairn_lines(result.err).count("cairn: error: ") == 1


class TestProgram:
    def test_a_name_that_is_not_in_path_gives_exit_code_127(self):
        result = cairn_run("nosuchprogram")
        assert (result.code, result.out) == (127, "")
        assert result.err == error("program 'nosuchprogram' not found", remedy="./nosuchprogram, or a name in PATH")

    def test_a_path_that_is_not_there_gives_exit_code_127(self):
        result = cairn_run("./nosuchprogram")
        assert (result.code, result.out, result.err) == (127, "", error("program './nosuchprogram' not found"))

    def test_a_file_of_the_current_folder_is_not_found_by_name_alone(self, tmp_path):
        program_file(tmp_path / "nosuchprogram", "#!/bin/sh\n")
        assert cairn_run("nosuchprogram", cwd=tmp_path).code == 127

    def test_an_empty_name_is_not_found(self):
        result = cairn_run("")
        assert (result.code, result.out) == (127, "")
        assert result.err.splitlines()[0] == "cairn: error: program '' not found"

    def test_after_two_dashes_two_dashes_are_a_program(self):
        assert cairn_run("--", "--").code == 127

    @pytest.mark.parametrize("words", [[], ["--tools", "profile"], ["--strict"]], ids=" ".join)
    def test_a_file_that_is_not_executable_gives_exit_code_126(self, tmp_path, words):
        (tmp_path / "file").write_text("x")
        result = cairn_run(*words, "./file", cwd=tmp_path)
        assert (result.code, result.out) == (126, "")
        assert result.err == error("program './file' is not executable", remedy="chmod +x ./file")

    def test_a_name_in_path_that_is_not_executable(self, tmp_path):
        (tmp_path / "file").write_text("x")
        result = cairn_run("file", PATH=tmp_path)
        assert result.code == 126
        assert result.err == error(f"program '{tmp_path}/file' is not executable", remedy=f"chmod +x {tmp_path}/file")

    def test_a_later_executable_in_path_is_taken(self, tmp_path):
        (tmp_path / "first").mkdir()
        (tmp_path / "first" / "tool").write_text("x")
        (tmp_path / "second").mkdir()
        program_file(tmp_path / "second" / "tool", "#!/bin/sh\necho second\n")
        assert cairn_run("tool", PATH=f"{tmp_path}/first:{tmp_path}/second").out == "second\n"

    def test_an_empty_entry_of_path_is_the_current_folder(self, tmp_path):
        program_file(tmp_path / "here", "#!/bin/sh\necho here\n")
        assert cairn_run("here", cwd=tmp_path, PATH=":/usr/bin").out == "here\n"

    def test_a_folder_is_there_but_cannot_be_run(self, tmp_path):
        (tmp_path / "folder").mkdir()
        result = cairn_run("./folder", cwd=tmp_path)
        assert (result.code, result.out) == (126, "")
        assert "not found" not in result.err
        assert result.err.startswith("cairn: error: program './folder' ")

    def test_a_file_that_is_no_program(self, tmp_path):
        program_file(tmp_path / "file", "\x7fELF and no more\n")
        result = cairn_run("./file", cwd=tmp_path)
        assert (result.code, result.out) == (126, "")
        assert result.err == error("program './file' cannot be run: Exec format error")

    def test_a_script_that_names_no_interpreter_is_run_as_shells_and_launchers_do(self, mpi, tmp_path):
        program_file(tmp_path / "script", f'echo "$0" "$2"\nexec {subject(mpi)} "$@"\n')
        bare = run("env", "./script", "1", "two words", cwd=tmp_path, SUBJECT_EXIT=3)
        result = cairn_run("--tools", trace(mpi), "./script", "1", "two words", cwd=tmp_path, SUBJECT_EXIT=3)
        assert (result.code, result.out) == (bare.code, bare.out) == (3, "./script two words\n" + subject_output("1", "two words"))
        assert result.err == "trace a\n"

    def test_an_empty_script_does_nothing(self, tmp_path):
        program_file(tmp_path / "script", "")
        assert cairn_run("./script", cwd=tmp_path).code == run("env", "./script", cwd=tmp_path).code == 0

    def test_a_script_whose_interpreter_is_missing(self, tmp_path):
        program_file(tmp_path / "script", "#!/nosuch/interpreter\n")
        result = cairn_run("./script", cwd=tmp_path)
        assert (result.code, result.out) == (126, "")
        assert result.err.startswith("cairn: error: program './script' cannot be run: ")
        assert "/nosuch/interpreter" in result.err  # "No such file or directory" alone would blame the script

    def test_said_once_per_job(self, mpi):
        result = run(*mpi.mpirun(4), CAIRN, "run", "./nosuchprogram")
        assert result.code == 127
        assert cairn_lines(result.err) == error("program './nosuchprogram' not found")

    @pytest.mark.parametrize("words, said", [
        (["./nosuchprogram"], error("program './nosuchprogram' not found")),
        (["--tolos", "x"], error("'cairn run' has no option '--tolos'", remedy="--tools")),
    ])
    def test_of_one_of_several_programs_said_once(self, mpi, words, said, tmp_path):
        """Rank 0, which speaks for all else, runs another one, until it has been said."""
        other = program_file(tmp_path / "other", f"#!/bin/sh\nfor i in $(seq 300); do [ ! -e {tmp_path}/go ] || exit 0; sleep 0.1; done\n")
        command = [*mpi.mpirun(2), other, ":", "-n", "3", str(CAIRN), "run", *words]
        with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as job:
            first = job.stderr.readline()
            (tmp_path / "go").touch()
            assert cairn_lines(first + job.stderr.read()) == said

    def test_exec_failure_is_said_once_per_job(self, mpi, tmp_path):
        program = program_file(tmp_path / "file", "\x7fELF and no more\n")
        result = run(*mpi.mpirun(4), CAIRN, "run", program)
        assert result.code == 126
        assert cairn_lines(result.err) == error(f"program '{program}' cannot be run: Exec format error")


def test_the_other_commands_are_found_where_folders_are_links_to_others(tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "lib64" / "cairn").mkdir(parents=True)
    (tmp_path / "lib").symlink_to("lib64")
    for file in ("bin/cairn", "lib/libcairn.so", "lib/cairn/cairn-commands"):
        shutil.copy(BUILD / file, tmp_path / file)
    (tmp_path / "cairn").symlink_to(tmp_path / "bin" / "cairn")
    for command in (tmp_path / "bin" / "cairn", tmp_path / "cairn", tmp_path / "lib" / "cairn" / "cairn-commands"):
        result = run(command, "tools")
        assert (result.code, result.err) == (0, ""), command


def test_where_the_program_of_other_commands_is_missing_run_is_there(tmp_path):
    (tmp_path / "bin").mkdir()
    shutil.copy(BUILD / "bin" / "cairn", tmp_path / "bin")
    cairn = tmp_path / "bin" / "cairn"
    failed = run(cairn, "report", tmp_path)
    assert (failed.code, failed.err) == (125, f"cairn: error: there is no command 'report': '{tmp_path}/lib/cairn/cairn-commands', which has all but 'run', is missing\n"
                                              "cairn:   try: ./dev build, or installing Cairn again\n")
    assert run(cairn, "--version").out == run(CAIRN, "--version").out
    assert "\n  run " in run(cairn).out
