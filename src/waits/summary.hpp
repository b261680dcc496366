// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - the records of all ranks become waits.json
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/services/symbols.hpp"
#include "formats/waits.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// Names the place of an address in an object, as far as it is known.
using Naming = std::function<formats::SourcePosition(const std::string& object, std::uint64_t offset)>;

/// By debug information, whose library may be missing (null): then nothing is known.
Naming naming_by(const Symbols* symbols);

/// Why a part of the run is left out when `cairn whatif` analyses again.
inline constexpr std::string_view beyond_graph = "calls for which waits.graph has no room";

/// Of a run's sections, one after the other: what is needed of one is bounded by its calls.
class Analysis {
 public:
  /// While the ranks themselves wait for the results: a thread for each of those on the first one's node, as far as this
  /// process may use as many processors.
  static constexpr int as_many_as_ranks = 0;

  /// `threads`: at most so many replay what changes would bring.
  explicit Analysis(Naming naming, int threads = 1);
  ~Analysis();
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  /// Of all ranks, the same section.
  void add(std::vector<RankRecords> records);
  /// Of all sections so far; all but the run's identity and the program.
  formats::waits::Summary summary();

 private:
  struct Sums;
  Naming naming_;
  int threads_;
  std::unique_ptr<Sums> sums_;
};

/// Of a run of one section.
formats::waits::Summary summarize(std::vector<RankRecords> records, const Naming& naming);

}  // namespace cairn::waits
