# SPDX-License-Identifier: BSD-3-Clause
# test_calls_mpi_by_name.py - a wrapper that calls MPI_X instead of PMPI_X.

from linking_runs import ring_calls


def test_without_an_own_wrapper_the_call_goes_down_and_not_to_the_top(watch):
    watched = watch(["plain/counter", "calls_mpi_by_name/asks", "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("asks", {"MPI_Barrier": 1}),
            ("counter", ring_calls(2, MPI_Comm_size=4)),
        ]


def test_with_an_own_wrapper_the_call_goes_there(watch):
    watched = watch(["plain/counter", "calls_mpi_by_name/asks_itself", "plain/counter"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", ring_calls(0)),
            ("asks", {"MPI_Barrier": 1, "MPI_Comm_size": 4}),
            ("counter", ring_calls(2, MPI_Comm_size=4)),
        ]


def test_instances_of_such_tools_do_not_call_each_other_in_a_circle(watch):
    watched = watch(["calls_mpi_by_name/asks_itself", "calls_mpi_by_name/asks", "calls_mpi_by_name/asks_itself",
                     "calls_mpi_by_name/asks"])
    watched.assert_clean()
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("asks", {"MPI_Barrier": 1, "MPI_Comm_size": 4}),
            ("asks", {"MPI_Barrier": 1}),
            ("asks", {"MPI_Barrier": 1, "MPI_Comm_size": 10}),
            ("asks", {"MPI_Barrier": 1}),
        ]
