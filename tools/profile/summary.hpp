// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - a whole run's profile as plain data: what is in the file, and what only the table has. No MPI in here.
#pragma once

#include <cstdint>
#include <string>

#include "formats/profile.hpp"

namespace profile {

using namespace cairn::formats::profile;
using cairn::formats::SourcePosition;

struct Summary : cairn::formats::profile::Summary {
  std::string tool;                // as the user named it, with " #2" for a second instance
  std::uint64_t lost_calls = 0;    // which are missing: out of memory
  std::uint64_t merged_calls = 0;  // calls from places beyond what the tool keeps apart
};

}  // namespace profile
