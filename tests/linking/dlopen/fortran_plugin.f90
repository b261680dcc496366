! SPDX-License-Identifier: BSD-3-Clause
! fortran_plugin.f90 - a Fortran library that a C program opens after MPI_Init.
!
! Calls of every rank: Comm_rank 1, Comm_size 1, Sendrecv 3, Barrier 2, Allreduce 1. Returns how many values were wrong.

integer function exchange_in_fortran()
   use mpi
   implicit none
   integer :: rank, ranks, next, before, round, incoming(4), outgoing(4), wrong, all_wrong, ierror

   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   next = mod(rank + 1, ranks)
   before = mod(rank + ranks - 1, ranks)
   wrong = 0
   do round = 1, 3
      outgoing = 10 * round + rank
      call MPI_Sendrecv(outgoing, 4, MPI_INTEGER, next, round, incoming, 4, MPI_INTEGER, before, round, &
                        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
      wrong = wrong + count(incoming /= 10 * round + before)
   end do
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   call MPI_Barrier(MPI_COMM_WORLD, ierror)
   call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
   exchange_in_fortran = all_wrong
end function exchange_in_fortran
