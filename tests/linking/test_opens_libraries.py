# SPDX-License-Identifier: BSD-3-Clause
# test_opens_libraries.py - a tool that opens and closes a library during the run.

from linking_runs import ring_calls


def test_what_a_tool_opens_calls_below_it_and_the_other_layers_stay_as_they_are(watch):
    watched = watch(["plain/counter", "opens_libraries/opens", "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("opens", {"MPI_Barrier": 1}),
            ("counter", ring_calls(2, MPI_Comm_size=3)),
        ]


def test_the_program_still_enters_the_stack_at_the_top_after_a_tool_has_opened_a_library(watch):
    watched = watch(["plain/counter", "opens_libraries/opens"], "dlopen/opens_late", watch.path("dlopen/late_mpi.so"))
    watched.assert_clean("done\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [("counter", {"MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Barrier": 6}),
                                      ("opens", {"MPI_Barrier": 6})]
