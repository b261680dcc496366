// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - lists of ranks as short texts, as all result files have them
//
// In their order: "0-3", "0-6:2" (every second), "5,1,7"; 'x' stands for a process outside of MPI_COMM_WORLD.
#pragma once

#include <climits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cairn::formats {

/// A negative number is a process outside.
std::string ranks_text(const std::vector<int>& ranks);

/// With their noun: "rank 3", "ranks 0-2".
std::string named_ranks(const std::vector<int>& ranks);

/// The same ranks again, -1 for a process outside. What is damaged ends the list; ranks from `limit` on are left out,
/// and there are never more than `limit` + 1.
std::vector<int> ranks_of(std::string_view text, int limit = INT_MAX);

/// Of a user's: each run forward, each rank below `size`. Nothing: the text is none such, or empty.
std::optional<std::vector<int>> given_ranks(std::string_view text, int size);

}  // namespace cairn::formats
