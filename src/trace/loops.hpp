// SPDX-License-Identifier: BSD-3-Clause
// loops.hpp - finds what comes again directly after itself in a sequence of numbers, and makes loops of it
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace cairn::trace {

class Loops {
 public:
  /// One number of the sequence, or a loop over a body.
  struct Item {
    std::uint32_t what = 0;   // the number, or which body
    std::uint32_t times = 0;  // 0: no loop

    auto operator<=>(const Item&) const = default;
  };
  using Body = std::vector<Item>;

  /// What comes again after more than `longest` items is not found.
  explicit Loops(std::size_t longest = 512) : longest_(longest) {}

  void add(std::uint32_t number);

  /// The whole sequence.
  const Body& items() const { return items_; }
  /// Of a loop.
  const Body& body(const Item& loop) const { return *bodies_[loop.what]; }

 private:
  bool fold();
  bool is_again(std::size_t length) const;
  bool continues(std::size_t length) const;
  std::uint32_t number_of(Body body);

  std::size_t longest_;
  Body items_;
  std::map<Body, std::uint32_t> numbers_;
  std::vector<const Body*> bodies_;
};

}  // namespace cairn::trace
