// SPDX-License-Identifier: BSD-3-Clause
// answer.hpp - mappings side by side, for people and for programs
#pragma once

#include <string>

#include "cli/place/source.hpp"
#include "placement/best.hpp"

namespace cairn::place {

std::string answer_text(const Source& source, const placement::Machine& machine, const placement::Comparison& all);
std::string answer_json(const Source& source, const placement::Machine& machine, const placement::Comparison& all);

}  // namespace cairn::place
