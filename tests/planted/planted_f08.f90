! SPDX-License-Identifier: BSD-3-Clause
! planted_f08.f90 - as planted_c.c, in Fortran
!
!   late_sender          rank 0 works longer before it sends
!   small_messages       a message for each number
!   unexpected_messages  messages received in the opposite order
!   file_access          a write for each number
program planted
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  implicit none
  interface
    function usleep(microseconds) bind(c) result(failed)
      import :: c_int
      integer(c_int), value :: microseconds
      integer(c_int) :: failed
    end function
  end interface
  integer, parameter :: steps = 16
  integer :: rank, failed
  logical :: is_planted
  character(len=32) :: kind, how
  double precision :: start, lost, before

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_command_argument(1, kind)
  call get_command_argument(2, how)
  is_planted = how == 'with'
  lost = 0
  call MPI_Barrier(MPI_COMM_WORLD)
  start = MPI_Wtime()
  select case (kind)
  case ('late_sender')
    call late_sender()
  case ('small_messages')
    call small_messages()
  case ('unexpected_messages')
    call unexpected_messages()
  case ('file_access')
    call file_access()
  end select
  call MPI_Barrier(MPI_COMM_WORLD)
  print '(a, f0.6)', 'lost ', lost
  if (rank == 0) print '(a, f0.6)', 'run ', MPI_Wtime() - start
  call MPI_Finalize()

contains

  subroutine late_sender()
    integer :: step, number
    number = 0
    do step = 1, steps
      failed = usleep(10000_c_int)
      if (rank == 0) then
        if (is_planted) failed = usleep(20000_c_int)
        call MPI_Send(number, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      else
        before = MPI_Wtime()
        call MPI_Recv(number, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! PLANTED: late_sender
        lost = lost + MPI_Wtime() - before
      end if
    end do
  end subroutine

  subroutine small_messages()
    integer, parameter :: count = 6000 ! in a step
    integer, save :: numbers(count)
    integer :: step, i
    numbers = 0
    do step = 1, steps
      failed = usleep(10000_c_int)
      before = MPI_Wtime()
      if (is_planted) then
        do i = 1, count
          if (rank == 0) then
            call MPI_Send(numbers(i), 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD) ! PLANTED: small_messages
          else
            call MPI_Recv(numbers(i), 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
          end if
        end do
      else if (rank == 0) then
        call MPI_Send(numbers, count, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
      else
        call MPI_Recv(numbers, count, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      end if
      lost = lost + MPI_Wtime() - before
    end do
  end subroutine

  subroutine unexpected_messages()
    integer, parameter :: count = 8000
    integer :: number, tag, i
    number = 0
    if (rank == 0) then
      do i = 1, count
        call MPI_Send(number, 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD)
      end do
    end if
    call MPI_Barrier(MPI_COMM_WORLD) ! in which rank 1 takes them: else rank 0 waits for room
    failed = usleep(160000_c_int)
    before = MPI_Wtime()
    if (rank == 1) then
      do i = 1, count
        tag = merge(count + 1 - i, i, is_planted)
        call MPI_Recv(number, 1, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! PLANTED: unexpected_messages
      end do
    end if
    lost = MPI_Wtime() - before
  end subroutine

  subroutine file_access()
    integer, parameter :: count = 3000 ! in a step
    integer, save :: numbers(count)
    integer :: step, i
    character(len=256) :: path
    type(MPI_File) :: file
    numbers = 0
    call get_command_argument(3, path)
    call MPI_File_open(MPI_COMM_SELF, trim(path)//achar(iachar('0') + rank), MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file)
    do step = 1, steps
      failed = usleep(10000_c_int)
      before = MPI_Wtime()
      if (is_planted) then
        do i = 1, count
          call MPI_File_write(file, numbers(i), 1, MPI_INTEGER, MPI_STATUS_IGNORE) ! PLANTED: file_access
        end do
      else
        call MPI_File_write(file, numbers, count, MPI_INTEGER, MPI_STATUS_IGNORE)
      end if
      lost = lost + MPI_Wtime() - before
    end do
    call MPI_File_close(file)
  end subroutine
end program
