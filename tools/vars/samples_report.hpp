// SPDX-License-Identifier: BSD-3-Clause
// samples_report.hpp - what was sampled, for vars.json and the table
#pragma once

#include "formats/json_writer.hpp"
#include "summary.hpp"

namespace vars {

/// Lines for the variables that moved; "" if nothing was sampled.
std::string samples_table(const Summary& summary);

/// How it was done, if anything was sampled.
void write_sampling(formats::JsonWriter& json, const Summary& summary);

/// What was sampled of a variable, if it was, as members of its entry.
void write_samples(formats::JsonWriter& json, const VariableSummary& variable);

}  // namespace vars
