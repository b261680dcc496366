! SPDX-License-Identifier: BSD-3-Clause
! region.f90 - naming the parts of a Fortran program, so that tools can tell what belongs to which (see region.h).
!
!   use cairn_regions
!   call cairn_region_begin('assemble')
!   ...
!   call cairn_region_end('assemble')
!
! To be compiled with the program; there is nothing to link.
module cairn_regions
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_null_char
  implicit none
  private
  public :: cairn_region_begin, cairn_region_end

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
  end interface

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

end module cairn_regions
