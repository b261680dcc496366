// SPDX-License-Identifier: BSD-3-Clause
// bytes.hpp - numbers, texts and ranks as bytes, on their way from rank to rank
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "job/roster.hpp"

namespace cairn::engine {

inline void put(std::string& out, std::uint32_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline void put(std::string& out, const std::string& text) {
  put(out, static_cast<std::uint32_t>(text.size()));
  out += text;
}

inline void put(std::string& out, const RankRanges& ranges) {
  put(out, static_cast<std::uint32_t>(ranges.size()));
  for (const RankRange& range : ranges) {
    put(out, static_cast<std::uint32_t>(range.first));
    put(out, static_cast<std::uint32_t>(range.last));
  }
}

/// What was put, in the same order.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  std::uint32_t number() {
    std::uint32_t number = 0;
    if (rest_.size() < sizeof number) return 0;
    std::memcpy(&number, rest_.data(), sizeof number);
    rest_.remove_prefix(sizeof number);
    return number;
  }
  std::string text() {
    const std::uint32_t length = number();
    std::string text(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return text;
  }
  RankRanges ranges() {
    RankRanges ranges(number());
    for (RankRange& range : ranges) {
      range.first = static_cast<int>(number());
      range.last = static_cast<int>(number());
    }
    return ranges;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace cairn::engine
