! SPDX-License-Identifier: BSD-3-Clause
! asking.f90 - rank 0 asks again and again for messages that rank 1 sends 40 ms late, ten times: a wait in Fortran too
program asking
  use mpi
  implicit none
  integer :: error, rank, step, value
  double precision :: begin, worked
  logical :: is_there
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  value = 0
  worked = 0
  do step = 1, 10
    if (rank == 1) then
      begin = MPI_Wtime()
      do while (MPI_Wtime() - begin < 0.04d0)
      end do
      worked = worked + MPI_Wtime() - begin
      call MPI_Send(value, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, error)
    else if (rank == 0) then
      is_there = .false.
      do while (.not. is_there)
        call MPI_Iprobe(1, 5, MPI_COMM_WORLD, is_there, MPI_STATUS_IGNORE, error)
      end do
      call MPI_Recv(value, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    end if
  end do
  if (rank == 1) print '(a, f8.3, a)', 'worked ', worked, ' s instead of 0.400 s'
  call MPI_Finalize(error)
end program asking
