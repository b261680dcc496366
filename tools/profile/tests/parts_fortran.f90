! SPDX-License-Identifier: BSD-3-Clause
! parts_fortran.f90 - regions named in Fortran: "outer" with "in ner" in it, a Barrier in each.
program parts_fortran
  use mpi
  use cairn_regions
  implicit none
  integer :: error
  character(len=20) :: name
  call MPI_INIT(error)
  name = 'outer'
  call cairn_region_begin(name)
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  call cairn_region_begin('in ner')
  call MPI_BARRIER(MPI_COMM_WORLD, error)
  call cairn_region_end('outer')
  call MPI_FINALIZE(error)
end program parts_fortran
