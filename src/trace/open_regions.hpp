// SPDX-License-Identifier: BSD-3-Clause
// open_regions.hpp - the regions of the program that a thread is in, one within the other, as it goes from one to another
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace cairn::trace {

/// Regions are around calls: one that changes within a call, does so when the call is over. `Tell` gets the regions that
/// the thread leaves, the innermost first, and then those that it enters.
class OpenRegions {
 public:
  using Tell = std::function<void(bool is_begin, const std::string& path, std::int64_t ns)>;

  void enter_call() { ++calls_; }
  void leave_call(std::int64_t ns, const Tell& tell) {
    ns_ = ns;
    if (--calls_ == 0) change(tell);
  }
  /// To "solve/halo", or "" for none.
  void come_to(const std::string& path, std::int64_t ns, const Tell& tell) {
    ns_ = ns;
    wanted_ = path;
    if (calls_ == 0) change(tell);
  }
  /// The thread does no more.
  void close(const Tell& tell) {
    wanted_.clear();
    change(tell);
  }

 private:
  void change(const Tell& tell) {
    const std::size_t common = common_with(wanted_);
    while (path_.size() > common) {
      tell(false, path_, ns_);
      const std::size_t slash = path_.rfind('/');
      path_.resize(slash == std::string::npos ? 0 : slash);
    }
    while (path_.size() < wanted_.size()) {
      path_ = wanted_.substr(0, wanted_.find('/', path_.size() + 1));  // names may contain any number of them
      tell(true, path_, ns_);
    }
  }
  /// The length of the path of the innermost region that stays.
  std::size_t common_with(const std::string& path) const {
    const std::string one = path_ + "/";
    const std::string other = path + "/";
    std::size_t length = 0;
    for (std::size_t i = 0; i < one.size() && i < other.size() && one[i] == other[i]; ++i)
      if (one[i] == '/') length = i;
    return length;
  }

  std::uint32_t calls_ = 0;  // that are open
  std::int64_t ns_ = 0;
  std::string wanted_;
  std::string path_;
};

}  // namespace cairn::trace
