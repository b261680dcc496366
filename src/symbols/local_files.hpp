// SPDX-License-Identifier: BSD-3-Clause
// local_files.hpp - where debug information is looked for: on this machine alone
#pragma once

#include <elfutils/libdwfl.h>

#include <cstdlib>

namespace cairn {

/// libdw would ask the servers that DEBUGINFOD_URLS names for what it does not find, and wait for them: at the end of
/// the program, from each rank. Where there are such, files are found by their build id alone, as Debian's packages have
/// them, not by .gnu_debuglink.
inline int find_local_debuginfo(Dwfl_Module* module, void** user_data, const char* name, Dwarf_Addr base,
                                const char* file, const char* debug_link, GElf_Word checksum, char** found) {
  const char* const servers = std::getenv("DEBUGINFOD_URLS");
  const bool has_servers = servers != nullptr && *servers != '\0';
  return (has_servers ? dwfl_build_id_find_debuginfo : dwfl_standard_find_debuginfo)(module, user_data, name, base,
                                                                                     file, debug_link, checksum, found);
}

}  // namespace cairn
