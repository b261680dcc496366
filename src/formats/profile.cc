// SPDX-License-Identifier: BSD-3-Clause
// profile.cc - writing profile.json

#include "formats/profile.hpp"

#include "formats/field_writer.hpp"

namespace cairn::formats::profile {

std::string file_text(const Summary& profile) { return formats::file_text(profile, 2); }

}  // namespace cairn::formats::profile
