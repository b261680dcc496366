! SPDX-License-Identifier: BSD-3-Clause
! phases.f90 - MPI_PCONTROL from Fortran, with one, two and three calls of MPI_COMM_RANK in phases 1, 2 and 3.
program phases
  use mpi
  implicit none
  integer :: phase, i, rank, error
  call MPI_Init(error)
  do phase = 1, 3
    call MPI_Pcontrol(phase)
    do i = 1, phase
      call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    end do
  end do
  call MPI_Finalize(error)
end program phases
