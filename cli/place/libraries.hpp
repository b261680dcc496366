// SPDX-License-Identifier: BSD-3-Clause
// libraries.hpp - opens the library that knows hwloc and Scotch
#pragma once

#include "placement/libraries.hpp"

namespace cairn::place {

/// Throws Problem if it, hwloc or Scotch is not there.
const placement::Libraries& libraries();

}  // namespace cairn::place
