# SPDX-License-Identifier: BSD-3-Clause
# test_deep_binding.py - programs whose MPI calls the dynamic loader binds to the MPI library, past every preloaded library.

import pytest

PLUGIN_OUTPUT = "ok plugin_mpi: 2 ranks, 5 rounds, errors 0\n"


@pytest.mark.parametrize("when", ["now", "lazy"])
def test_a_plugin_opened_deeply_bound_before_the_first_mpi_call_is_seen(watch, mpi, when):
    watched = watch(["plain/counter"] * 2, "deep_binding/opens_deep", mpi.program("plugin_mpi.so"), when)
    watched.assert_clean(PLUGIN_OUTPUT)
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", {"MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Comm_size": 1, "MPI_Sendrecv": 5,
                         "MPI_Allreduce": 1, "MPI_Barrier": 1}) for above in (0, 1)]


def test_plugins_opened_deeply_bound_later_are_seen_in_c_and_fortran(watch):
    watched = watch(["plain/counter"] * 2, "deep_binding/opens_deep_late", watch.path("dlopen/late_mpi.so"),
                    watch.path("dlopen/fortran_plugin.so"))
    watched.assert_clean("0 wrong\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [
            ("counter", {"MPI_Init": 1, "MPI_Comm_rank": 2 + above, "MPI_Comm_size": 1, "MPI_Sendrecv": 3,
                         "MPI_Barrier": 5, "MPI_Allreduce": 1}) for above in (0, 1)]


def test_a_program_that_opens_the_mpi_library_itself_is_seen_though_it_asked_too_early(watch, mpi):
    bare = watch.bare("deep_binding/opens_library", mpi.library, ranks=1)
    watched = watch(["plain/counter"], "deep_binding/opens_library", mpi.library, ranks=1)
    watched.assert_clean(bare.out)
    assert watched.seen(0) == [("counter", {"MPI_Init": 1})]


def test_of_an_mpi_library_in_another_namespace_it_is_said_that_no_tool_can_see_it(watch, mpi):
    program = watch.path("deep_binding/opens_deep")
    bare = watch.bare("deep_binding/opens_deep", mpi.program("plugin_mpi.so"), "namespace", ranks=1)
    watched = watch(["plain/counter"], "deep_binding/opens_deep", mpi.program("plugin_mpi.so"), "namespace", ranks=1)
    assert (watched.code, watched.out, watched.lines) == (bare.code, bare.out, [])
    if bare.code == 0:
        assert watched.err == (
            f"cairn: warning: no tool was loaded: no tool can see the calls of '{program}': its MPI library is in a namespace "
            f"of its own (dlmopen)\ncairn:   asked for by: --tools {watch.tool('plain/counter')}\n"
            "cairn:   try: dlopen in place of dlmopen\n")
