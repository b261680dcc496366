# SPDX-License-Identifier: BSD-3-Clause
# test_calls_seen.py - layers see the calls of Fortran callbacks, of C++ bindings and of all levels of threads, once
#
# The layer is `passing` of the conformance test, which counts every function. What the programs do is in their headers;
# the calls of each rank are here, as data, with what the bindings of an MPI library do in another way.

from cairn_testing import *

RANKS = 3
LAYERS = 3

# As the program callbacks.F90 is written; the numbers of functions that it calls in callbacks only come last.
CALLBACKS = {
    "MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Finalize": 1,
    "MPI_Comm_create_keyval": 2, "MPI_Comm_set_attr": 2, "MPI_Comm_dup": 1, "MPI_Comm_get_attr": 3,
    "MPI_Comm_delete_attr": 2, "MPI_Comm_free": 4, "MPI_Comm_free_keyval": 2,
    "MPI_Type_create_keyval": 1, "MPI_Type_contiguous": 1, "MPI_Type_set_attr": 1, "MPI_Type_dup": 1,
    "MPI_Type_get_attr": 1, "MPI_Type_free": 3, "MPI_Type_free_keyval": 1,
    "MPI_Win_create_keyval": 1, "MPI_Win_create": 1, "MPI_Win_set_attr": 1, "MPI_Win_free": 1, "MPI_Win_free_keyval": 1,
    "MPI_Win_create_errhandler": 1, "MPI_Win_set_errhandler": 1, "MPI_Win_call_errhandler": 1,
    "MPI_Comm_create_errhandler": 1, "MPI_Comm_set_errhandler": 2, "MPI_Errhandler_free": 2, "MPI_Send": 1,
    "MPI_Grequest_start": 1, "MPI_Test": 1, "MPI_Cancel": 1, "MPI_Grequest_complete": 1, "MPI_Wait": 1,
    "MPI_Test_cancelled": 1, "MPI_Get_elements": 1,
    "MPI_Get_address": 1, "MPI_Type_create_hindexed": 1, "MPI_Type_commit": 1, "MPI_Bcast": 1, "MPI_Allgather": 1,
    "MPI_Irecv": 1, "MPI_Isend": 1, "MPI_Waitall": 1, "MPI_Testall": 1,
    "MPI_Cart_create": 1, "MPI_Cart_get": 1, "MPI_Cart_sub": 1, "MPI_Comm_test_inter": 1,
    "MPI_Dist_graph_create_adjacent": 1, "MPI_Dist_graph_neighbors_count": 1,
    "MPI_Aint_add": 1, "MPI_Aint_diff": 1, "MPI_Wtime": 2, "MPI_Wtick": 1,
    "MPI_Comm_compare": 1, "MPI_Finalized": 2, "MPI_Type_size": 1, "MPI_Op_commutative": 1, "MPI_Get_version": 1,
    "MPI_Error_class": 1, "MPI_Error_string": 1, "MPI_Status_set_elements": 1, "MPI_Status_set_cancelled": 1,
    "MPI_Is_thread_main": 1, "MPI_Query_thread": 1}

# What no PMPI tool sees from Fortran, as docs/limits.md says: these bindings call no MPI function, but an inner one.
UNSEEN_IN_FORTRAN = {
    "openmpi": {"MPI_Comm_create_keyval", "MPI_Comm_set_attr", "MPI_Comm_get_attr", "MPI_Type_create_keyval",
                "MPI_Type_set_attr", "MPI_Type_get_attr", "MPI_Win_create_keyval", "MPI_Win_set_attr",
                "MPI_Comm_create_errhandler", "MPI_Win_create_errhandler", "MPI_Aint_add", "MPI_Aint_diff"},
    "mpich": {"MPI_Comm_set_attr", "MPI_Comm_get_attr", "MPI_Type_set_attr", "MPI_Type_get_attr", "MPI_Win_set_attr"}}

# As the program cxx_bindings.cc is written.
CXX_BINDINGS = {
    "MPI_Init": 1, "MPI_Comm_rank": 1, "MPI_Comm_size": 4, "MPI_Wtime": 2, "MPI_Barrier": 1, "MPI_Finalize": 1,
    "MPI_Irecv": 1, "MPI_Send": 2, "MPI_Wait": 1, "MPI_Get_count": 1, "MPI_Op_create": 1, "MPI_Allreduce": 1,
    "MPI_Op_free": 1, "MPI_Comm_split": 1, "MPI_Comm_dup": 2, "MPI_Comm_free": 5, "MPI_Comm_test_inter": 1,
    "MPI_Topo_test": 1, "MPI_Cart_create": 1, "MPI_Cart_shift": 1, "MPI_Cartdim_get": 1, "MPI_Cart_sub": 1,
    "MPI_Comm_create_keyval": 1, "MPI_Comm_set_attr": 1, "MPI_Comm_get_attr": 1, "MPI_Comm_delete_attr": 1,
    "MPI_Comm_free_keyval": 1, "MPI_Get_version": 2, "MPI_Comm_create_errhandler": 1, "MPI_Comm_set_errhandler": 2,
    "MPI_Error_class": 1, "MPI_Errhandler_free": 1}

# What the bindings call besides to do that, and 0 for what Open MPI's do without a call: as without Cairn.
BESIDES_IN_CXX = {
    "openmpi": {"MPI_Initialized": 11, "MPI_Comm_test_inter": 8, "MPI_Topo_test": 3, "MPI_Cartdim_get": 2,
                "MPI_Comm_create_keyval": 0, "MPI_Comm_create_errhandler": 0},
    "mpich": {"MPI_Comm_test_inter": 5, "MPI_Topo_test": 4}}


def without_zeros(counts):
    return {function: count for function, count in counts.items() if count}


def seen(folder):
    """What each instance of the layer counted, as {rank: [{function: count}]}."""
    counts = {}
    for path in sorted(folder.iterdir()):
        words = [line.split() for line in path.read_text().splitlines()]
        counts.setdefault(int(words[0][0]), []).append({function: int(count) for _, _, function, count in words})
    return counts


def assert_every_layer_saw(expected, mpi, folder, *program):
    done = run_stacked(mpi, RANKS, [mpi.tool("passing")] * LAYERS, *program, CONFORMANCE_COUNTS=folder)
    assert (done.code, done.err) == (0, "")
    assert seen(folder) == {rank: [expected] * LAYERS for rank in range(RANKS)}


@pytest.mark.parametrize("binding", ["mpif", "usempi", "f08"])
def test_fortran_callbacks_and_what_they_call_are_seen_once_by_every_layer(mpi, binding, tmp_path):
    expected = {name: count for name, count in CALLBACKS.items() if name not in UNSEEN_IN_FORTRAN[mpi.id]}
    assert_every_layer_saw(expected, mpi, tmp_path, mpi.program(f"callbacks_{binding}"))


def test_calls_through_the_cxx_bindings_are_seen_as_a_tool_without_cairn_sees_them(mpi, tmp_path):
    for way in ("preloaded", "stacked"):
        (tmp_path / way).mkdir()
    program = mpi.program("cxx_bindings")
    done = run(*mpi.mpirun(RANKS), "env", f"LD_PRELOAD={mpi.tool('passing')}", program,
               CONFORMANCE_COUNTS=tmp_path / "preloaded")
    assert (done.code, done.err) == (0, "")
    expected = without_zeros({**CXX_BINDINGS, **BESIDES_IN_CXX[mpi.id]})
    assert seen(tmp_path / "preloaded") == {rank: [expected] for rank in range(RANKS)}
    assert_every_layer_saw(expected, mpi, tmp_path / "stacked", program)


@pytest.mark.parametrize("level", range(4))
def test_every_layer_sees_the_question_for_a_level_of_threads_once(mpi, level, tmp_path):
    expected = {"MPI_Init_thread": 1, "MPI_Query_thread": 1, "MPI_Is_thread_main": 2 if level else 1,
                "MPI_Comm_rank": 1, "MPI_Finalize": 1}
    assert_every_layer_saw(expected, mpi, tmp_path, mpi.program("thread_level"), level)
