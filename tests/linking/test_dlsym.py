# SPDX-License-Identifier: BSD-3-Clause
# test_dlsym.py - tools that look up what is under them by name.

import pytest

from linking_runs import ring_calls

WAYS = [f"{where}_{prefix}_{time}"
        for where, prefix in (("next", "PMPI"), ("next", "MPI"), ("default", "PMPI"), ("library", "PMPI"),
                              ("program", "PMPI"))
        for time in ("late", "early")]


@pytest.mark.parametrize("way", WAYS)
def test_a_tool_finds_the_layer_below(watch, way):
    tool = f"dlsym/{way}"
    watch(["plain/counter", tool, tool, "plain/counter"]).assert_each_saw_the_ring(
        "counter", "finds_below", "finds_below", "counter")


def test_tools_of_all_ways_find_each_other(watch):
    watch([f"dlsym/{way}" for way in WAYS]).assert_each_saw_the_ring(*["finds_below"] * len(WAYS))


def test_mpi_names_in_the_default_scope_are_the_tools_own_or_those_below(watch):
    watched = watch(["plain/counter", "dlsym/finds_itself", "dlsym/finds_itself", "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("finds_itself", {"MPI_Barrier": 1, "MPI_Comm_size": 2}),
            ("finds_itself", {"MPI_Barrier": 1, "MPI_Comm_size": 3}),
            ("counter", ring_calls(5, MPI_Comm_size=3)),
        ]
