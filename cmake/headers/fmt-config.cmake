# SPDX-License-Identifier: BSD-3-Clause
# fmt-config.cmake - fmt from its headers alone, for builds whose processor has no libfmt here.
add_library(fmt::fmt INTERFACE IMPORTED)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
