// SPDX-License-Identifier: BSD-3-Clause
// misfits.hpp - collective calls that do not fit each other
#pragma once

#include <optional>

#include "where/actors.hpp"
#include "where/finding.hpp"
#include "where/places.hpp"

namespace cairn::where {

/// `call`: one rank's part in a collective call; it has an object and a number.
std::optional<Finding> find_misfit(const Job& job, const Call& call, Places& places);

}  // namespace cairn::where
