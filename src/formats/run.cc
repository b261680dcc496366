// SPDX-License-Identifier: BSD-3-Clause
// run.cc - writing run.json

#include "formats/run.hpp"

#include "formats/field_writer.hpp"

namespace cairn::formats::run {

std::string file_text(const Summary& run) { return formats::file_text(run, 2); }

}  // namespace cairn::formats::run
