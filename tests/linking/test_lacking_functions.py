# SPDX-License-Identifier: BSD-3-Clause
# test_lacking_functions.py - MPI 4 functions and a library that may lack them: MPICH 4 has sessions, Open MPI 4.1 not.

import pytest


def test_a_tool_that_wraps_functions_the_library_lacks_works_for_the_rest(watch):
    tool = "lacking_functions/sessions"
    watch([tool, "plain/counter", tool]).assert_each_saw_the_ring("sessions", "counter", "sessions")


def test_a_program_that_looks_up_functions_gets_the_answers_it_gets_bare(watch, mpi):
    bare = watch.bare("lacking_functions/asks_for_sessions", ranks=1)
    has_sessions = "yes" if mpi.id == "mpich" else "no"
    in_default_scope = [line.split("default ")[1].split(",")[0] for line in bare.out.splitlines()]
    assert in_default_scope == [has_sessions, "yes", "no"] * 2
    watched = watch(["plain/counter"], "lacking_functions/asks_for_sessions", ranks=1)
    watched.assert_clean(bare.out)
    assert watched.seen(0) == [("counter", {"MPI_Init": 1})]


def test_it_gets_them_without_tools_and_with_a_tool_that_has_the_function(watch):
    bare = watch.bare("lacking_functions/asks_for_sessions", ranks=1)
    watch(["lacking_functions/sessions"], "lacking_functions/asks_for_sessions", ranks=1).assert_clean(bare.out)


def test_a_program_that_refers_weakly_to_a_function_sees_what_it_sees_bare(watch, mpi, request):
    if mpi.id == "openmpi":  # the one that lacks the function
        request.applymarker(pytest.mark.xfail(strict=True, reason="a weak reference to a lacking function: docs/limits.md"))
    bare = watch.bare("lacking_functions/refers_weakly", ranks=1)
    has_sessions = "yes" if mpi.id == "mpich" else "no"
    bare.assert_clean(f"before {has_sessions}, after {has_sessions}\n")
    watched = watch(["plain/counter"], "lacking_functions/refers_weakly", ranks=1)
    watched.assert_clean(bare.out)
    assert watched.seen(0) == [("counter", {"MPI_Init": 1})]
