# SPDX-License-Identifier: BSD-3-Clause
# test_globals.py - C++ tools with state in every kind of storage.

from linking_runs import RING_OUTPUT, readelf

STORAGE = ["global", "container", "inline_variable", "template_variable", "inline_function", "template_function"]


def expected(calls, of_main_thread):
    return dict.fromkeys(STORAGE, calls) | {"thread_variable": of_main_thread, "thread_container": of_main_thread,
                                            "caught": calls}


def test_the_tool_has_symbols_that_are_unique_per_process(watch):
    assert " UNIQUE " in readelf("--dyn-syms", watch.tool("globals/globals"))


def test_three_instances_have_their_own_state_and_exceptions(watch):
    watched = watch(["globals/globals"] * 3)
    watched.assert_clean(RING_OUTPUT)
    for rank in (0, 1):
        assert watched.seen(rank) == [("globals", expected(10, 10))] * 3


def test_three_instances_have_their_own_state_with_threads(watch):
    watched = watch(["globals/globals"] * 3, "threads")
    watched.assert_clean("ok threads: 2 ranks, 4 threads, errors 0\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [("globals", expected(200, 0))] * 3
