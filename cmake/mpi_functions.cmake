# SPDX-License-Identifier: BSD-3-Clause
# mpi_functions.cmake - writes the part of the MPI function table that one MPI library has
#
#   cairn_mpi_functions(<out file> <shared library>)
#
# <out file> gets those lines of include/cairn/generated/functions.inc whose PMPI_ twin the library exports. It is written when
# CMake runs, and CMake runs again when the table or the library changes.

cmake_policy(VERSION 3.20)

if(NOT DEFINED CAIRN_FUNCTIONS_INC)
  set(CAIRN_FUNCTIONS_INC "${CMAKE_CURRENT_LIST_DIR}/../include/cairn/generated/functions.inc")
endif()

# The PMPI_ and PMPIX_ functions that a shared library exports, without symbol versions.
function(cairn_exported_pmpi OUT_NAMES LIBRARY)
  find_program(CAIRN_NM NAMES "${CMAKE_NM}" nm REQUIRED)
  execute_process(COMMAND "${CAIRN_NM}" -D --defined-only "${LIBRARY}"
                  OUTPUT_VARIABLE symbols ERROR_VARIABLE error RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "cairn: cannot read the symbols of ${LIBRARY}: ${error}")
  endif()
  string(REGEX MATCHALL "[TWi] PMPIX?_[A-Za-z0-9_]+" names "${symbols}")
  list(TRANSFORM names REPLACE "^. " "")
  if(NOT names)
    message(FATAL_ERROR "cairn: ${LIBRARY} exports no PMPI_ function; is it an MPI library?")
  endif()
  set(${OUT_NAMES} "${names}" PARENT_SCOPE)
endfunction()

# The lines of the table whose name is wanted, as one text. Lines contain brackets, between which CMake does not split a list, so
# the table is cut up as text and never becomes a list.
function(cairn_select_functions OUT_TEXT NAMES)
  file(READ "${CAIRN_FUNCTIONS_INC}" rest)
  set(selected "")
  while(rest MATCHES "^([^\n]*)\n")
    set(line "${CMAKE_MATCH_1}")
    string(LENGTH "${line}" length)
    math(EXPR length "${length} + 1")
    string(SUBSTRING "${rest}" ${length} -1 rest)
    if(NOT line MATCHES "^CAIRN_[A-Z_]*FUNCTION\\(([A-Za-z0-9_]+),")
      string(APPEND selected "${line}\n")
    elseif("P${CMAKE_MATCH_1}" IN_LIST NAMES)
      string(APPEND selected "${line}\n")
    endif()
  endwhile()
  set(${OUT_TEXT} "${selected}" PARENT_SCOPE)
endfunction()

function(cairn_mpi_functions OUT_FILE LIBRARY)
  cairn_exported_pmpi(names "${LIBRARY}")
  cairn_select_functions(text "${names}")
  set(present "")
  if(EXISTS "${OUT_FILE}")
    file(READ "${OUT_FILE}" present)
  endif()
  if(NOT text STREQUAL present)  # an unchanged file keeps its time stamp, so nothing is compiled again
    file(WRITE "${OUT_FILE}" "${text}")
  endif()
  if(NOT CMAKE_SCRIPT_MODE_FILE)
    file(REAL_PATH "${LIBRARY}" library)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CAIRN_FUNCTIONS_INC}" "${LIBRARY}" "${library}")
  endif()
endfunction()
