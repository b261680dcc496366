// SPDX-License-Identifier: BSD-3-Clause
// samples.hpp - where threads were when a timer looked, and which work between two calls that fills
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "trace/file.hpp"
#include "waits/causes.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

struct TimedSample {
  std::int32_t thread = 0;  // the system's number
  std::uint64_t ticks = 0;  // as the records' moments are in
  std::uint64_t address = 0;
  std::int64_t ns = 0;  // of processor time, for which it stands
};

/// Those outside MPI, to the work before the next call of the same thread. A thread that makes no calls works for the
/// process's first one. To be called before `records` is cut.
void add_samples(const trace::File& file, std::span<const TimedSample> samples, RankRecords& records);

/// The file that an address is in, and its place there: nothing, if it is in none that is known.
void locate(const trace::File& file, std::uint64_t address, Site& site);

/// Processor time by piece of work, rank and place.
class SampleSums {
 public:
  struct Sum {
    std::int64_t ns = 0;
    std::uint64_t samples = 0;  // that stand for it
    Sum& operator+=(const Sum& more) {
      ns += more.ns;
      samples += more.samples;
      return *this;
    }
  };

  void add(const Graph& graph);

  /// Of these ranks together, by place (among the graph's sites).
  std::map<Index, Sum> of(const std::map<Piece, double>& pieces, std::span<const int> ranks) const;

 private:
  std::map<std::pair<Piece, int>, std::map<Index, Sum>> sums_;
};

}  // namespace cairn::waits
