# SPDX-License-Identifier: BSD-3-Clause
# engine_parts.cmake - what an installation carries so that `cairn add-mpi` can compile an engine for another MPI
#
#   share/cairn/engine      the sources that need an MPI's mpi.h, the headers that they include, a CMake project (cmake/add_mpi)
#   lib/cairn/engine        what these are linked with and needs no MPI, compiled: libraries, and libraries.cmake that names them
if(CMAKE_CROSSCOMPILING)
  return()
endif()
set(parts_folder ${CMAKE_BINARY_DIR}/engine_parts)
get_property(tool_parts GLOBAL PROPERTY CAIRN_TOOL_PARTS)
set(parts cairn_base cairn_loader cairn_formats cairn_pages cairn_where cairn_trace cairn_waits cairn_collectives cairn_placement cairn_policy ${tool_parts})
set(files "")

# Without line numbers, which would name the folder of this build; the same bits each time.
function(cairn_engine_part name from)
  set(to ${parts_folder}/lib${name}.a)
  add_custom_command(OUTPUT ${to} COMMAND ${CMAKE_COMMAND} -E copy ${from} ${to}
    COMMAND ${CMAKE_STRIP} --strip-debug --enable-deterministic-archives ${to} DEPENDS ${ARGN} ${from} VERBATIM)
  set(files ${files} ${to} PARENT_SCOPE)
endfunction()

set(text "")
foreach(part IN LISTS parts)
  set(library ${part})
  get_target_property(type ${part} TYPE)
  if(type STREQUAL OBJECT_LIBRARY)
    set(library ${part}_archive)
    add_library(${library} STATIC $<TARGET_OBJECTS:${part}>)
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  cairn_engine_part(${part} $<TARGET_FILE:${library}> ${library})
  get_target_property(uses ${part} INTERFACE_LINK_LIBRARIES)
  if(NOT uses)
    set(uses "")
  endif()
  set(names "")
  foreach(use IN LISTS uses)
    if(use MATCHES "^(/.*/lib([A-Za-z0-9_]+)\\.a)$")  # of another project's: carried along
      cairn_engine_part(${CMAKE_MATCH_2} ${CMAKE_MATCH_1})
      list(APPEND names "\${folder}/lib${CMAKE_MATCH_2}.a")
    elseif(use IN_LIST parts OR NOT use MATCHES "[$:/]")
      list(APPEND names ${use})
    endif()
  endforeach()
  string(APPEND text "cairn_engine_library(${part} ${names})\n")
endforeach()
file(CONFIGURE OUTPUT ${parts_folder}/libraries.cmake CONTENT "${text}" @ONLY)
list(APPEND files ${parts_folder}/libraries.cmake)
add_custom_target(engine_parts ALL DEPENDS ${files})
install(FILES ${files} DESTINATION ${CMAKE_INSTALL_LIBDIR}/cairn/engine COMPONENT engine)

set(sources ${CMAKE_INSTALL_DATADIR}/cairn/engine)
set(no_tests PATTERN tests EXCLUDE PATTERN README.md EXCLUDE)
configure_file(cmake/add_mpi/CMakeLists.txt.in ${parts_folder}/CMakeLists.txt @ONLY)
install(FILES ${parts_folder}/CMakeLists.txt DESTINATION ${sources} COMPONENT engine)
install(FILES cmake/compiling.cmake cmake/mpi.cmake cmake/mpi_functions.cmake cmake/tool.cmake cmake/tool_exports.map
  DESTINATION ${sources}/cmake COMPONENT engine)
install(DIRECTORY include tools services DESTINATION ${sources} COMPONENT engine ${no_tests})
install(DIRECTORY src/engine DESTINATION ${sources}/src COMPONENT engine ${no_tests})
install(DIRECTORY src/ DESTINATION ${sources}/src COMPONENT engine
  FILES_MATCHING PATTERN *.hpp PATTERN *.h PATTERN *.inc PATTERN engine EXCLUDE PATTERN preload EXCLUDE)
# Headers of others, which a site need not have.
find_package(nlohmann_json REQUIRED)
get_target_property(json nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
list(GET json 0 json)  # Debian's names it twice
install(DIRECTORY ${json}/nlohmann DESTINATION ${sources}/others COMPONENT engine)
if(CAIRN_PMIX_INCLUDE)
  install(DIRECTORY ${CAIRN_PMIX_INCLUDE}/ DESTINATION ${sources}/others COMPONENT engine FILES_MATCHING PATTERN pmix*.h PATTERN pmix EXCLUDE)
else()
  message(STATUS "Without pmix.h (libpmix-dev) 'cairn add-mpi' cannot add Open MPI")
endif()
