// SPDX-License-Identifier: BSD-3-Clause
// profile_board.hpp - the call sites of `profile` in a process that was killed, from its board
#pragma once

#include <optional>

#include "formats/profile.hpp"
#include "where/jobs.hpp"

namespace cairn::report {

struct ProfileOnBoard {
  /// As the tool's own part would be, but for what no board tells: regions, communicators and sizes of messages.
  formats::profile::Summary summary;
  std::uint64_t lost = 0;  // call sites for which there was no room
};

/// Nothing if the process has no board. Throws Problem: it is damaged, or one of another version.
std::optional<ProfileOnBoard> profile_on_board(const where::Process& killed);

}  // namespace cairn::report
