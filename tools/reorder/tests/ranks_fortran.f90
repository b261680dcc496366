! SPDX-License-Identifier: BSD-3-Clause
! ranks_fortran.f90 - the rank of each process as Fortran sees it, and where an error handler sees it
program ranks_fortran
  use mpi
  implicit none
  integer :: ierr, rank, size, gathered(64), comparison, handler, dup, i
  integer(kind=MPI_ADDRESS_KIND) :: bound
  logical :: found
  external :: handle
  integer :: handled
  common /counts/ handled

  handled = -1
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call MPI_Allgather(rank, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  if (any(gathered(1:size) /= [(i, i = 0, size - 1)])) print '(a)', 'gathered in another order'
  call MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, comparison, ierr)
  if (comparison /= MPI_IDENT) print '(a)', 'not identical'
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Comm_compare(MPI_COMM_WORLD, dup, comparison, ierr)
  if (comparison /= MPI_CONGRUENT) print '(a)', 'not congruent'
  call MPI_Comm_free(dup, ierr)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, found, ierr)
  if (.not. found .or. bound < 32767) print '(a)', 'no MPI_TAG_UB'
  call MPI_Comm_create_errhandler(handle, handler, ierr)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, ierr)
  if (handled /= rank) print '(a)', 'the error handler sees another rank'
  print '(i0)', rank
  call MPI_Finalize(ierr)
end program ranks_fortran

subroutine handle(comm, code)
  use mpi
  implicit none
  integer :: comm, code, ierr, comparison
  integer :: handled
  common /counts/ handled
  call MPI_Comm_rank(comm, handled, ierr)
  call MPI_Comm_compare(comm, MPI_COMM_WORLD, comparison, ierr)
  if (comparison /= MPI_IDENT .or. code == MPI_SUCCESS) print '(a)', 'the error handler has another communicator'
end subroutine handle
