# SPDX-License-Identifier: BSD-3-Clause
# test_run.py - what `cairn run` leaves as it is: output, input, arguments, exit codes and signals of the program.

import json
import os
import signal
import subprocess

import pytest

from cli_testing import *


def bare_and_stacked(mpi, *arguments, ranks=1, **env):
    launcher = mpi.mpirun(ranks) if ranks > 1 else []
    bare = run(*launcher, subject(mpi), *arguments, **env)
    stacked = run(*launcher, CAIRN, "run", "--tools", trace(mpi), subject(mpi), *arguments, **env)
    return bare, stacked


@pytest.mark.parametrize("code", [0, 3, 125, 255])
def test_exit_code_and_output_stay_the_programs(mpi, code):
    bare, stacked = bare_and_stacked(mpi, SUBJECT_EXIT=code)
    assert (bare.code, bare.out) == (code, subject_output())
    assert (stacked.code, stacked.out) == (code, bare.out)
    assert stacked.err == "trace a\n" + bare.err


def test_exit_code_and_output_stay_the_jobs_under_the_launcher(mpi):
    bare, stacked = bare_and_stacked(mpi, ranks=4, SUBJECT_EXIT=7)
    assert stacked.code == bare.code == 7
    assert stacked.out == bare.out


def test_arguments_reach_the_program_unchanged(mpi):
    arguments = ["", "two words", "'quoted'", '"', "a\nb", "\\", "*", "$HOME", "ä", "--", "-", "--tools", "x", "--strict",
                 "--out", "--help", "-h", "--version"]
    bare, stacked = bare_and_stacked(mpi, *arguments)
    assert bare.out == subject_output(*arguments)
    assert stacked.out == bare.out


def test_options_of_the_program_that_look_like_ours(mpi):
    result = cairn_run("--tools", trace(mpi), subject(mpi), "--tools", "x", "--strict")
    assert (result.code, result.out) == (0, subject_output("--tools", "x", "--strict"))
    assert result.err == "trace a\n"


def test_labels_are_noted(mpi, tmp_path):
    result = cairn_run("--tools", trace(mpi), "--label", "commit=1a2b", "--label", "case=big one", "--label", "commit=3c4d", "--out", tmp_path, subject(mpi),
                       CAIRN_LABELS="site=north,case=small")
    assert result.code == 0
    assert json.loads((tmp_path / "run.json").read_text())["labels"] == {"site": "north", "case": "big one", "commit": "3c4d"}


@pytest.mark.parametrize("label", ["commit", "=1", "two words=1", "a=1,2", "a=1\n"])
def test_labels_of_another_form_are_refused(label):
    result = cairn_run("--label", label, "true")
    assert (result.code, result.err) == (125, error(f"'{label}' is no label", asked=f"--label {label}",
                                                    remedy="NAME=VALUE; letters, digits, '_', '-' and '.' in the name, no comma in the value"))


@pytest.mark.parametrize("words, given", [
    (["--", "PROGRAM", "--tools", "x"], ["--tools", "x"]),
    (["PROGRAM", "--", "x"], ["--", "x"]),
    (["--", "PROGRAM", "--"], ["--"]),
    (["--tools=TOOL", "PROGRAM", "a"], ["a"]),
    (["--tools=TOOL", "--strict", "--", "PROGRAM", "--out"], ["--out"]),
], ids=" ".join)
def test_where_the_program_begins(mpi, words, given):
    words = [word.replace("PROGRAM", subject(mpi)).replace("TOOL", trace(mpi)) for word in words]
    result = cairn_run(*words)
    assert (result.code, result.out) == (0, subject_output(*given))


def test_the_program_sees_its_name_as_it_was_given(tmp_path):
    os.symlink("/bin/busybox" if os.path.exists("/bin/busybox") else "/bin/sh", tmp_path / "named")
    result = cairn_run("./named", "-c", 'echo "$0"', cwd=tmp_path)
    assert result.out == run("./named", "-c", 'echo "$0"', cwd=tmp_path).out


def test_standard_input_and_output_byte_for_byte(mpi, tmp_path):
    data = bytes(range(256)) * 300
    (tmp_path / "input").write_bytes(data)
    outputs = []
    for command in ([subject(mpi)], [CAIRN, "run", "--tools", trace(mpi), subject(mpi)]):
        with open(tmp_path / "input", "rb") as file:
            outputs.append(subprocess.run(command, stdin=file, env=environment(SUBJECT_COPY=1), capture_output=True).stdout)
    assert outputs[0] == subject_output().encode() + data
    assert outputs[1] == outputs[0]


def test_standard_input_under_the_launcher(mpi, tmp_path):
    (tmp_path / "input").write_bytes(b"some words\n" * 1000)
    outputs = []
    for command in ([subject(mpi)], [CAIRN, "run", "--tools", trace(mpi), "--", subject(mpi)]):
        with open(tmp_path / "input", "rb") as file:
            outputs.append(subprocess.run([*mpi.mpirun(2), *command], stdin=file, env=environment(SUBJECT_COPY=1),
                                          capture_output=True).stdout)
    assert outputs[1] == outputs[0]
    assert b"some words\n" * 1000 in outputs[0]


def interrupted(*command, number=signal.SIGINT, **env):
    """Exit code after a signal to the whole process group while the program waits."""
    process = subprocess.Popen(command, env=environment(SUBJECT_WAIT=1, **env), stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    try:
        while (line := process.stdout.readline()) != b"waiting\n":
            assert line, "the program ended before it waited"
        os.killpg(process.pid, number)
        process.communicate(timeout=30)
        return process.returncode
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_a_signal_ends_the_program_as_without_cairn(mpi, number):
    bare = interrupted(subject(mpi), number=number)
    assert bare == -number
    assert interrupted(CAIRN, "run", "--tools", trace(mpi), subject(mpi), number=number) == bare


def test_the_program_keeps_its_signal_handler(mpi):
    assert interrupted(CAIRN, "run", "--tools", trace(mpi), subject(mpi), SUBJECT_HANDLER=9) == 9


def test_control_c_at_the_launcher(mpi):
    bare = interrupted(*mpi.mpirun(2), subject(mpi))
    # Hydra ends with 0 or 2, whatever the program, as its parts see the signal in one order or the other.
    expected = (0, 2) if mpi.id == "mpich" else (bare,)
    assert bare in expected
    assert interrupted(*mpi.mpirun(2), CAIRN, "run", "--tools", trace(mpi), subject(mpi)) in expected


def test_the_process_stays_the_same(tmp_path):
    script = program_file(tmp_path / "script", "#!/bin/sh\necho $$\n")
    process = start(CAIRN, "run", "--tools", "profile", script)
    out, _ = process.communicate(timeout=30)
    assert int(out) == process.pid


def test_no_tools_nothing_printed_nothing_written(mpi, tmp_path):
    for options in ([], ["--tools", ""], ["--strict"]):
        result = cairn_run(*options, subject(mpi), cwd=tmp_path)
        assert (result.code, result.out, result.err) == (0, subject_output(), "")
    assert list(tmp_path.iterdir()) == []
