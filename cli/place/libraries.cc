// SPDX-License-Identifier: BSD-3-Clause
// libraries.cc - opens libcairn-placement.so beside libcairn.so

#include "cli/place/libraries.hpp"

#include <dlfcn.h>

#include "base/message.hpp"
#include "cli/program.hpp"

namespace cairn::place {

const placement::Libraries& libraries() {
  const void* const symbol = cli::beside_libcairn("placement", placement::libraries_symbol);
  if (symbol == nullptr)
    throw Problem(std::string("placing ranks needs hwloc and Scotch: ") + dlerror(),
                  "apt-get install libhwloc15 libscotch-7.0");
  return *static_cast<const placement::Libraries*>(symbol);
}

}  // namespace cairn::place
