// SPDX-License-Identifier: BSD-3-Clause
// samples_report.hpp - what was sampled, for vars.json and the table
#pragma once

#include "numbers.hpp"
#include "summary.hpp"

namespace vars {

/// Lines for the variables that moved; "" if nothing was sampled.
std::string samples_table(const Summary& summary);

/// How it was done; null if nothing was sampled.
Json sampling_json(const Summary& summary);

/// Adds what was sampled of a variable, if it was.
void add_samples(const VariableSummary& variable, Json& entry);

}  // namespace vars
