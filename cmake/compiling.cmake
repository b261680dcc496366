# SPDX-License-Identifier: BSD-3-Clause
# compiling.cmake - how everything is compiled, here and where an engine is added to an installation (cmake/add_mpi)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_INSTALL_LIBDIR lib CACHE PATH "Libraries, relative to the installation")
include(GNUInstallDirs)

add_compile_options(-Wall -Wextra -Wshadow)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wconversion> $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
add_compile_options($<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fbracket-depth=1024>)  # more than there are MPI functions
add_compile_definitions(_GNU_SOURCE CAIRN_VERSION="${PROJECT_VERSION}")

# For what runs in the program's process, whose stacks may be small (128 KiB in the tests): no frame with more than a path.
if(NOT CAIRN_SANITIZE)
  set(CAIRN_FRAME_LIMIT -Wframe-larger-than=5120)
endif()

add_library(cairn_headers INTERFACE)
target_include_directories(cairn_headers INTERFACE include)
add_library(cairn::headers ALIAS cairn_headers)
