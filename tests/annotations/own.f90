! SPDX-License-Identifier: BSD-3-Clause
! own.f90 - regions, attributes and iterations in Fortran, with one barrier in each.
program own
  use, intrinsic :: iso_fortran_env, only: int64
  use cairn_regions
  use mpi
  implicit none
  integer :: error, i
  integer(int64) :: long

  call MPI_Init(error)
  call cairn_region_begin('solve  ')
  call cairn_attribute_begin('solver', 'cg')
  call barrier()
  call cairn_attribute_begin('level', -3)
  call barrier()
  call cairn_attribute_end('solver')
  call cairn_attribute_begin('cells', 8000000000_int64)
  call barrier()
  call cairn_attribute_end('cells')
  call cairn_attribute_begin('name', '')
  call cairn_attribute_end('name')
  call cairn_region_end('solve')

  call cairn_region_begin('time steps')
  do i = 1, 2
    call cairn_iteration_begin(i)
    call barrier()
    call cairn_iteration_end()
  end do
  do long = 5000000000_int64, 5000000001_int64
    call cairn_iteration_begin(long)
    call barrier()
    call cairn_iteration_end()
  end do
  call cairn_region_end('time steps')
  call MPI_Finalize(error)

contains

  subroutine barrier()
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine barrier

end program own
