# SPDX-License-Identifier: BSD-3-Clause
# aarch64.cmake - toolchain file: builds for 64-bit ARM with Debian's cross compiler, without an MPI of that processor.
#
# Libraries that are headers alone serve from the host; they are searched last, so that the C library's headers are the target's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CXX_FLAGS_INIT "-idirafter /usr/include")

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/headers)
set(tomlplusplus_DIR ${CMAKE_CURRENT_LIST_DIR}/headers)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

# The host's compiler wrappers know the host's MPI libraries only (cmake/mpi.cmake).
set(CAIRN_openmpi_WRAPPER FALSE CACHE INTERNAL "")
set(CAIRN_mpich_WRAPPER FALSE CACHE INTERNAL "")
