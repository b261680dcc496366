// SPDX-License-Identifier: BSD-3-Clause
// open_regions.hpp - the regions of the program that a thread is in, one within the other, as it goes from one to another
#pragma once

#include <cstddef>
#include <string>
#include <utility>

namespace cairn::trace {

class OpenRegions {
 public:
  /// To "solve/halo", or "" for none. Tells the paths of those that it leaves, the innermost first, and then of those
  /// that it enters.
  template <class Leave, class Enter>
  void change(const std::string& path, Leave leave, Enter enter) {
    const std::size_t common = common_with(path);
    while (path_.size() > common) {
      leave(std::as_const(path_));
      const std::size_t slash = path_.rfind('/');
      path_.resize(slash == std::string::npos ? 0 : slash);
    }
    while (path_.size() < path.size()) {
      path_ = path.substr(0, path.find('/', path_.empty() ? 0 : path_.size() + 1));
      enter(std::as_const(path_));
    }
  }

 private:
  /// The length of the path of the innermost region that stays.
  std::size_t common_with(const std::string& path) const {
    const std::string one = path_ + "/";
    const std::string other = path + "/";
    std::size_t length = 0;
    for (std::size_t i = 0; i < one.size() && i < other.size() && one[i] == other[i]; ++i)
      if (one[i] == '/') length = i;
    return length;
  }

  std::string path_;
};

}  // namespace cairn::trace
