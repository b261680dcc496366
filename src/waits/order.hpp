// SPDX-License-Identifier: BSD-3-Clause
// order.hpp - an order of all calls in which each one comes after those that it needs
//
// Changes of a run let calls need less, never more, so that one order serves all replays.
#pragma once

#include <cstdint>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

class Dependencies;

/// Calls of a thread, one after the other: [first, last). `first` is entered when the stretch begins, unless it was
/// before; each further one, and the thread's next one after them, when the call before it is over. In an empty stretch
/// (first == last) that is all: `first` is entered.
struct Stretch {
  Index first = none;
  Index last = none;
  Index lane = none;
};

class Order {
 public:
  const std::vector<Stretch>& stretches() const { return stretches_; }
  /// Calls that come before something that they need, because all that is left waits in a circle: of damaged records.
  std::uint64_t forced() const { return forced_; }

 private:
  friend class Sorting;
  std::vector<Stretch> stretches_;
  std::uint64_t forced_ = 0;
};

Order order_of(const Dependencies& dependencies);

}  // namespace cairn::waits
