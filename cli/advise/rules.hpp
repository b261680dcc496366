// SPDX-License-Identifier: BSD-3-Clause
// rules.hpp - the built-in findings as a text; made from rules.policy by the build
#pragma once

namespace cairn::advise {

extern const char* const rules_policy;

}  // namespace cairn::advise
