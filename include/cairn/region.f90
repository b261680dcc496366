! SPDX-License-Identifier: BSD-3-Clause
! region.f90 - naming the parts of a Fortran program, so that tools can tell what belongs to which (see region.h).
!
!   use cairn_regions
!   call cairn_region_begin('assemble')
!   ...
!   call cairn_region_end('assemble')
!
!   call cairn_attribute_begin('level', '3')             ! the region "level=3"
!   call cairn_attribute_end('level')
!   call cairn_attribute_begin('level', level)           ! an integer
!
!   do i = 1, n
!     call cairn_iteration_begin(i)                      ! the region "iteration", once more; an integer of any kind
!     ...
!     call cairn_iteration_end()
!   end do
!
! To be compiled with the program; there is nothing to link.
module cairn_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_long, c_null_char
  use, intrinsic :: iso_fortran_env, only: int32, int64
  implicit none
  private
  public :: cairn_region_begin, cairn_region_end
  public :: cairn_attribute_begin, cairn_attribute_end
  public :: cairn_iteration_begin, cairn_iteration_end

  integer(c_int), parameter :: begin_level = -1128352335
  integer(c_int), parameter :: end_level = -1128352336

  ! MPI's own Fortran binding of MPI_Pcontrol takes no further arguments, so it is called as C has it.
  interface
    function pcontrol(level, name) result(error) bind(C, name='MPI_Pcontrol')
      import :: c_char, c_int
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int) :: error
    end function pcontrol

    ! The number of an iteration lies behind the name.
    function pcontrol_number(level, name, number) result(error) bind(C, name='MPI_Pcontrol')
      import :: c_char, c_int, c_long
      integer(c_int), value :: level
      character(kind=c_char), intent(in) :: name(*)
      integer(c_long), value :: number
      integer(c_int) :: error
    end function pcontrol_number
  end interface

  interface cairn_attribute_begin
    module procedure attribute_begin_text, attribute_begin_int32, attribute_begin_int64
  end interface cairn_attribute_begin

  interface cairn_iteration_begin
    module procedure iteration_begin_int32, iteration_begin_int64
  end interface cairn_iteration_begin

contains

  subroutine cairn_region_begin(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: ignored
    ignored = pcontrol(begin_level, trim(name)//c_null_char)
  end subroutine cairn_region_begin

  subroutine cairn_region_end(name)
    character(len=*), intent(in) :: name
    integer(c_int) :: ignored
    ignored = pcontrol(end_level, trim(name)//c_null_char)
  end subroutine cairn_region_end

  subroutine attribute_begin_text(key, value)
    character(len=*), intent(in) :: key, value
    call cairn_region_begin(trim(key)//'='//value)
  end subroutine attribute_begin_text

  subroutine attribute_begin_int32(key, value)
    character(len=*), intent(in) :: key
    integer(int32), intent(in) :: value
    call attribute_begin_int64(key, int(value, int64))
  end subroutine attribute_begin_int32

  subroutine attribute_begin_int64(key, value)
    character(len=*), intent(in) :: key
    integer(int64), intent(in) :: value
    character(len=20) :: digits
    write (digits, '(i0)') value
    call attribute_begin_text(key, digits)
  end subroutine attribute_begin_int64

  subroutine cairn_attribute_end(key)
    character(len=*), intent(in) :: key
    call cairn_region_end(trim(key)//'=')
  end subroutine cairn_attribute_end

  subroutine iteration_begin_int32(number)
    integer(int32), intent(in) :: number
    call iteration_begin_int64(int(number, int64))
  end subroutine iteration_begin_int32

  subroutine iteration_begin_int64(number)
    integer(int64), intent(in) :: number
    integer(c_int) :: ignored
    ignored = pcontrol_number(begin_level, 'iteration'//c_null_char, int(number, c_long))
  end subroutine iteration_begin_int64

  subroutine cairn_iteration_end()
    call cairn_region_end('iteration')
  end subroutine cairn_iteration_end

end module cairn_regions
