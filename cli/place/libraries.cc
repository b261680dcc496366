// SPDX-License-Identifier: BSD-3-Clause
// libraries.cc - opens libcairn-placement.so beside libcairn.so

#include "cli/place/libraries.hpp"

#include <dlfcn.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/program.hpp"

namespace cairn::place {

const placement::Libraries& libraries() {
  const std::string path = folder_of(cli::libcairn()) + "/cairn/libcairn-placement.so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const symbol = handle == nullptr ? nullptr : dlsym(handle, placement::libraries_symbol);
  if (symbol == nullptr)
    throw Problem(std::string("placing ranks needs hwloc and Scotch: ") + dlerror(),
                  "apt-get install libhwloc15 libscotch-7.0");
  return *static_cast<const placement::Libraries*>(symbol);
}

}  // namespace cairn::place
