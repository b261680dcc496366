// SPDX-License-Identifier: BSD-3-Clause
// picture.hpp - the matrix before and after as an SVG, with the machine's levels
#pragma once

#include <string>

#include "placement/best.hpp"
#include "placement/traffic.hpp"

namespace cairn::place {

/// `run`: its identity; "" if it is not known.
std::string picture(const std::string& run, const placement::Traffic& traffic, const placement::Machine& machine,
                    const placement::Comparison& all);

}  // namespace cairn::place
