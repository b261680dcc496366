// SPDX-License-Identifier: BSD-3-Clause
// run_traces.hpp - the trace files of a run's folder, and what is wrong with them
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "trace/file.hpp"
#include "where/places.hpp"

namespace cairn::cli {

/// One process's trace.
struct ProcessTrace {
  explicit ProcessTrace(const std::string& path);

  trace::File file;
  std::vector<where::Mapped> mapped;

  int rank() const { return file.process().rank; }
};

struct RunTraces {
  std::vector<std::unique_ptr<ProcessTrace>> processes;  // by rank

  /// Of all ranks, in nanoseconds; comparable where all are on one node.
  std::int64_t first_ns() const;
};

/// `ranks`: which of them; "": all. Tells, once each, which ranks are missing, damaged or cut, and what was lost.
/// Throws Problem if there is no trace.
RunTraces read_traces(const std::string& folder, const std::string& ranks);

}  // namespace cairn::cli
