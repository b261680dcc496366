# SPDX-License-Identifier: BSD-3-Clause
# test_sanitizers.py - programs built with a compiler's sanitizers start, and report what they report without Cairn: no
# leak of ours, and all of the program's.

import os
import re

import pytest

from cairn_testing import CAIRN, LIBCAIRN, run

KINDS = ["address", "address_own_options", "leak", "undefined", "thread", "address_clang", "address_clang_shared"]
TOOLS = ["plain/counter"] * 2


RUNTIME = re.compile(r"#0 |libstdc\+\+|libc\.so|ld-linux")  # frames that allocate on somebody's behalf


def allocated_by(block):
    """The innermost frame that is nobody's helper. Frames further out tell nothing: code without frame pointers leaves
    what happens to be in a register, and a call into the MPI library passes through Cairn in any case."""
    frames = [line for line in block.splitlines() if re.match(r"\s+#\d+ ", line) and not RUNTIME.search(line)]
    return frames[0] if frames else ""


def leaks(text):
    """The program's and Cairn's. The MPI libraries leak besides, and Open MPI more for each word that ranks leave in the
    launcher's store."""
    blocks = [block for block in text.split("\n\n") if re.search("program.c|cairn", allocated_by(block))]
    found = sorted(re.findall(r"leak of (\d+) byte", "\n\n".join(blocks)))
    assert found or "leak of" not in text, text  # the program has one
    return found


def outcome(result):
    return result.code, result.out, leaks(result.err), result.err.count("SUMMARY"), "does not come first" in result.err


@pytest.fixture(params=KINDS)
def program(request, watch):
    path = watch.path(f"sanitizers/{request.param}")
    if not os.path.exists(path):
        pytest.skip("this compiler is not here")
    return path


def start(watch, program, *command, **env):
    """Without the plugins of MPICH's hwloc: what they have allocated is left after they are closed, and the sanitizer reads
    /proc/self/maps again for each place of code that it does not find there (26 s in place of 0.3 s)."""
    return run(*watch.mpi.mpirun(1), *command, program, TEST_TOOL_LOG=watch.folder / "said", HWLOC_PLUGINS_PATH="/none", **env)


def test_the_program_does_what_it_does_without_cairn(watch, program):
    bare = outcome(start(watch, program))
    if "TSan" in str(bare) or bare[0] not in (1, 3, 23, 44, 66):
        pytest.skip(f"does not run bare: {bare[0]}")
    tools = [watch.tool(tool) for tool in TOOLS]
    stacked = start(watch, program, CAIRN, "run", "--tools", ",".join(tools))
    assert outcome(stacked) == bare
    said = (watch.folder / "said").read_text().splitlines()
    assert said == ["counter 0 MPI_Barrier=1 MPI_Init=1", "counter 0 MPI_Barrier=1 MPI_Comm_rank=1 MPI_Init=1"]


@pytest.mark.parametrize("program", ["address"], indirect=True)
def test_as_without_the_command_and_beside_the_users_own_preload(watch, program):
    bare = outcome(start(watch, program))
    tools = watch.tool("plain/counter")
    assert outcome(start(watch, program, "env", f"LD_PRELOAD={LIBCAIRN}", f"CAIRN_TOOLS={tools}")) == bare
    assert outcome(start(watch, program, "env", "LD_PRELOAD=libasan.so.8", CAIRN, "run", "--tools", tools)) == bare


@pytest.mark.parametrize("program", ["leak"], indirect=True)
def test_a_bundled_tool_leaks_nothing(watch, program, tmp_path):
    bare = start(watch, program)
    stacked = start(watch, program, CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / "out")
    assert (stacked.code, leaks(stacked.err)) == (bare.code, leaks(bare.err))


@pytest.mark.parametrize("program", ["address_own_options"], indirect=True)
def test_the_users_options_stay(watch, program):
    quiet = {"ASAN_OPTIONS": "detect_leaks=0"}
    assert start(watch, program, CAIRN, "run", "--tools", watch.tool("plain/counter"), **quiet).code == 3
