// SPDX-License-Identifier: BSD-3-Clause
// rules.hpp - the built-in findings as texts; made from rules.policy and library.policy by the build
#pragma once

namespace cairn::advise {

extern const char* const rules_policy;
extern const char* const library_policy;

}  // namespace cairn::advise
