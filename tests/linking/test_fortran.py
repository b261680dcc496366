# SPDX-License-Identifier: BSD-3-Clause
# test_fortran.py - Fortran programs of all three kinds under C tools.

from cairn_testing import *


def fortran_ring_calls(above):
    return {"MPI_Initialized": 2, "MPI_Init": 1, "MPI_Comm_rank": 1 + above, "MPI_Comm_size": 1, "MPI_Send": 11,
            "MPI_Recv": 10, "MPI_Irecv": 1, "MPI_Test": 2, "MPI_Wait": 1, "MPI_Barrier": 2, "MPI_Bcast": 1,
            "MPI_Op_create": 1, "MPI_Allreduce": 2, "MPI_Op_free": 1}


@pytest.mark.parametrize("program", ["ring_mpif", "ring_usempi", "ring_f08"])
def test_each_of_two_layers_sees_every_call_once(watch, program):
    watched = watch(["plain/counter"] * 2, program)
    watched.assert_clean(f"ok {program}: 2 ranks, 10 rounds, products 6 40, rank sum 1, errors 0\n")
    for rank in (0, 1):
        assert watched.seen(rank) == [("counter", fortran_ring_calls(0)), ("counter", fortran_ring_calls(1))]


FORTRAN_TOOL = """subroutine mpi_barrier(comm, ierror)
  integer :: comm, ierror, rank, ignored
  call pmpi_comm_rank(comm, rank, ignored)
  call pmpi_barrier(comm, ierror)
  write(0, '(a,i0)') 'barrier of rank ', rank
end subroutine
"""


@pytest.fixture
def fortran_tool(mpi, tmp_path):
    (tmp_path / "tool.f90").write_text(FORTRAN_TOOL)
    done = run(f"mpifort.{mpi.id}", "-shared", "-fPIC", "-o", tmp_path / "libbarrier.so", tmp_path / "tool.f90")
    assert done.code == 0, done.err
    return tmp_path / "libbarrier.so"


@pytest.mark.parametrize("program, seen", [("ring_mpif", 2), ("ring_usempi", 2), ("ring_c", 0)])
def test_a_profiling_library_in_fortran_works_as_it_does_preloaded_above_all_other_layers(mpi, fortran_tool, program, seen):
    bare = run(*mpi.mpirun(2), "env", f"LD_PRELOAD={fortran_tool}", mpi.program(program))
    counter = mpi.tool("linking/plain/counter")
    done = run_stacked(mpi, 2, [fortran_tool, counter], mpi.program(program))
    assert (done.code, done.out) == (0, bare.out)
    lines = sorted(line for line in done.err.splitlines() if line.startswith("barrier"))
    assert lines == sorted(bare.err.splitlines()) == ["barrier of rank 0"] * seen + ["barrier of rank 1"] * seen
    assert done.err.count("MPI_Barrier=2" if seen else "MPI_Barrier=1") == 2  # by the layer beneath


def test_check_says_what_a_profiling_library_in_fortran_wraps(mpi, fortran_tool):
    result = run(CAIRN, "check", mpi.program("ring_mpif"), "--tools", fortran_tool)
    assert result.code == 0
    assert result.out.splitlines()[2] == (f"layer 1  {fortran_tool}: wraps 1 procedure of MPI for Fortran; preloaded, it sees what mpif.h and "
                                          f"'use mpi' call ({fortran_tool})")


def test_a_profiling_library_in_fortran_that_nobody_has_preloaded_says_how_it_works(mpi, fortran_tool):
    result = run(mpi.program("ring_c"), CAIRN_TOOLS=fortran_tool, LD_PRELOAD=LIBCAIRN)
    assert result.err.startswith(f"cairn: error: tool '{fortran_tool}' not loaded: libbarrier.so wraps MPI for Fortran, so it must be there when the program starts\n"
                          f"cairn:   asked for by: CAIRN_TOOLS={fortran_tool}\n"
                          "cairn:   try: its path, with a '/', after --tools of 'cairn run', which preloads it\n")
