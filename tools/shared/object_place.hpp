// SPDX-License-Identifier: BSD-3-Clause
// object_place.hpp - an address of code in a form that all ranks share, wherever the program or library was loaded
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <string>

namespace shared {

struct ObjectPlace {
  std::string path;      // of the program or library; "" if the address is in none
  std::uint64_t offset;  // of the call, as in the file's symbol table; the address if it is in no file
};

/// `program`: its path, which the dynamic loader does not provide.
inline ObjectPlace object_place(const void* return_address, const std::string& program) {
  const auto* call = static_cast<const char*>(return_address) - 1;
  Dl_info info;
  link_map* map = nullptr;
  if (dladdr1(call, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return {"", reinterpret_cast<std::uintptr_t>(call)};
  return {*map->l_name == '\0' ? program : map->l_name, reinterpret_cast<std::uintptr_t>(call) - map->l_addr};
}

}  // namespace shared
