! SPDX-License-Identifier: BSD-3-Clause
! callbacks.F90 - procedures of a Fortran program that MPI calls, and arguments that only Fortran has.
!
! Built three times: for mpif.h (MPIF_H), for the module mpi (USE_MPI) and for mpi_f08 (neither). Needs at least 2
! ranks, as Open MPI makes no window for one alone.
! Each callback makes a call that nothing else here makes, so a layer that counts it has seen into the callback:
!   copy of a communicator's attribute: Comm_compare      of a type's: Type_size
!   its end:                            Finalized         of a type's: Op_commutative      of a window's: Get_version
!   error handler of a communicator:    Error_class       of a window: Error_string
!   request of the program, its query: Status_set_elements, Status_set_cancelled; free: Is_thread_main; cancel:
!   Query_thread
! tests/mpi/test_calls_seen.py has the number of calls of each function.

#if defined(MPIF_H) || defined(USE_MPI)
#define HANDLE(kind) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#else
#define HANDLE(kind) type(kind)
#define STATUS(name) type(MPI_Status) :: name
#endif

#if defined(MPIF_H)
#define BINDING 'mpif.h'
#define USING
#define DECLARING include 'mpif.h'
#elif defined(USE_MPI)
#define BINDING 'mpi'
#define USING use mpi
#define DECLARING
#else
#define BINDING 'mpi_f08'
#define USING use mpi_f08
#define DECLARING
#endif

module callbacks
   implicit none
   integer :: copied = 0, deleted = 0, told = 0, queried = 0, freed = 0, cancelled = 0, errors = 0

contains

   subroutine expect(right)
      logical, intent(in) :: right
      if (.not. right) errors = errors + 1
   end subroutine expect

   subroutine copy_of_comm(comm, key, extra, before, after, flag, ierror)
      USING
      DECLARING
      HANDLE(MPI_Comm) :: comm
      integer :: key, ierror, order
      integer(MPI_ADDRESS_KIND) :: extra, before, after
      logical :: flag
      call MPI_Comm_compare(comm, comm, order, ierror)
      call expect(order == MPI_IDENT .and. key /= MPI_KEYVAL_INVALID)
      copied = copied + 1
      after = before + extra
      flag = .true.
      ierror = MPI_SUCCESS
   end subroutine copy_of_comm

   !> Open MPI 4.1.4 may have taken away already what ends: so neither this nor the next two ask about it.
   subroutine end_of_comm(comm, key, value, extra, ierror)
      USING
      DECLARING
      HANDLE(MPI_Comm) :: comm
      integer :: key, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra
      logical :: finalized
      call MPI_Finalized(finalized, ierror)
      call expect(.not. finalized .and. key /= MPI_KEYVAL_INVALID)
      call expect(extra == 7 .and. (value == 40 .or. value == 47))
      deleted = deleted + 1
      ierror = MPI_SUCCESS
   end subroutine end_of_comm

   !> This one wants the attribute left out of the copy.
   subroutine copy_of_type(datatype, key, extra, before, after, flag, ierror)
      USING
      DECLARING
      HANDLE(MPI_Datatype) :: datatype
      integer :: key, ierror, bytes
      integer(MPI_ADDRESS_KIND) :: extra, before, after
      logical :: flag
      call MPI_Type_size(datatype, bytes, ierror)
      call expect(bytes == 16 .and. key /= MPI_KEYVAL_INVALID .and. extra == 8)
      copied = copied + 1
      after = before
      flag = .false.
      ierror = MPI_SUCCESS
   end subroutine copy_of_type

   subroutine end_of_type(datatype, key, value, extra, ierror)
      USING
      DECLARING
      HANDLE(MPI_Datatype) :: datatype
      integer :: key, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra
      logical :: commutes
      call MPI_Op_commutative(MPI_SUM, commutes, ierror)
      call expect(commutes .and. key /= MPI_KEYVAL_INVALID .and. extra == 8 .and. value == 50)
      deleted = deleted + 1
      ierror = MPI_SUCCESS
   end subroutine end_of_type

   subroutine end_of_win(win, key, value, extra, ierror)
      USING
      DECLARING
      HANDLE(MPI_Win) :: win
      integer :: key, ierror, version, subversion
      integer(MPI_ADDRESS_KIND) :: value, extra
      call MPI_Get_version(version, subversion, ierror)
      call expect(version == 3 .or. version == 4)
      call expect(key /= MPI_KEYVAL_INVALID .and. extra == 9 .and. value == 60)
      deleted = deleted + 1
      ierror = MPI_SUCCESS
   end subroutine end_of_win

   subroutine error_of_comm(comm, code)
      USING
      DECLARING
      HANDLE(MPI_Comm) :: comm
      integer :: code, class, ierror
      call MPI_Error_class(code, class, ierror)
      call expect(comm == MPI_COMM_WORLD .and. class == MPI_ERR_RANK)
      told = told + 1
   end subroutine error_of_comm

   subroutine error_of_win(win, code)
      USING
      DECLARING
      HANDLE(MPI_Win) :: win
      integer :: code, length, ierror
      character(MPI_MAX_ERROR_STRING) :: text
      call MPI_Error_string(code, text, length, ierror)
      call expect(win /= MPI_WIN_NULL .and. code == MPI_ERR_OTHER .and. length > 0)
      told = told + 1
   end subroutine error_of_win

   subroutine query_of_request(extra, status, ierror)
      USING
      DECLARING
      STATUS(status)
      integer :: ierror
      integer(MPI_ADDRESS_KIND) :: extra
      call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierror)
      call MPI_Status_set_cancelled(status, .true., ierror)
      queried = queried + 1
      ierror = MPI_SUCCESS
   end subroutine query_of_request

   subroutine end_of_request(extra, ierror)
      USING
      DECLARING
      integer :: ierror
      integer(MPI_ADDRESS_KIND) :: extra
      logical :: main
      call MPI_Is_thread_main(main, ierror)
      call expect(main .and. extra == 10)
      freed = freed + 1
      ierror = MPI_SUCCESS
   end subroutine end_of_request

   subroutine cancel_of_request(extra, complete, ierror)
      USING
      DECLARING
      integer :: ierror, level
      integer(MPI_ADDRESS_KIND) :: extra
      logical :: complete
      call MPI_Query_thread(level, ierror)
      call expect(extra == 10 .and. .not. complete)
      cancelled = cancelled + 1
      ierror = MPI_SUCCESS
   end subroutine cancel_of_request

end module callbacks

module subjects
   use callbacks
   implicit none

contains

   subroutine attributes_of_comm()
      USING
      DECLARING
      HANDLE(MPI_Comm) :: copy
      integer :: key, kept, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra
      logical :: found
      extra = 7
      call MPI_Comm_create_keyval(copy_of_comm, end_of_comm, key, extra, ierror)
      call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, kept, extra, ierror)
      value = 40
      call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierror)
      call MPI_Comm_set_attr(MPI_COMM_WORLD, kept, value, ierror)
      call MPI_Comm_dup(MPI_COMM_WORLD, copy, ierror)
      call MPI_Comm_get_attr(copy, key, value, found, ierror)
      call expect(found .and. value == 47)
      call MPI_Comm_get_attr(copy, kept, value, found, ierror)
      call expect(found .and. value == 40)
      call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierror)
      call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, found, ierror)
      call expect(.not. found)
      call MPI_Comm_free(copy, ierror)
      call MPI_Comm_delete_attr(MPI_COMM_WORLD, kept, ierror)
      call MPI_Comm_free_keyval(key, ierror)
      call MPI_Comm_free_keyval(kept, ierror)
   end subroutine attributes_of_comm

   subroutine attributes_of_type()
      USING
      DECLARING
      HANDLE(MPI_Datatype) :: four, copy
      integer :: key, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra
      logical :: found
      extra = 8
      call MPI_Type_create_keyval(copy_of_type, end_of_type, key, extra, ierror)
      call MPI_Type_contiguous(4, MPI_INTEGER, four, ierror)
      value = 50
      call MPI_Type_set_attr(four, key, value, ierror)
      call MPI_Type_dup(four, copy, ierror)
      call MPI_Type_get_attr(copy, key, value, found, ierror)
      call expect(.not. found)
      call MPI_Type_free(copy, ierror)
      call MPI_Type_free(four, ierror)
      call MPI_Type_free_keyval(key, ierror)
   end subroutine attributes_of_type

   subroutine attributes_of_win()
      USING
      DECLARING
      HANDLE(MPI_Win) :: win
      HANDLE(MPI_Errhandler) :: handler
      integer :: numbers(4), key, ierror
      integer(MPI_ADDRESS_KIND) :: value, extra, bytes
      extra = 9
      call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, end_of_win, key, extra, ierror)
      bytes = 16
      call MPI_Win_create(numbers, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
      value = 60
      call MPI_Win_set_attr(win, key, value, ierror)
      call MPI_Win_create_errhandler(error_of_win, handler, ierror)
      call MPI_Win_set_errhandler(win, handler, ierror)
      call MPI_Win_call_errhandler(win, MPI_ERR_OTHER, ierror)
      call MPI_Errhandler_free(handler, ierror)
      call MPI_Win_free(win, ierror)
      call MPI_Win_free_keyval(key, ierror)
   end subroutine attributes_of_win

   subroutine wrong_rank(ranks)
      USING
      DECLARING
      integer, intent(in) :: ranks
      HANDLE(MPI_Errhandler) :: handler
      integer :: nothing(1), ierror
      nothing = 0
      call MPI_Comm_create_errhandler(error_of_comm, handler, ierror)
      call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler, ierror)
      call MPI_Errhandler_free(handler, ierror)
      call MPI_Send(nothing, 1, MPI_INTEGER, ranks, 0, MPI_COMM_WORLD, ierror)
      call expect(ierror /= MPI_SUCCESS)
      call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)
   end subroutine wrong_rank

   subroutine request_of_the_program()
      USING
      DECLARING
      HANDLE(MPI_Request) :: request
      STATUS(status)
      integer :: elements, ierror
      integer(MPI_ADDRESS_KIND) :: extra
      logical :: flag
      extra = 10
      call MPI_Grequest_start(query_of_request, end_of_request, cancel_of_request, extra, request, ierror)
      call MPI_Test(request, flag, MPI_STATUS_IGNORE, ierror)
      call expect(.not. flag)
      call MPI_Cancel(request, ierror)
      call MPI_Grequest_complete(request, ierror)
      call MPI_Wait(request, status, ierror)
      call MPI_Test_cancelled(status, flag, ierror)
      call MPI_Get_elements(status, MPI_INTEGER, elements, ierror)
      call expect(flag .and. elements == 10)
   end subroutine request_of_the_program

   !> MPI_BOTTOM with absolute addresses (so the compiler does not see `numbers` change), MPI_IN_PLACE,
   !> MPI_STATUSES_IGNORE.
   subroutine special_places(rank, ranks)
      USING
      DECLARING
      integer, intent(in) :: rank, ranks
      HANDLE(MPI_Datatype) :: absolute
      HANDLE(MPI_Request) :: requests(2)
      integer, volatile :: numbers(4)
      integer, asynchronous :: all(64)
      integer :: lengths(1), i, ierror
      integer(MPI_ADDRESS_KIND) :: places(1)
      logical :: flag
      numbers = merge(42, rank, rank == 0)
      lengths = 4
      call MPI_Get_address(numbers, places(1), ierror)
      call MPI_Type_create_hindexed(1, lengths, places, MPI_INTEGER, absolute, ierror)
      call MPI_Type_commit(absolute, ierror)
      call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD, ierror)
      call expect(all_equal(numbers, 42))
      call MPI_Type_free(absolute, ierror)
      all = -1
      all(rank + 1) = rank
      call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, all, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      call expect(.not. any(all(1:ranks) /= [(i, i=0, ranks - 1)]))
      call MPI_Irecv(numbers, 4, MPI_INTEGER, mod(rank + ranks - 1, ranks), 0, MPI_COMM_WORLD, requests(1), ierror)
      call MPI_Isend(all, 4, MPI_INTEGER, mod(rank + 1, ranks), 0, MPI_COMM_WORLD, requests(2), ierror)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      call MPI_Testall(2, requests, flag, MPI_STATUSES_IGNORE, ierror)
      call expect(flag .and. numbers(1) == 0)
   end subroutine special_places

   pure logical function all_equal(values, expected)
      integer, intent(in) :: values(:), expected
      all_equal = .not. any(values /= expected)
   end function all_equal

   !> Arrays of LOGICAL, which are no C integers, and MPI_UNWEIGHTED, whose address is what counts.
   subroutine logical_arguments(rank, ranks)
      USING
      DECLARING
      integer, intent(in) :: rank, ranks
      HANDLE(MPI_Comm) :: grid, row, graph
      integer :: extents(2), at(2), neighbours(1), incoming, outgoing, ierror
      logical :: periods(2), inter
      extents = [ranks, 1]
      call MPI_Cart_create(MPI_COMM_WORLD, 2, extents, [.true., .false.], .false., grid, ierror)
      call MPI_Cart_get(grid, 2, extents, periods, at, ierror)
      call expect(periods(1) .and. .not. periods(2) .and. at(1) == rank)
      call MPI_Cart_sub(grid, [.true., .false.], row, ierror)
      call MPI_Comm_test_inter(row, inter, ierror)
      call expect(.not. inter)
      call MPI_Comm_free(row, ierror)
      call MPI_Comm_free(grid, ierror)
      neighbours = mod(rank + 1, ranks)
      call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, neighbours, MPI_UNWEIGHTED, 0, neighbours, &
                                          MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierror)
      call MPI_Dist_graph_neighbors_count(graph, incoming, outgoing, periods(1), ierror)
      call expect(incoming == 0 .and. outgoing == 0 .and. .not. periods(1))
      call MPI_Comm_free(graph, ierror)
   end subroutine logical_arguments

   !> MPICH's mpif.h does not declare these two.
   subroutine addresses()
#if defined(MPIF_H)
      use, intrinsic :: iso_c_binding, only: MPI_ADDRESS_KIND => c_intptr_t
      integer(MPI_ADDRESS_KIND), external :: MPI_Aint_add, MPI_Aint_diff
#else
      USING
#endif
      integer(MPI_ADDRESS_KIND) :: sum, four
      four = 4
      sum = MPI_Aint_add(four, four)
      call expect(MPI_Aint_diff(sum, four) == four)
   end subroutine addresses

   subroutine clocks()
      USING
      DECLARING
      double precision :: begin
      begin = MPI_Wtime()
      call expect(MPI_Wtick() > 0 .and. MPI_Wtime() >= begin)
   end subroutine clocks

end module subjects

program main
   use subjects
   USING
   implicit none
   DECLARING
   integer :: rank, ranks, ierror

   call MPI_Init(ierror)
   call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
   call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
   call attributes_of_comm()
   call attributes_of_type()
   call attributes_of_win()
   call wrong_rank(ranks)
   call request_of_the_program()
   call special_places(rank, ranks)
   call logical_arguments(rank, ranks)
   call addresses()
   call clocks()
   if (rank == 0) then
      print '(2a,7(a,i0))', 'callbacks of ', BINDING, ': copied ', copied, ', deleted ', deleted, ', told ', told, &
         ', queried ', queried, ', freed ', freed, ', cancelled ', cancelled, ', errors ', errors
   end if
   call MPI_Finalize(ierror)
   if (errors /= 0) stop 1
end program main
