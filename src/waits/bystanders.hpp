// SPDX-License-Identifier: BSD-3-Clause
// bystanders.hpp - threads that wait while their process goes on, as one that waits for the word to stop
#pragma once

#include <cstdint>
#include <vector>

#include "waits/states.hpp"

namespace cairn::waits {

/// Further threads that hardly work: less than a tenth of what the busiest thread of an average rank does. While one waits,
/// nothing is lost, unless the process's main thread waits for it.
class Bystanders {
 public:
  explicit Bystanders(const Graph& graph);

  /// What a wait costs its process, before anything that others lose by it: of a bystander's, what of it the main thread
  /// spends on waiting for that thread (Join), since its last call.
  std::int64_t cost_ns(const Wait& wait) const;

 private:
  const Graph& graph_;
  std::vector<bool> is_one_;  // by lane
  std::vector<Index> main_;   // by lane: its process's main one; none: there is no record of it
};

}  // namespace cairn::waits
