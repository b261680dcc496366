# SPDX-License-Identifier: BSD-3-Clause
# tool.cmake - builds a C++ tool once for each MPI that was found
#
#   cairn_add_tool(<name> <source>...)
#
# Targets tool_<name>_<mpi>, modules <mpi>/<name>.so in the build folder. A tool brings its own, hidden C++ library, so that it
# gets along with whatever the program uses. CAIRN_TOOL_EXPORTS is the list of names that stay visible.
foreach(mpi IN LISTS CAIRN_MPIS)
  cairn_mpi_functions(${CMAKE_BINARY_DIR}/generated/${mpi}/functions.inc ${CAIRN_${mpi}_LIBRARY})
endforeach()

set(CAIRN_TOOL_EXPORTS ${CMAKE_CURRENT_LIST_DIR}/tool_exports.map)

# What is compiled into a module.
function(cairn_tool_flags target)
  target_compile_options(${target} PRIVATE $<$<AND:$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>,$<CXX_COMPILER_ID:GNU>>:-mtls-dialect=gnu2>
    -ffunction-sections -fdata-sections)
  target_link_libraries(${target} PRIVATE cairn::headers)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()

# What is compiled for one MPI.
function(cairn_tool_for_mpi target mpi)
  target_compile_definitions(${target} PRIVATE CAIRN_FUNCTIONS="${mpi}/functions.inc")
  target_include_directories(${target} PRIVATE ${CMAKE_BINARY_DIR}/generated)
  cairn_tool_flags(${target})
  target_link_libraries(${target} PRIVATE cairn_mpi_${mpi})
endfunction()

function(cairn_add_tool name)
  foreach(mpi IN LISTS CAIRN_MPIS)
    set(target tool_${name}_${mpi})
    add_library(${target} MODULE ${ARGN})
    cairn_tool_for_mpi(${target} ${mpi})
    target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections
      -Wl,--version-script=${CAIRN_TOOL_EXPORTS})
    set_target_properties(${target} PROPERTIES PREFIX "" OUTPUT_NAME ${name} BUILD_RPATH "" SKIP_BUILD_RPATH ON
      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${mpi})
  endforeach()
endfunction()
