! SPDX-License-Identifier: BSD-3-Clause
! attributes.f90 - sets an attribute in Fortran; prints its rank
program attributes
  use mpi
  implicit none
  integer :: ierr, rank, keyval
  call MPI_Init(ierr)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, keyval, 0_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 1_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  print '(i0)', rank
  call MPI_Finalize(ierr)
end program attributes
