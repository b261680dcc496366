# SPDX-License-Identifier: BSD-3-Clause
# test_fortran.py - Fortran programs of all three kinds under C tools.

import pytest


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
