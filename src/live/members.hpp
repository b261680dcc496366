// SPDX-License-Identifier: BSD-3-Clause
// members.hpp - how many ranks of a communicator lie in which unit of the matrix, found once for all its ranks
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace cairn::live {

class Members {
 public:
  /// `ranks`: as formats::ranks_text has them; those from `size` on are left out. `block`: ranks of a unit.
  Members(std::string_view ranks, int size, int block);

  bool has(int rank) const { return position_.contains(rank); }
  /// visit(unit, count)
  template <class Visit>
  void each_unit(Visit visit) const {
    for (const auto& [unit, positions] : by_unit_) visit(unit, positions.size());
  }
  /// The same of the other members, or of those that come after this one.
  template <class Visit>
  void each_unit_but(int rank, Visit visit) const {
    for (const auto& [unit, positions] : by_unit_)
      if (const std::size_t count = positions.size() - (unit == rank / block_ ? 1 : 0); count != 0) visit(unit, count);
  }
  template <class Visit>
  void each_unit_after(int rank, Visit visit) const {
    for (const auto& [unit, positions] : by_unit_)
      if (const std::size_t count = after(positions, position_.at(rank)); count != 0) visit(unit, count);
  }

 private:
  using Positions = std::vector<std::uint32_t>;  // going up
  static std::size_t after(const Positions& positions, std::uint32_t position);

  int block_;
  std::unordered_map<int, std::uint32_t> position_;
  std::map<int, Positions> by_unit_;
};

}  // namespace cairn::live
