// SPDX-License-Identifier: BSD-3-Clause
// places.hpp - on which node and which of its processors each rank may run, as MPI starts
//
// Ranks that may run in the same place are one line: without binding, a line for each node.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>

#include "job/roster.hpp"

namespace cairn::engine {

struct Place {
  std::string node;
  std::string processors;  // "0-3,8", the system's numbers; "" if they cannot be told
  auto operator<=>(const Place&) const = default;

  static Place of_this_process();
};

class Places {
 public:
  Places() = default;
  Places(Place place, int rank) : ranks_{{std::move(place), {{rank, rank}}}} {}

  void add(const Places& other);
  std::string to_bytes() const;
  static Places from_bytes(std::string_view bytes);
  const std::map<Place, RankRanges>& ranks() const { return ranks_; }

 private:
  std::map<Place, RankRanges> ranks_;
};

}  // namespace cairn::engine
