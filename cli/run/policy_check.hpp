// SPDX-License-Identifier: BSD-3-Clause
// policy_check.hpp - whether a policy's rules make sense to an MPI library and the tools of a stack
#pragma once

#include "cli/settings/variable_list.hpp"
#include "policy/policy.hpp"

namespace cairn::cli {

/// Throws Problem, with line and column, for a function that no MPI has.
void check_functions(const policy::Policy& policy);

/// Whether rules name variables at all; only then a library has to be asked.
bool names_variables(const policy::Policy& policy);

/// `list` is what `cairn vars` has of that MPI and stack. Throws Problem, with line and column, for a variable that
/// there is not, or that cannot have the value that a rule sets.
void check_policy(const policy::Policy& policy, const Json& list);

}  // namespace cairn::cli
