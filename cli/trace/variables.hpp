// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - what the tool vars has sampled of variables over time, for viewers of traces
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/message.hpp"

namespace cairn::cli {

struct SampledVariable {
  std::string name;
  std::string description;
  double step_ns = 0;
  bool is_sum = false;                       // of all so far, which only grows
  std::map<int, std::vector<double>> means;  // by rank; of each step, not a number: no sample
};

struct SampledVariables {
  std::int64_t origin_ns = 0;  // of the first step, on the clock of the first rank's node
  std::vector<SampledVariable> all;
};

/// Of a run's folder; `warnings` say what cannot be read.
SampledVariables read_variables(const std::string& folder, std::vector<Problem>& warnings);

/// From that moment on, on a process.
struct VariableValue {
  std::int64_t ns;
  std::uint32_t variable;
  double value;
};
/// In the order of time.
std::vector<VariableValue> values_of(const SampledVariables& variables, int rank);

}  // namespace cairn::cli
