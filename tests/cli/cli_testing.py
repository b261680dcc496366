# SPDX-License-Identifier: BSD-3-Clause
# cli_testing.py - what the tests of the command share: the form of messages, modules built on the spot, the test program.

import os
import subprocess

import pytest

import cairn_testing
from cairn_testing import BUILD, CAIRN, LIBCAIRN, MPIS, SOURCE, environment, run  # noqa: F401  (for the tests' star import)

SYNTAX = "TOOL[=OPTION:VALUE...][@FILTER:VALUE...], layers separated by commas"
NO_SUCH_TOOL = "there is no bundled tool of this name, nor a file in CAIRN_TOOL_PATH, LD_LIBRARY_PATH or a system folder"
TRY_PATH = "the path of a shared library that wraps MPI functions"
TRY_THIS_MACHINE = "building the tool for this machine"
TRY_THIS_MPI = "building the tool with the application's MPI"
TRY_AGAIN = "building or copying the tool again"
TRY_EXPORTS = "a library that defines MPI_X functions under these names and exports them"
TRY_BUNDLED = "'cairn tools' for the bundled tools"
TRY_TOOLS = "'cairn tools' for the bundled tools, or the path of a shared library (with a '/' in it)"


def message(severity, text, asked=None, remedy=None):
    """A whole message of Cairn's."""
    lines = [f"cairn: {severity}: {text}"]
    if asked is not None:
        lines.append(f"cairn:   asked for by: {asked}")
    if remedy is not None:
        lines.append(f"cairn:   try: {remedy}")
    return "".join(line + "\n" for line in lines)


def error(text, asked=None, remedy=None):
    return message("error", text, asked, remedy)


def warning(text, asked=None, remedy=None):
    return message("warning", text, asked, remedy)


def not_loaded(tool, why, asked, remedy=None):
    return error(f"tool '{tool}' not loaded: {why}", asked, remedy)


def cairn_lines(text):
    """Cairn's messages among what launchers and tools say."""
    return "".join(line for line in text.splitlines(keepends=True) if line.startswith("cairn: "))


def subject(mpi):
    return mpi.program("cli/subject")


def subject_output(*arguments):
    """What the test program prints for these arguments."""
    return f"subject with {len(arguments)} arguments\n" + "".join(f"[{argument}]\n" for argument in arguments)


def trace(mpi, name="a"):
    return mpi.tool(f"cli/trace_{name}")


def other(mpi):
    return next(candidate for candidate in MPIS if candidate != mpi)


def cairn_run(*words, **more):
    return run(CAIRN, "run", *words, **more)


built = {}  # what was compiled before: the result's content and mode


def build(compiler, output, text, *flags):
    """Compiles C source text; the result's path. The same again is copied, unless it may depend on the folder's files."""
    source = output.parent / (output.name + ".c")
    words = [str(flag) for flag in flags]
    key = None if str(output.parent) in " ".join(words) else (compiler, output.name, text, *words)
    if key in built:
        content, mode = built[key]
        output.write_bytes(content)
        output.chmod(mode)
        return str(output)
    source.write_text(text)
    subprocess.run([compiler, "-g", "-O1", "-o", str(output), str(source), *words], check=True, cwd=output.parent)
    if key is not None:
        built[key] = output.read_bytes(), output.stat().st_mode
    return str(output)


def mpicc(mpi):
    return f"mpicc.{mpi.id}"


def module(compiler, output, text="#include <mpi.h>\nint MPI_Barrier(MPI_Comm c) { return PMPI_Barrier(c); }\n", *flags):
    return build(compiler, output, text, "-shared", "-fPIC", *flags)


def program_file(path, text):
    """An executable file with this content."""
    path.write_text(text)
    path.chmod(0o755)
    return str(path)


def start(*command, cwd=None, **env):
    """A process that the test talks to while it runs, in a process group of its own."""
    return subprocess.Popen([str(word) for word in command], cwd=cwd, env=environment(**env), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)


@pytest.fixture(params=["setuid", "setgid"])
def with_rights(request, tmp_path):
    """A program that runs as somebody else, and how the command calls that. It prints one line and returns 3."""
    program = build("gcc", tmp_path / "program", '#include <stdio.h>\nint main(void) { puts("output"); return 3; }\n')
    tmp_path.chmod(0o755)
    nobody = 65534
    try:
        os.chown(program, nobody, nobody)
    except PermissionError:
        pytest.skip("only root can give files away")
    os.chmod(program, 0o4755 if request.param == "setuid" else 0o2755)
    return program, request.param


mpi = cairn_testing.mpi  # the fixture
