// SPDX-License-Identifier: BSD-3-Clause
// report.hpp - the results as text and as JSON. No MPI in here.
#pragma once

#include <string>

#include "summary.hpp"

namespace vars {

/// At most `top` rows, those with the largest part of a variable's changes first.
std::string format_table(const Summary& summary, unsigned top);

/// vars.json, as README.md describes it.
std::string format_json(const Summary& summary);

}  // namespace vars
