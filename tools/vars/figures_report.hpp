// SPDX-License-Identifier: BSD-3-Clause
// figures_report.hpp - what calls did to a variable, in words and in JSON, whether by call or by object and element
#pragma once

#include "formats/json_writer.hpp"
#include "summary.hpp"

namespace vars {

const VariableSummary& variable_of(const Summary& summary, const Moved& moved);

/// Those that changed a variable most come first within it.
bool moved_more(const Moved& one, const Moved& other);

/// What happened, in words that fit the class.
std::string what(const VariableSummary& variable, const Moved& moved);

/// The same as members of its entry.
void write_figures(formats::JsonWriter& json, const VariableSummary& variable, const Moved& moved);

}  // namespace vars
