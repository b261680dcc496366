! SPDX-License-Identifier: BSD-3-Clause
! windows_f08.f90 - as planted.c, in Fortran: a late post, a late neighbor, a lock that is held; ten steps of each
program windows
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  use cairn_regions
  implicit none
  interface
    function usleep(microseconds) bind(c) result(failed)
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: failed
    end function
  end interface
  integer :: rank, size, step, failed
  integer(MPI_ADDRESS_KIND) :: bytes
  integer, asynchronous :: memory(8), numbers(8), others(8)
  type(MPI_Win) :: window
  type(MPI_Comm) :: line
  type(MPI_Group) :: world, partner

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  numbers = rank
  bytes = 32
  call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, window)
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.false.], .false., line)
  call MPI_Comm_group(MPI_COMM_WORLD, world)

  call MPI_Barrier(MPI_COMM_WORLD)
  call cairn_region_begin('windows')
  if (rank < 2) then
    call MPI_Group_incl(world, 1, [1 - rank], partner)
    do step = 1, 10
      if (rank == 0) then
        failed = usleep(20000_c_int)
        call MPI_Win_post(partner, 0, window)
        call MPI_Win_wait(window)
      else
        call MPI_Win_start(partner, 0, window)
        call MPI_Put(numbers, 8, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, 8, MPI_INTEGER, window)
        call MPI_Win_complete(window)
      end if
    end do
    call MPI_Group_free(partner)
  end if
  call cairn_region_end('windows')

  call MPI_Barrier(MPI_COMM_WORLD)
  do step = 1, 10
    if (rank == 0) failed = usleep(10000_c_int)
    call MPI_Neighbor_alltoall(numbers, 1, MPI_INTEGER, others, 1, MPI_INTEGER, line)
  end do

  do step = 1, 10
    call MPI_Barrier(MPI_COMM_WORLD)
    if (rank == 1) failed = usleep(20000_c_int)
    if (rank < 2) then
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, window)
      call MPI_Put(numbers, 8, MPI_INTEGER, 2, 0_MPI_ADDRESS_KIND, 8, MPI_INTEGER, window)
      call MPI_Win_flush(2, window)
      if (rank == 0) failed = usleep(30000_c_int)
      call MPI_Win_unlock(2, window)
    end if
  end do
  call MPI_Group_free(world)
  call MPI_Comm_free(line)
  call MPI_Win_free(window)
  call MPI_Finalize()
end program
