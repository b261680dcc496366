// SPDX-License-Identifier: BSD-3-Clause
// asking.hpp - who asked for what cannot be done
#pragma once

#include <string>

#include "base/message.hpp"

namespace cairn::cli {

/// What `work` returns. A problem of it that does not say who asked for that is `who`'s: "--stack tools.toml".
template <class Work>
auto on_behalf_of(const std::string& who, Work work) {
  try {
    return work();
  } catch (const Problem& problem) {
    if (!problem.asked_by.empty()) throw;
    throw Problem(problem.what(), problem.remedy, who);
  }
}

}  // namespace cairn::cli
