// SPDX-License-Identifier: BSD-3-Clause
// contradictions.hpp - rules that cannot both be meant
#pragma once

#include "policy/policy.hpp"

namespace cairn::policy {

/// Throws Problem if a condition can never hold, if one variable would be set to two values at the same time, or if one
/// rule tries values of a variable that another rule changes meanwhile. Only what is certain from the words alone is
/// refused.
void find_contradictions(const Policy& policy);

}  // namespace cairn::policy
