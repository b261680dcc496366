// SPDX-License-Identifier: BSD-3-Clause
// missing.hpp - results that are not in a run's folder, and why
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/report/section.hpp"
#include "formats/run.hpp"

namespace cairn::report {

/// Of how many layers of the tool there may be results.
int asked_for(const formats::run::Summary& run, std::string_view tool);
/// Whether this layer of the tool writes results in any run that ends well: not if no rank could load it, as the run
/// itself tells, nor if it is a 'policy' that was given none.
bool owes_results(const formats::run::Summary& run, std::string_view tool, int instance);

/// Of the file of a whole run, where ranks have left nothing either.
Problem missing_file(const std::string& path);
/// The same where there are these parts of `count` ranks; those that cannot be read are not among them.
Problem missing_file(const std::string& path, std::span<const Section> parts, std::size_t count);

/// What not every rank had, as the run itself has told, is added to the warnings.
void warn_of_gaps(const formats::run::Summary& run, Report& report);
/// Throws Problem if there is no report because some tool was nowhere.
void check_loaded(const formats::run::Summary& run);

}  // namespace cairn::report
