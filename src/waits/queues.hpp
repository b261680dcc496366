// SPDX-License-Identifier: BSD-3-Clause
// queues.hpp - messages that come before a receive asks for them, and what it takes to find one among many
#pragma once

#include <cstdint>
#include <vector>

#include "waits/graph.hpp"
#include "waits/states.hpp"

namespace cairn::waits {

/// A receive that finds its message among many others, and takes longer than is usual.
struct Search {
  Index node = none;
  Index length = 0;            // messages that lie there, with its own
  std::int64_t usual_ns = 0;   // of receives of like messages that come later, or that find few there
  std::int64_t excess_ns = 0;  // beyond that
};

/// Of a run.
class Queues {
 public:
  static constexpr Index few = 16;  // messages: so many take no time to speak of

  Queues(const Graph& graph, const Waits& waits);

  /// By call.
  const std::vector<Search>& searches() const { return searches_; }
  /// Whether any receive shows what is usual.
  bool is_usual_known() const { return is_usual_known_; }

 private:
  std::vector<Search> searches_;
  bool is_usual_known_ = false;
};

}  // namespace cairn::waits
