// SPDX-License-Identifier: BSD-3-Clause
// sanitizer_options.hpp - what the address sanitizer's runtime is told so that it starts with libcairn.so before it
//
// Header only and free of the C++ library: the preload library uses it too.
#pragma once

namespace cairn {

inline constexpr const char* sanitizer_variable = "ASAN_OPTIONS";
inline constexpr const char* sanitizer_options = "verify_asan_link_order=0";

}  // namespace cairn
