// SPDX-License-Identifier: BSD-3-Clause
// refine.hpp - makes a mapping better by exchanging ranks
#pragma once

#include "placement/mapping.hpp"

namespace cairn::placement {

/// Never worse than before. Takes the same way on every machine.
void refine(const Traffic& traffic, const Machine& machine, Mapping& mapping);

}  // namespace cairn::placement
