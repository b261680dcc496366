# SPDX-License-Identifier: BSD-3-Clause
# tomlplusplus-config.cmake - toml++, which is used from its headers anyway; its own package belongs to the host's processor.
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED)
