# SPDX-License-Identifier: BSD-3-Clause
# test_will.py - however a process ends, each tool of its stack leaves its part, and the process ends as it would have.
#
# The program is ways.c, the tool heir.cc. Signals' numbers are Linux's.

import concurrent.futures
import os
import resource
import subprocess

from cairn_testing import *

STANDIN = BUILD / "tests" / "standin"
DEADLY = [number for number in range(1, 65)
          if number not in (9, 17, 18, 19, 20, 21, 22, 23, 28, 32, 33)]  # the last two are the C library's own


def name_of(number):
    names = {1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 10: "SIGUSR1",
             11: "SIGSEGV", 12: "SIGUSR2", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 16: "SIGSTKFLT", 24: "SIGXCPU", 25: "SIGXFSZ",
             26: "SIGVTALRM", 27: "SIGPROF", 29: "SIGIO", 30: "SIGPWR", 31: "SIGSYS"}
    return names.get(number, "a real-time signal")


EXIT, LEAVE = "exit without MPI_Finalize", "_exit without MPI_Finalize"
HANDLERS = [  # way, signal, what is written
    ("handler_leaves", 15, [LEAVE]), ("handler_exits", 10, [EXIT]), ("handler_raises", 15, ["SIGTERM"]),
    ("handler_returns", 12, []), ("handler_is_large", 10, []), ("handler_of_fault_leaves", 11, [LEAVE]), ("handler_of_fault_raises", 11, ["SIGSEGV"]),
    ("handler_of_fault_once", 11, ["SIGSEGV"]), ("handler_of_overflow_once", 11, ["SIGSEGV"]),
    ("handler_of_abort_returns", 6, ["SIGABRT"]), ("handler_once", 10, []), ("ignored", 15, []), ("survives", 11, []),
    ("survives", 15, []), ("survives", 6, ["SIGABRT", "SIGABRT", "withdrawn"]), ("survives_then_terminates", 11, ["SIGTERM"]),
    ("survives_then_terminates", 6, ["SIGABRT", "SIGABRT", "SIGTERM"]), ("sees_its_own_actions", 15, [])]
WAYS = [(("faults",), ["SIGSEGV"]), (("overflows",), ["SIGSEGV"]), (("divides",), ["SIGFPE"]), (("traps",), None), (("misses",), ["SIGBUS"]),
        (("thread_faults",), ["SIGSEGV"]), (("aborts",), ["SIGABRT"]), (("exits",), [EXIT]), (("_exits",), [LEAVE]), (("_Exits",), [LEAVE]),
        (("quick_exits",), ["quick_exit without MPI_Finalize"]), (("alarms",), ["SIGALRM"]), (("pipes",), ["SIGPIPE"]),
        (("outgrows",), ["SIGXFSZ"]), (("finalizes_at_exit",), [EXIT, "withdrawn"]), (("children_end",), []),
        *((("sends", number), [name_of(number)]) for number in DEADLY),
        *(((way, number, *early), lines) for way, number, lines in HANDLERS for early in ((), ("early",)))]


def ended(command, **env):
    """Status as the kernel has it, with whether there would be a core file, and all output."""
    done = subprocess.Popen([str(word) for word in command], env=environment(**env), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, cwd="/", preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
    out = done.stdout.read().decode()
    return os.waitpid(done.pid, 0)[1], out


def lines_of(heirs):
    """What each level has written, by level."""
    lines = heirs.read_text().splitlines() if heirs.exists() else []
    return {level: [line[2:] for line in lines if line[0] == level] for level in sorted({line[0] for line in lines})}


def compare(way, folder, tools):
    """Runs the way bare and under the tools; what differs, and what was written by level and in which order."""
    heirs = folder / "-".join(map(str, way))
    program = [STANDIN / "ways", *way]
    bare = ended(program)
    under = ended([CAIRN, "run", "--tools", ",".join(tools), "--", *program], HEIRS=heirs)
    return (bare, under), lines_of(heirs), [line[0] for line in heirs.read_text().splitlines()] if heirs.exists() else []


@pytest.mark.parametrize("layers", [1, 3])
def test_every_tool_writes_whatever_ends_the_process_which_ends_as_without_them(layers, tmp_path):
    tools = [str(STANDIN / "heir.so")] * layers
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda way: compare(way[0], tmp_path, tools), WAYS))
    wrong = {}
    for (way, expected), ((bare, under), lines, order) in zip(WAYS, results):
        levels = {str(level): expected for level in range(1, layers + 1)} if expected else {}
        if expected is None:  # SIGILL or SIGTRAP, by the processor
            levels = {str(level): [name_of(bare[0] & 0x7f)] for level in range(1, layers + 1)}
        times = len(order) // layers
        if under != bare or lines != levels or order != sorted(levels) * times:
            wrong[way] = (bare, under, lines, order)
    assert wrong == {}


@pytest.mark.parametrize("fails", ["crash", "abort", "_exit"])
@pytest.mark.parametrize("way", [("faults",), ("exits",), ("_exits",), ("handler_of_fault_leaves", 11)], ids=lambda way: way[0])
def test_a_tool_that_fails_when_it_writes_stops_nobody(fails, way, tmp_path):
    heir = str(STANDIN / "heir.so")
    (bare, under), lines, _ = compare(way, tmp_path, [f"{heir}=fails:{fails}", f"{heir}=fails:{fails}", heir])
    assert under == bare
    assert list(lines) == ["1", "2", "3"]


def test_a_tool_that_hangs_when_it_writes_is_waited_for_some_seconds(tmp_path):
    heir = str(STANDIN / "heir.so")
    (bare, under), lines, _ = compare(("faults",), tmp_path, [heir + "=fails:hang", heir])
    assert (under, lines) == (bare, {"1": ["SIGSEGV"], "2": ["SIGSEGV"]})
