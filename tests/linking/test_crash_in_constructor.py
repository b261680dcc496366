# SPDX-License-Identifier: BSD-3-Clause
# test_crash_in_constructor.py - a tool that crashes while it is loaded costs the user that tool and nothing else.

import pytest

from linking_runs import RING_OUTPUT

SIGNALS = {"writes_to_null": "SIGSEGV", "fills_null": "SIGSEGV", "calls_null": "SIGSEGV",
           "calls_null_at_the_end": "SIGSEGV", "overflows_stack": "SIGSEGV", "aborts": "SIGABRT", "throws": "SIGABRT",
           "throws_number": "SIGABRT", "divides_by_zero": "SIGFPE", "traps": "SIGILL",
           "writes_to_null_with_destructor": "SIGSEGV", "needs_crashing": "SIGSEGV"}
every_way = pytest.mark.parametrize("way", SIGNALS)


def said_by_cairn(watched):
    """The C++ library of a tool that throws writes its last words in pieces, and the launcher may put our lines, each whole,
    behind a piece from the other rank."""
    return [line[line.index("cairn: "):] for line in watched.err.splitlines() if "cairn: " in line]


def message(watch, way, tools):
    tool = watch.tool(f"crash_in_constructor/{way}")
    return [f"cairn: error: tool '{tool}' not loaded: its constructor crashed ({SIGNALS[way]})",
            f"cairn:   asked for by: --tools {','.join(watch.tool(name) for name in tools)}"]


OPENS = ("crash_in_constructor/opens_in_thread", "libm.so.6")
OPENS_CALLS = {"MPI_Init": 1, "MPI_Comm_rank": 1}


@every_way
def test_the_message_comes_once_and_the_other_layers_and_the_program_with_its_threads_go_on(watch, way):
    tools = ["plain/counter", f"crash_in_constructor/{way}", "plain/counter"]
    watched = watch(tools, *OPENS)
    assert said_by_cairn(watched) == message(watch, way, tools)
    assert (watched.out, watched.code) == ("opened\n", 0)
    for rank in (0, 1):
        assert watched.seen(rank) == [("counter", OPENS_CALLS), ("counter", OPENS_CALLS | {"MPI_Comm_rank": 2})]


def test_the_program_does_the_same_without_cairn(watch):
    watch.bare(*OPENS).assert_clean("opened\n")


def test_threads_can_open_libraries_after_several_crashes(watch):
    tools = [f"crash_in_constructor/{way}" for way in ("aborts", "throws", "writes_to_null")]
    watched = watch([*tools, "plain/counter"], *OPENS, ranks=1)
    assert (watched.out, watched.code) == ("opened\n", 0)


def test_tools_crash_one_after_the_other_with_a_message_each(watch):
    ways = ["writes_to_null", "throws", "writes_to_null", "aborts"]
    tools = ["plain/counter", *(f"crash_in_constructor/{way}" for way in ways), "plain/counter"]
    watched = watch(tools)
    expected = []
    for way in reversed(ways):  # the innermost layer is loaded first
        expected += message(watch, way, tools)
    assert said_by_cairn(watched) == expected
    watched.err = ""
    watched.assert_each_saw_the_ring("counter", "counter")


@pytest.mark.parametrize("way", ["writes_to_null", "calls_null", "throws"])
def test_strict_does_not_run_the_program_and_exits_with_125(watch, way):
    tools = ["plain/counter", f"crash_in_constructor/{way}"]
    watched = watch(tools, ranks=1, options=["--strict"])
    assert said_by_cairn(watched) == [*message(watch, way, tools),
                                      "cairn: error: the program is not run: not every tool could be loaded",
                                      "cairn:   asked for by: --strict"]
    assert (watched.out, watched.code) == ("", 125)
    assert watched.lines == []
