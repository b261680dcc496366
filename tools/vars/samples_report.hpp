// SPDX-License-Identifier: BSD-3-Clause
// samples_report.hpp - what was sampled, for vars.json and the table
#pragma once

#include "formats/json_writer.hpp"
#include "summary.hpp"

namespace vars {

/// Lines for the variables that moved; "" if nothing was sampled.
std::string samples_table(const Summary& summary);

/// Lines for the variables by which ranks fall into classes; "" if ranks are not told apart.
std::string ranks_table(const Summary& summary);

/// How it was done, if anything was sampled.
void write_sampling(formats::JsonWriter& json, const Summary& summary);

/// What was sampled of a variable, if it was, as members of its entry.
void write_samples(formats::JsonWriter& json, const VariableSummary& variable);

/// The figures of each rank, if they were kept, as a member of its entry.
void write_ranks(formats::JsonWriter& json, const VariableSummary& variable);

}  // namespace vars
