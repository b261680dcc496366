// SPDX-License-Identifier: BSD-3-Clause
// misfits.hpp - collective calls that do not fit each other
#pragma once

#include <optional>
#include <vector>

#include "where/actors.hpp"
#include "where/finding.hpp"
#include "where/places.hpp"

namespace cairn::where {

/// `call`: one rank's part in a collective call; it has an object and a number.
std::optional<Finding> find_misfit(const Job& job, const Call& call, Places& places);

/// Of such calls, one of each number on each object, those that processes have made in different ways: the others need not
/// be asked for. All that ranks still know is gone through once.
std::vector<const Call*> made_differently(const Job& job, const std::vector<const Call*>& calls);

}  // namespace cairn::where
