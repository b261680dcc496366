# SPDX-License-Identifier: BSD-3-Clause
# mpi.cmake - finds each MPI by its own compiler wrapper: target cairn_mpi_<id> to compile and link with, and its programs.
#
# CAIRN_MPIS            ids of what was found, e.g. openmpi;mpich (the ids of src/request/mpi_family.cc)
# CAIRN_<id>_LIBRARY    the library that defines MPI_Init
# CAIRN_<id>_MPICC …    mpicc, mpicxx, mpifort and mpirun of that MPI
#
# With CAIRN_ADDED_MPI, an id, that one alone, whose CAIRN_<id>_LIBRARY and CAIRN_ADDED_INCLUDES are told (cmake/add_mpi).

include(CheckCXXSourceCompiles)

function(_cairn_add_mpi id library_name includes library_folders)
  find_library(CAIRN_${id}_LIBRARY NAMES ${library_name} HINTS ${library_folders} NO_CACHE)
  if(NOT CAIRN_${id}_LIBRARY)
    return()
  endif()
  add_library(cairn_mpi_${id} INTERFACE)
  target_include_directories(cairn_mpi_${id} SYSTEM INTERFACE ${includes})
  set(definitions OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  if(id STREQUAL abi)  # MPICH's mpi.h is the standard ABI's or its own
    list(APPEND definitions MPI_ABI)
  endif()
  target_compile_definitions(cairn_mpi_${id} INTERFACE ${definitions})
  set(CMAKE_REQUIRED_QUIET ON)
  set(CMAKE_REQUIRED_INCLUDES ${includes})
  list(TRANSFORM definitions PREPEND -D OUTPUT_VARIABLE CMAKE_REQUIRED_DEFINITIONS)
  check_cxx_source_compiles("#include <mpi.h>
    int main() { return MPI_T_BIND_MPI_SESSION; }" CAIRN_${id}_BINDS_SESSIONS)
  if(CAIRN_${id}_BINDS_SESSIONS)  # for cairn/kit/mpi_t_terms.hpp
    target_compile_definitions(cairn_mpi_${id} INTERFACE CAIRN_HAS_BIND_SESSION)
  endif()
  target_link_libraries(cairn_mpi_${id} INTERFACE ${CAIRN_${id}_LIBRARY})
  foreach(program mpicc mpicxx mpifort mpirun)
    string(TOUPPER ${program} upper)
    find_program(CAIRN_${id}_${upper} NAMES ${program}.${id})
    if(CAIRN_${id}_${upper})
      set(CAIRN_${id}_${upper} ${CAIRN_${id}_${upper}} PARENT_SCOPE)
    endif()
  endforeach()
  get_filename_component(real_library ${CAIRN_${id}_LIBRARY} REALPATH)
  set(CAIRN_${id}_LIBRARY ${real_library} PARENT_SCOPE)
  set(CAIRN_MPIS ${CAIRN_MPIS} ${id} PARENT_SCOPE)
endfunction()

function(_cairn_ask out)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  set(${out} "${answer}" PARENT_SCOPE)
endfunction()

set(CAIRN_MPIS "")

if(CAIRN_ADDED_MPI)
  _cairn_add_mpi(${CAIRN_ADDED_MPI} "" "${CAIRN_ADDED_INCLUDES}" "")
  return()
endif()

find_program(CAIRN_openmpi_WRAPPER NAMES mpicc.openmpi)
if(CAIRN_openmpi_WRAPPER)
  _cairn_ask(includes ${CAIRN_openmpi_WRAPPER} --showme:incdirs)
  _cairn_ask(folders ${CAIRN_openmpi_WRAPPER} --showme:libdirs)
  separate_arguments(includes UNIX_COMMAND "${includes}")
  separate_arguments(folders UNIX_COMMAND "${folders}")
  _cairn_add_mpi(openmpi mpi "${includes}" "${folders}")
endif()

find_program(CAIRN_mpich_WRAPPER NAMES mpicc.mpich)
if(CAIRN_mpich_WRAPPER)
  _cairn_ask(flags ${CAIRN_mpich_WRAPPER} -show)
  string(REGEX MATCHALL "-I[^ ]+" includes "${flags}")
  list(TRANSFORM includes REPLACE "^-I" "")
  string(REGEX MATCHALL "-L[^ ]+" folders "${flags}")
  list(TRANSFORM folders REPLACE "^-L" "")
  _cairn_add_mpi(mpich mpich "${includes}" "${folders}")
endif()

message(STATUS "MPI libraries: ${CAIRN_MPIS}")
