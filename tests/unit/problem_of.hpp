// SPDX-License-Identifier: BSD-3-Clause
// problem_of.hpp - what a user would read of a Problem
#pragma once

#include <string>

#include "base/message.hpp"

namespace cairn {

/// "TEXT | REMEDY", "no problem"
template <class Action>
std::string problem_of(Action action) {
  try {
    action();
  } catch (const Problem& problem) {
    return std::string(problem.what()) + " | " + problem.remedy;
  }
  return "no problem";
}

}  // namespace cairn
