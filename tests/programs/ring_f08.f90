! SPDX-License-Identifier: BSD-3-Clause
! ring_f08.f90 - the ring of ranks in Fortran 2008 with the module mpi_f08.
!
! Needs at least 2 ranks. Calls of every rank:
!   Initialized 2, Init 1, Comm_rank 1, Comm_size 1, Send 11, Recv 10, Irecv 1, Test 2, Wait 1,
!   Barrier 2, Bcast 1, Op_create 1, Allreduce 2, Op_free 1, Finalize 1
! Bytes of every rank: 4400 sent to the next rank (11 x 100 INTEGER), 4400 received from the one
! before; Bcast of 40 bytes from rank 0; 8 bytes into each of the two Allreduce, the second one in
! place. The callback of the user-defined operator runs as often as MPI likes. All calls leave
! the optional error argument out.

module ring
   use mpi_f08
   implicit none

   integer, parameter :: rounds = 10, token_length = 100, poll_tag = 77, prime = 10007

contains

   ! The token counts its hops. Rank 0 sends first and receives last: blocking calls need one rank
   ! to break the circle.
   subroutine pass_token(rank, ranks, errors)
      integer, intent(in) :: rank, ranks
      integer, intent(inout) :: errors
      integer :: token(token_length), next, before, round

      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)
      token = 0
      do round = 0, rounds - 1
         if (rank /= 0) then
            call MPI_Recv(token, token_length, MPI_INTEGER, before, round, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
            errors = errors + count(token /= round * ranks + rank)
         end if
         token = token + 1
         call MPI_Send(token, token_length, MPI_INTEGER, next, round, MPI_COMM_WORLD)
         if (rank == 0) then
            call MPI_Recv(token, token_length, MPI_INTEGER, before, round, MPI_COMM_WORLD, &
                          MPI_STATUS_IGNORE)
            errors = errors + count(token /= (round + 1) * ranks)
         end if
      end do
   end subroutine pass_token

   ! The barrier parts the first test from the send, so that test must say no; after the wait the
   ! request is null, so the second one must say yes.
   subroutine poll_message(rank, ranks, errors)
      integer, intent(in) :: rank, ranks
      integer, intent(inout) :: errors
      integer, asynchronous :: incoming(token_length)
      integer :: outgoing(token_length), next, before
      type(MPI_Request) :: request
      type(MPI_Status) :: status
      logical :: early, late

      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)
      outgoing = rank
      incoming = -1
      call MPI_Irecv(incoming, token_length, MPI_INTEGER, before, poll_tag, MPI_COMM_WORLD, request)
      call MPI_Test(request, early, status)
      call MPI_Barrier(MPI_COMM_WORLD)
      call MPI_Send(outgoing, token_length, MPI_INTEGER, next, poll_tag, MPI_COMM_WORLD)
      call MPI_Wait(request, status)
      if (status%MPI_SOURCE /= before .or. status%MPI_TAG /= poll_tag) errors = errors + 1
      call MPI_Test(request, late, MPI_STATUS_IGNORE)
      if (early .or. .not. late) errors = errors + 1
      errors = errors + count(incoming /= before)
   end subroutine poll_message

   subroutine share_numbers(rank, errors)
      integer, intent(in) :: rank
      integer, intent(inout) :: errors
      integer :: numbers(10)

      numbers = merge(42, -1, rank == 0)
      call MPI_Bcast(numbers, 10, MPI_INTEGER, 0, MPI_COMM_WORLD)
      errors = errors + count(numbers /= 42)
      call MPI_Barrier(MPI_COMM_WORLD)
   end subroutine share_numbers

   ! The product modulo a prime: no predefined operator gives this result.
   subroutine multiply_modulo(in, inout, length, datatype)
      use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
      type(c_ptr), value :: in, inout
      integer :: length
      type(MPI_Datatype) :: datatype
      integer, pointer :: left(:), right(:)

      if (datatype /= MPI_INTEGER) return
      call c_f_pointer(in, left, [length])
      call c_f_pointer(inout, right, [length])
      right = mod(left * right, prime)
   end subroutine multiply_modulo

   function combine(rank, ranks, errors) result(right)
      integer, intent(in) :: rank, ranks
      integer, intent(inout) :: errors
      logical :: right
      type(MPI_Op) :: operator
      integer :: mine(2), products(2), expected(2), sums(2), i

      call MPI_Op_create(multiply_modulo, .true., operator)
      mine = [rank + 2, 3 * rank + 5]
      call MPI_Allreduce(mine, products, 2, MPI_INTEGER, operator, MPI_COMM_WORLD)
      call MPI_Op_free(operator)
      expected = 1
      do i = 0, ranks - 1
         expected = mod(expected * [i + 2, 3 * i + 5], prime)
      end do
      errors = errors + count(products /= expected)

      sums = [rank, errors]
      call MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
      right = sums(1) == ranks * (ranks - 1) / 2 .and. sums(2) == 0
      if (rank == 0) then
         print '(2a,i0,a,i0,a,i0,1x,i0,a,i0,a,i0)', trim(merge('ok   ', 'wrong', right)), &
            ' ring_f08: ', ranks, ' ranks, ', rounds, ' rounds, products ', products, &
            ', rank sum ', sums(1), ', errors ', sums(2)
      end if
   end function combine

end module ring

program ring_f08
   use, intrinsic :: iso_fortran_env, only: error_unit
   use ring
   implicit none
   integer :: rank, ranks, errors
   logical :: before, after, right

   call MPI_Initialized(before)
   call MPI_Init()
   call MPI_Initialized(after)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks)
   if (ranks < 2) then
      write (error_unit, '(a)') 'ring_f08: error: needs at least 2 ranks'
      call MPI_Finalize()
      stop 2
   end if
   errors = merge(1, 0, before .or. .not. after)
   call pass_token(rank, ranks, errors)
   call poll_message(rank, ranks, errors)
   call share_numbers(rank, errors)
   right = combine(rank, ranks, errors)
   call MPI_Finalize()
   if (.not. right) stop 1
end program ring_f08
