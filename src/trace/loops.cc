// SPDX-License-Identifier: BSD-3-Clause
// loops.cc - looking at the end of the sequence whenever it has grown

#include "trace/loops.hpp"

#include <algorithm>

namespace cairn::trace {

void Loops::add(std::uint32_t number) {
  items_.push_back({number});
  while (fold()) {
  }
}

/// The last items are the body of the loop before them.
bool Loops::continues(std::size_t length) const {
  if (items_.size() <= length) return false;
  const Item& before = items_[items_.size() - length - 1];
  return before.times != 0 && before.times < UINT32_MAX && body(before).size() == length &&
         std::equal(items_.end() - static_cast<std::ptrdiff_t>(length), items_.end(), body(before).begin());
}

/// They are the same as those before them.
bool Loops::is_again(std::size_t length) const {
  if (items_.size() < 2 * length || items_.back() != items_[items_.size() - length - 1]) return false;
  const auto middle = items_.end() - static_cast<std::ptrdiff_t>(length);
  return std::equal(middle, items_.end(), middle - static_cast<std::ptrdiff_t>(length));
}

bool Loops::fold() {
  const std::size_t most = std::min(longest_, items_.size());
  for (std::size_t length = 1; length <= most; ++length) {
    const auto last = items_.end() - static_cast<std::ptrdiff_t>(length);
    if (continues(length)) {
      items_.erase(last, items_.end());
      ++items_.back().times;
      return true;
    }
    if (is_again(length)) {
      const Item loop{number_of(Body(last, items_.end())), 2};
      items_.erase(last - static_cast<std::ptrdiff_t>(length), items_.end());
      items_.push_back(loop);
      return true;
    }
  }
  return false;
}

std::uint32_t Loops::number_of(Body body) {
  const auto [place, is_new] = numbers_.try_emplace(std::move(body), static_cast<std::uint32_t>(bodies_.size()));
  if (is_new) bodies_.push_back(&place->first);
  return place->second;
}

}  // namespace cairn::trace
