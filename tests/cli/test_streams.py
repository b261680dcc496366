# SPDX-License-Identifier: BSD-3-Clause
# test_streams.py - programs that close their standard streams, or get closed ones: no crash, nothing in the wrong place.

import os
import subprocess

import pytest

from cli_testing import *

QUIET = "profile=table:off"


@pytest.mark.parametrize("closed", ["0", "1", "012"])
@pytest.mark.parametrize("tools", ["profile", "nosuchtool"])
def test_a_program_that_closes_streams_before_mpi_init(mpi, closed, tools, tmp_path):
    bare = run(subject(mpi), SUBJECT_CLOSE=closed, SUBJECT_EXIT=3)
    result = cairn_run("--tools", tools, "--out", tmp_path, subject(mpi), SUBJECT_CLOSE=closed, SUBJECT_EXIT=3)
    assert (result.code, result.out) == (bare.code, bare.out)


def closed_from_the_start(command, closed, **env):
    """Exit code of a process that begins without some of its streams, and what it wrote to the others."""
    def close():
        for number in closed:
            os.close(number)
    done = subprocess.run(command, env=environment(**env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, preexec_fn=close, timeout=60)
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("closed", [[0], [1], [2], [0, 1, 2]], ids=str)
def test_streams_closed_from_the_start(mpi, closed, tmp_path):
    bare = closed_from_the_start([subject(mpi)], closed, SUBJECT_EXIT=3)
    stacked = closed_from_the_start([CAIRN, "run", "--tools", "profile", "--out", str(tmp_path), "--", subject(mpi)], closed,
                                    SUBJECT_EXIT=3)
    assert stacked == bare


@pytest.mark.parametrize("closed", [[1], [2], [1, 2]], ids=str)
def test_the_command_itself_without_streams(closed):
    assert closed_from_the_start([CAIRN, "run", "./nosuchprogram"], closed)[0] == 127
    not_written = 1 in closed  # what the command has to say
    assert closed_from_the_start([CAIRN, "check", "/bin/ls"], closed)[0] == (125 if not_written else 1)


@pytest.mark.parametrize("tools", ["profile", "nosuchtool"])
def test_a_file_that_took_the_place_of_standard_error_stays_clean(tools, tmp_path):
    """Cairn's and its tools' words must not end up in the program's data."""
    data = tmp_path / "data"
    result = cairn_run("--tools", tools, "--out", tmp_path / "out", subject(MPIS[1]), SUBJECT_CLOSE="2", SUBJECT_OPEN=data)
    assert (result.code, result.out) == (0, subject_output())
    assert data.read_text() == "data\n"


@pytest.mark.parametrize("tools", ["profile", "nosuchtool", f"{QUIET},nosuchtool"])
def test_nobody_reads_standard_error(mpi, tools, tmp_path):
    """As with `2>&1 | head`: a program that writes nothing there would not be ended by it."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([CAIRN, "run", "--tools", tools, "--out", str(tmp_path), "--", subject(mpi)],
                          env=environment(SUBJECT_EXIT=3), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=writer,
                          timeout=60)
    os.close(writer)
    assert (done.returncode, done.stdout.decode()) == (3, subject_output())


def test_nobody_reads_standard_error_of_a_program_without_mpi():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([CAIRN, "run", "--tools", "profile", "ls", "-d", "/"], env=environment(), stderr=writer,
                          stdout=subprocess.PIPE, timeout=60)
    os.close(writer)
    assert (done.returncode, done.stdout) == (0, b"/\n")


def test_a_full_device_as_standard_error(mpi, tmp_path):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([CAIRN, "run", "--tools", "profile,nosuchtool", "--out", str(tmp_path), "--", subject(mpi)],
                              env=environment(SUBJECT_EXIT=3), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=full,
                              timeout=60)
    assert (done.returncode, done.stdout.decode()) == (3, subject_output())


def test_a_program_without_mpi_that_closes_standard_error_is_still_warned_of():
    """As the GNU tools do at their end."""
    result = cairn_run("--tools", "profile", "sh", "-c", "exec 2>&-; exec ls -d /")
    assert (result.code, result.out) == (0, "/\n")


def test_standard_input_is_left_for_the_program(tmp_path):
    done = subprocess.run([CAIRN, "run", "--tools", "profile", "cat"], input=b"all of it", env=environment(),
                          capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"all of it")
