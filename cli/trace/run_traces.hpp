// SPDX-License-Identifier: BSD-3-Clause
// run_traces.hpp - the trace files of a run's folder, and what is wrong with them
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "cli/trace/variables.hpp"
#include "trace/file.hpp"
#include "where/places.hpp"

namespace cairn::cli {

/// One process's trace.
struct ProcessTrace {
  /// `common`: what another one's file has in common with those of its folder, or null.
  explicit ProcessTrace(const std::string& path, std::shared_ptr<const trace::Common> common = nullptr);

  trace::File file;
  std::vector<where::Mapped> mapped;
  std::int64_t shift_ns = 0;  // added to its moments, so that those of all processes can be compared
  std::set<std::uint64_t> told_damages;

  int rank() const { return file.process().rank; }
  std::int64_t nanoseconds(std::uint64_t ticks) const { return file.nanoseconds(ticks) + shift_ns; }
};

struct RunTraces {
  std::vector<std::unique_ptr<ProcessTrace>> processes;  // by rank; at least one
  std::vector<Problem> warnings;                         // which are missing, damaged or cut, and what was lost
  SampledVariables variables;                            // where they were wanted

  /// Has the moments of all processes on one clock: that of their node or, of several nodes, the time of day, with a
  /// warning.
  void align();
  /// What is damaged, and was not asked for before: records are known to be once they were read.
  std::vector<Problem> damages();
  /// What writing the traces took, as one more variable, where they say so.
  void add_writing();
  /// Of the variables, those whose moments are known: sampled ones on the node of the first rank. In the order of time.
  std::vector<VariableValue> values_of(const ProcessTrace& process) const;
  /// How far moments of different ranks can be compared: "times are from one clock".
  std::string clocks_text() const;
  /// Of all moments.
  std::int64_t first_ns() const;

 private:
  std::optional<std::uint32_t> writing_;  // among the variables
};

/// `ranks`: which of them; "": all. Throws Problem if there is no trace.
RunTraces read_traces(const std::string& folder, const std::string& ranks);

}  // namespace cairn::cli
