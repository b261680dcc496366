// SPDX-License-Identifier: BSD-3-Clause
// annotations.hpp - libraries that programs mark regions with and that look for a tool by themselves.
#pragma once

#include <string>

namespace cairn::cli {

/// Names `library` to Kokkos and NVTX as the tool to open; what the user has set stays.
void offer_annotations(const std::string& library, const std::string& program);

}  // namespace cairn::cli
