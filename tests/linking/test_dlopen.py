# SPDX-License-Identifier: BSD-3-Clause
# test_dlopen.py - programs that open what calls MPI while they run.

import pytest


@pytest.mark.parametrize("options", [[], ["--global"]], ids=["local", "global"])
def test_a_program_that_is_not_linked_with_mpi_is_seen_through_its_plugin(watch, mpi, options):
    watched = watch(["plain/counter"] * 2, "dlopen_mpi", mpi.program("plugin_mpi.so"), *options)
    watched.assert_clean("ok plugin_mpi: 2 ranks, 5 rounds, errors 0\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", {"MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Comm_size": 1, "MPI_Sendrecv": 5,
                         "MPI_Allreduce": 1, "MPI_Barrier": 1}) for above in (0, 1)]


@pytest.mark.parametrize("tool", ["dlsym/next_PMPI_early", "dlsym/default_PMPI_late", "dlsym/library_PMPI_late",
                                  "helper_library/front_a", "relro/now", "function_pointers/read_only_now"])
def test_tools_of_other_kinds_work_where_the_mpi_library_is_a_private_one(watch, mpi, tool):
    watched = watch([tool, tool, "plain/counter"], "dlopen_mpi", mpi.program("plugin_mpi.so"))
    watched.assert_clean("ok plugin_mpi: 2 ranks, 5 rounds, errors 0\n")
    for rank in (0, 1):
        assert [calls["MPI_Sendrecv"] for _, calls in watched.seen(rank)] == [5, 5, 5]


def test_a_fortran_library_opened_by_a_c_program_is_seen(watch):
    watched = watch(["plain/counter"] * 2, "dlopen/opens_fortran", watch.path("dlopen/fortran_plugin.so"))
    watched.assert_clean("0 values wrong\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", {"MPI_Init": 1, "MPI_Comm_rank": 2 + above, "MPI_Comm_size": 1, "MPI_Sendrecv": 3,
                         "MPI_Barrier": 2, "MPI_Allreduce": 1}) for above in (0, 1)]


def test_a_library_opened_twice_is_seen_twice(watch):
    watched = watch(["plain/counter"] * 2, "dlopen/opens_late", watch.path("dlopen/late_mpi.so"))
    watched.assert_clean("done\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [("counter", {"MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Barrier": 6})
                                      for above in (0, 1)]
