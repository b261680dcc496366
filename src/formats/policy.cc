// SPDX-License-Identifier: BSD-3-Clause
// policy.cc - writing policy.json

#include "formats/policy.hpp"

#include "formats/field_writer.hpp"

namespace cairn::formats::policy {

std::string file_text(const Summary& summary) { return formats::file_text(summary, 1); }

}  // namespace cairn::formats::policy
