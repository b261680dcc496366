// SPDX-License-Identifier: BSD-3-Clause
// writing.hpp - why results cannot be written, and what to try then
#pragma once

#include <string>

namespace cairn {

/// The system's reason (errno) if no files can be made in the folder, or the folder itself cannot be made; 0 if they
/// can.
int why_not_writable(const std::string& folder);

/// The message that results cannot be written there.
std::string not_writable(const std::string& folder, int error);

/// What the user may try, by the system's reason.
std::string remedy_for_writing(int error);

/// The same for a file of the user's choice.
std::string remedy_for_file(int error);

/// Set by `cairn run` for the program where it has told the user already.
inline constexpr const char* out_told_variable = "CAIRN_OUT_TOLD";

}  // namespace cairn
