! SPDX-License-Identifier: BSD-3-Clause
! ring_mpif.f - the ring of ranks in fixed-form Fortran with mpif.h.
!
! Needs at least 2 ranks. Calls of every rank:
!   Initialized 2, Init 1, Comm_rank 1, Comm_size 1, Send 11, Recv 10,
!   Irecv 1, Test 2, Wait 1, Barrier 2, Bcast 1, Op_create 1,
!   Allreduce 2, Op_free 1, Finalize 1
! Bytes of every rank: 4400 sent to the next rank (11 x 100 INTEGER),
! 4400 received from the one before; Bcast of 40 bytes from rank 0;
! 8 bytes into each of the two Allreduce, the second one in place.
! The callback of the user-defined operator runs as often as MPI likes.

      program ring_mpif
      implicit none
      include 'mpif.h'
      integer rank, ranks, ierror, errors, right
      logical before, after

      call MPI_INITIALIZED(before, ierror)
      call MPI_INIT(ierror)
      call MPI_INITIALIZED(after, ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierror)
      if (ranks .lt. 2) then
          write (0, '(a)') 'ring_mpif: error: needs at least 2 ranks'
          call MPI_FINALIZE(ierror)
          stop 2
      end if
      errors = 0
      if (before .or. .not. after) errors = errors + 1
      call pass_token(rank, ranks, errors)
      call poll_message(rank, ranks, errors)
      call share_numbers(rank, errors)
      call combine(rank, ranks, errors, right)
      call MPI_FINALIZE(ierror)
      if (right .ne. 1) stop 1
      end program

      integer function different(values, length, expected)
      implicit none
      integer length, values(length), expected, i
      different = 0
      do i = 1, length
          if (values(i) .ne. expected) different = different + 1
      end do
      end function

! Ten rounds; the token counts its hops. Rank 0 sends first and receives
! last: blocking calls need one rank to break the circle.
      subroutine pass_token(rank, ranks, errors)
      implicit none
      include 'mpif.h'
      integer rank, ranks, errors
      integer token(100), next, before, round, i, ierror, different
      external different

      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)
      do i = 1, 100
          token(i) = 0
      end do
      do round = 0, 9
          if (rank .ne. 0) then
              call MPI_RECV(token, 100, MPI_INTEGER, before, round,
     &                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
              errors = errors + different(token, 100,
     &                                    round * ranks + rank)
          end if
          do i = 1, 100
              token(i) = token(i) + 1
          end do
          call MPI_SEND(token, 100, MPI_INTEGER, next, round,
     &                  MPI_COMM_WORLD, ierror)
          if (rank .eq. 0) then
              call MPI_RECV(token, 100, MPI_INTEGER, before, round,
     &                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
              errors = errors + different(token, 100,
     &                                    (round + 1) * ranks)
          end if
      end do
      end subroutine

! The barrier parts the first test from the send, so that test must say
! no; after the wait the request is null, so the second one must say yes.
      subroutine poll_message(rank, ranks, errors)
      implicit none
      include 'mpif.h'
      integer rank, ranks, errors
      integer incoming(100), outgoing(100), request, i, ierror
      integer next, before, status(MPI_STATUS_SIZE), different
      logical early, late
      external different

      next = mod(rank + 1, ranks)
      before = mod(rank + ranks - 1, ranks)
      do i = 1, 100
          outgoing(i) = rank
          incoming(i) = -1
      end do
      call MPI_IRECV(incoming, 100, MPI_INTEGER, before, 77,
     &               MPI_COMM_WORLD, request, ierror)
      call MPI_TEST(request, early, status, ierror)
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      call MPI_SEND(outgoing, 100, MPI_INTEGER, next, 77,
     &              MPI_COMM_WORLD, ierror)
      call MPI_WAIT(request, status, ierror)
      if (status(MPI_SOURCE) .ne. before) errors = errors + 1
      if (status(MPI_TAG) .ne. 77) errors = errors + 1
      call MPI_TEST(request, late, MPI_STATUS_IGNORE, ierror)
      if (early .or. .not. late) errors = errors + 1
      errors = errors + different(incoming, 100, before)
      end subroutine

      subroutine share_numbers(rank, errors)
      implicit none
      include 'mpif.h'
      integer rank, errors, numbers(10), i, ierror, different
      external different

      do i = 1, 10
          numbers(i) = -1
          if (rank .eq. 0) numbers(i) = 42
      end do
      call MPI_BCAST(numbers, 10, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &               ierror)
      errors = errors + different(numbers, 10, 42)
      call MPI_BARRIER(MPI_COMM_WORLD, ierror)
      end subroutine

! The product modulo a prime: no predefined operator gives this result.
      subroutine multiply_modulo(in, inout, length, datatype)
      implicit none
      integer length, in(length), inout(length), datatype, i
      do i = 1, length
          inout(i) = mod(in(i) * inout(i), 10007)
      end do
      if (datatype .eq. -1) inout(1) = -1
      end subroutine

      subroutine combine(rank, ranks, errors, right)
      implicit none
      include 'mpif.h'
      integer rank, ranks, errors, right
      integer operator, mine(2), products(2), expected(2), sums(2)
      integer i, ierror
      external multiply_modulo

      call MPI_OP_CREATE(multiply_modulo, .true., operator, ierror)
      mine(1) = rank + 2
      mine(2) = 3 * rank + 5
! mine(1), not mine: gfortran wants the same rank of the first argument
! in all calls of a file, and MPI_IN_PLACE is a scalar.
      call MPI_ALLREDUCE(mine(1), products, 2, MPI_INTEGER, operator,
     &                   MPI_COMM_WORLD, ierror)
      call MPI_OP_FREE(operator, ierror)
      expected(1) = 1
      expected(2) = 1
      do i = 0, ranks - 1
          expected(1) = mod(expected(1) * (i + 2), 10007)
          expected(2) = mod(expected(2) * (3 * i + 5), 10007)
      end do
      if (products(1) .ne. expected(1)) errors = errors + 1
      if (products(2) .ne. expected(2)) errors = errors + 1

      sums(1) = rank
      sums(2) = errors
      call MPI_ALLREDUCE(MPI_IN_PLACE, sums, 2, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierror)
      right = 0
      if (sums(1) .eq. ranks * (ranks - 1) / 2 .and. sums(2) .eq. 0)
     &    right = 1
      if (rank .eq. 0 .and. right .eq. 1) write (*, 10) 'ok', ranks,
     &    products, sums
      if (rank .eq. 0 .and. right .ne. 1) write (*, 10) 'wrong', ranks,
     &    products, sums
 10   format (a, ' ring_mpif: ', i0, ' ranks, 10 rounds, products ', i0,
     &        ' ', i0, ', rank sum ', i0, ', errors ', i0)
      end subroutine
