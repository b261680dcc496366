// SPDX-License-Identifier: BSD-3-Clause
// caller_search.hpp - finding a library as the dynamic loader would for a certain caller of dlopen.
#pragma once

#include <string>

namespace cairn {

/// For a name without a folder the dynamic loader looks into the RPATH or RUNPATH of the object that calls dlopen, and
/// in a path it puts that object's folder for $ORIGIN. Called through us it would take us for the caller; so the search
/// is made here. Returns the path to open, or an empty string where the caller makes no difference.
std::string found_by_caller(void* (*dlopen)(const char*, int), const char* file, const void* caller);

}  // namespace cairn
