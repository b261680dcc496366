// SPDX-License-Identifier: BSD-3-Clause
// chains.hpp - chains of calls, each with a number: the place of a call site of more than one frame
#pragma once

#include <vector>

#include "record.hpp"
#include "shared/stack_walk.hpp"

namespace profile {

using shared::Chain;
using shared::deepest;

/// One per thread.
class Chains {
 public:
  /// A number for a chain, the same for equal ones: never the address of code.
  Place number(const Chain& chain);
  /// The chain of a place: that of its number, or its one address.
  Chain chain_of(Place place) const;

 private:
  static constexpr Place chain_mark = Place{1} << 47U;  // beyond the addresses of a process's code

  std::vector<Chain> chains_;
  std::vector<std::uint32_t> by_hash_ = std::vector<std::uint32_t>(256);
};

}  // namespace profile
