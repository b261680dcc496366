// SPDX-License-Identifier: BSD-3-Clause
// moves.hpp - puts files where others may be: all of them, or none
#pragma once

#include <filesystem>
#include <string>

namespace cairn::cli {

/// Moves the files below `from` to the same places below `to`, on the same file system; the one called `last` last. What is
/// in such a place goes to the same place below `aside`. If something fails, all is as before, and
/// std::filesystem::filesystem_error says what failed.
void put_in_place(const std::filesystem::path& from, const std::filesystem::path& to,
                  const std::filesystem::path& aside, const std::string& last);

}  // namespace cairn::cli
