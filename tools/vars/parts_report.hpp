// SPDX-License-Identifier: BSD-3-Clause
// parts_report.hpp - results by object and element as text and as JSON. No MPI in here.
#pragma once

#include "formats/json_writer.hpp"
#include "summary.hpp"

namespace vars {

/// At most `top` rows: of each variable the few parts that changed most. "" if parts are not told apart.
std::string parts_table(const Summary& summary, unsigned top);

/// "parts" of vars.json, if there are any.
void write_parts(formats::JsonWriter& json, const Summary& summary);

}  // namespace vars
