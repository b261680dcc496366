// SPDX-License-Identifier: BSD-3-Clause
// functions.hpp - from an MPI function's name to its number in names.inc, and back.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cairn/kit/flat_table.hpp"
#include "request/filters.hpp"

namespace cairn {

using FunctionIndex = std::uint16_t;

/// When a layer sees the calls of a function that it wraps.
enum class Sees : std::uint8_t { while_on, always, never };

class Functions {
 public:
  static constexpr FunctionIndex none = 0xFFFF;

  explicit Functions(std::span<const char* const> names) : names_(names) {
    by_name_.reserve(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) by_name_.emplace(names[i], static_cast<FunctionIndex>(i));
    for (const char* name : names) usually_seen_.push_back(is_lifecycle(name) ? Sees::always : Sees::while_on);
  }

  std::size_t count() const { return names_.size(); }
  std::string_view name(FunctionIndex function) const { return names_[function]; }

  /// When a layer without filters sees which function.
  const std::vector<Sees>& usually_seen() const { return usually_seen_; }

  /// The number of "MPI_Send", or none.
  FunctionIndex find(std::string_view name) const {
    if (!name.starts_with("MPI")) return none;
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? none : found->second;
  }
  /// The same number for "PMPI_Send", or none for anything else. "XMPI_Send" is what pnmpi-patch makes of it.
  FunctionIndex find_shifted(std::string_view name) const {
    return name.starts_with("PMPI") || name.starts_with("XMPI") ? find(name.substr(1)) : none;
  }

 private:
  /// Names are looked up a thousand times per layer, and differ early behind their common beginning.
  struct Hash {
    std::size_t operator()(std::string_view name) const {
      std::size_t hash = name.size();
      for (std::size_t i = 4; i < name.size(); i += 8) {
        std::uint64_t part = 0;
        std::memcpy(&part, name.data() + i, std::min<std::size_t>(8, name.size() - i));
        hash = spread(hash ^ part);
        hash ^= hash >> 29U;
      }
      return hash;
    }
  };

  std::span<const char* const> names_;
  std::vector<Sees> usually_seen_;  // by number
  std::unordered_map<std::string_view, FunctionIndex, Hash> by_name_;
};

}  // namespace cairn
