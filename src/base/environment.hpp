// SPDX-License-Identifier: BSD-3-Clause
// environment.hpp - reading environment variables
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

#include <stdlib.h>

namespace cairn {

/// "" if there is no such variable.
inline const char* environment(const char* name) {
  const char* const value = getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace cairn
