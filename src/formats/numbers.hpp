// SPDX-License-Identifier: BSD-3-Clause
// numbers.hpp - numbers as text, whatever the process's locale
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cairn::formats {

std::string fixed(double value, int places);  // "3.142"
/// As %g has it: "3.14", "1e-05"; but what has more digits before its point is whole: "1234", not "1.23e+03".
std::string significant(double value, int digits);
std::string hexadecimal(std::uint64_t value);  // "0x4f"
std::string human_bytes(std::uint64_t bytes);  // "176.9 MB"

/// Of any size that a double holds exactly.
bool is_whole(double value);
/// Whole numbers without a point, others with six digits.
std::string plain_number(double value);

/// 0 where there is no whole.
constexpr double percent(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace cairn::formats
