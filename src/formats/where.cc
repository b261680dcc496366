// SPDX-License-Identifier: BSD-3-Clause
// where.cc - writing where.json

#include "formats/where.hpp"

#include "formats/field_writer.hpp"

namespace cairn::formats::where {

std::string file_text(const Summary& job) { return formats::file_text(job, 2); }

}  // namespace cairn::formats::where
