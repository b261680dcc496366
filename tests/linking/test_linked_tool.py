# SPDX-License-Identifier: BSD-3-Clause
# test_linked_tool.py - a program that has a PMPI tool already, by its link line or by the user's LD_PRELOAD.
#
# A shared tool stands where it stood, directly above the MPI library: Cairn's layers come between it and the program,
# so it sees the program's calls and those of the layers. A tool inside the executable cannot be stepped over: the
# program's calls are bound to it, so it stays outermost, and what it passes on goes through the layers.

import pytest

from cairn_testing import CAIRN, run

OUTPUT = "0 wrong\n"


def calls(above=0):
    return {"MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Comm_size": 1, "MPI_Sendrecv": 4, "MPI_Bcast": 1,
            "MPI_Barrier": 2}


def test_a_shared_tool_is_innermost_and_sees_what_it_sees_bare(watch):
    bare = watch.bare("linked_tool/with_shared_tool")
    bare.assert_clean(OUTPUT)
    watched = watch(["plain/counter"] * 2, "linked_tool/with_shared_tool")
    watched.assert_clean(OUTPUT)
    for rank in (0, 1):
        assert bare.seen(rank) == [("linked", calls(0))]
        assert watched.seen(rank) == [("counter", calls(0)), ("counter", calls(1)), ("linked", calls(2))]


@pytest.mark.parametrize("position", ["pie", "no-pie"])
def test_a_tool_inside_the_program_is_outermost_and_sees_what_it_sees_bare(watch, position):
    bare = watch.bare(f"linked_tool/with_tool_inside_{position}")
    bare.assert_clean(OUTPUT)
    watched = watch(["plain/counter"] * 2, f"linked_tool/with_tool_inside_{position}")
    watched.assert_clean(OUTPUT)
    for rank in (0, 1):
        assert bare.seen(rank) == [("inside", calls(0))]
        assert watched.seen(rank) == [("inside", calls(0)), ("counter", calls(1)), ("counter", calls(2))]


@pytest.mark.parametrize("position", ["pie", "no-pie"])
def test_a_tool_inside_the_program_that_wraps_only_some_functions_is_outermost_too(watch, position):
    seen_inside = {"MPI_Bcast": 1, "MPI_Barrier": 2}
    bare = watch.bare(f"linked_tool/with_part_inside_{position}")
    bare.assert_clean(OUTPUT)
    watched = watch(["plain/counter"] * 2, f"linked_tool/with_part_inside_{position}")
    watched.assert_clean(OUTPUT)
    for rank in (0, 1):
        assert bare.seen(rank) == [("some_functions", seen_inside)]
        assert watched.seen(rank) == [("some_functions", seen_inside), ("counter", calls(1)), ("counter", calls(2))]


def run_with_own_preload(watch, *tools):
    # The launcher itself must not get the user's LD_PRELOAD, so it is set on the way to the program.
    preload = f"LD_PRELOAD={watch.tool('linked_tool/liblinked')}"
    return watch.run_with(lambda **more: run(*watch.mpi.mpirun(2), "env", preload, CAIRN, "run", *tools, "--",
                                             watch.mpi.program("ring_c"), **more), {})


def test_the_users_own_preloaded_tool_is_kept_and_innermost(watch):
    run_with_own_preload(watch, "--tools", watch.tool("plain/counter")).assert_each_saw_the_ring("counter", "linked")


def test_the_users_own_preloaded_tool_works_without_any_layer(watch):
    run_with_own_preload(watch).assert_each_saw_the_ring("linked")


def test_the_linked_tool_as_a_layer_too_has_two_states(watch):
    watched = watch(["linked_tool/liblinked"], "linked_tool/with_shared_tool")
    watched.assert_clean(OUTPUT)
    for rank in (0, 1):
        assert watched.seen(rank) == [("linked", calls(0)), ("linked", calls(1))]
