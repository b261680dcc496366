// SPDX-License-Identifier: BSD-3-Clause
// lines.hpp - a stream that comes in parts, line by line
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cairn::where {

class Lines {
 public:
  /// take(line) for each that is complete with this part. The end of one that is longer than any of ours is a line.
  template <class Take>
  void add(std::string_view text, Take take) {
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n')) {
      rest_ += text.substr(0, end);
      take(std::string_view(rest_));
      rest_.clear();
      text.remove_prefix(end + 1);
    }
    rest_ += text;
    constexpr std::size_t most_of_line = 65536;
    if (rest_.size() > most_of_line) rest_.clear();
  }

 private:
  std::string rest_;
};

}  // namespace cairn::where
