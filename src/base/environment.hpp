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

/// A setting is on unless it is absent, empty or "0".
inline bool setting_on(const char* name) {
  const char* const text = environment(name);
  return text[0] != '\0' && !(text[0] == '0' && text[1] == '\0');
}

}  // namespace cairn
