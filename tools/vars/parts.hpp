// SPDX-License-Identifier: BSD-3-Clause
// parts.hpp - what calls did to each element of a variable of each object, where these are told apart
//
// Handles that are read carry their parts; those of a handle that goes are kept by the name of its object, so that
// objects that come and go under one name need room once. Both are limited.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "changes.hpp"
#include "objects.hpp"

namespace vars {

struct Part : Cell {
  double elsewhere = 0;       // as Reading has it
  std::uint64_t objects = 1;  // that had this name
};

struct PartKey {
  std::size_t variable = 0;
  ObjectName object;  // empty: the variable is bound to none
  int element = -1;   // -1: there is but one
  auto operator<=>(const PartKey&) const = default;
};

class Parts {
 public:
  static constexpr std::size_t most = 20'000;  // at once, and of those that are kept

  /// For a handle with `count` elements, or with as many as there is room for. With all memory that reading needs.
  std::vector<Part> make(Way way, std::size_t count) {
    const std::size_t made = std::min(count, most - in_use_);
    left_out_ += count - made;
    in_use_ += made;
    std::vector<Part> parts(made);
    if (has_times(way))
      for (Part& part : parts) part.make_times();
    return parts;
  }

  /// Of a handle that goes.
  void keep(PartKey key, bool has_elements, std::vector<Part>& parts) {
    in_use_ -= parts.size();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (has_elements) key.element = static_cast<int>(i);
      keep_one(key, parts[i]);
    }
    parts.clear();
  }

  const std::map<PartKey, Part>& kept() const { return kept_; }
  std::uint64_t left_out() const { return left_out_; }

 private:
  void keep_one(const PartKey& key, Part& part) {
    if (const auto known = kept_.find(key); known != kept_.end()) {
      known->second.add(part);
      known->second.elsewhere += part.elsewhere;
      known->second.objects += part.objects;
    } else if (kept_.size() < most) kept_.emplace(key, std::move(part));
    else ++left_out_;
  }

  std::map<PartKey, Part> kept_;
  std::size_t in_use_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace vars
