// SPDX-License-Identifier: BSD-3-Clause
// waits.cc - writing waits.json

#include "formats/waits.hpp"

#include "formats/field_writer.hpp"

namespace cairn::formats::waits {

std::string file_text(const Summary& summary) { return formats::file_text(summary, 1); }

}  // namespace cairn::formats::waits
