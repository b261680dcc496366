// SPDX-License-Identifier: BSD-3-Clause
// spells.hpp - in which regions a thread works between two calls
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

/// Of one thread.
class RegionSpells {
 public:
  Index now() const { return now_; }
  void change(std::int64_t ns, Index region) {
    spend(ns);
    now_ = region;
  }
  /// A call begins at that moment: returns the region in which most of the work before it was done. visit(region, ns):
  /// of each, where there are several.
  template <class Visit>
  Index call_begins(std::int64_t ns, Visit visit) {
    spend(ns);
    Index most = now_;
    std::int64_t longest = 0;
    for (const auto& [region, spent] : spent_)
      if (spent > longest) {
        longest = spent;
        most = region;
      }
    if (spent_.size() > 1)
      for (const auto& [region, spent] : spent_) visit(region, spent);
    spent_.clear();
    since_ = in_call;
    return most;
  }
  /// One that is no call of the analysis: what was done before it counts for the next one.
  void test_begins(std::int64_t ns) {
    spend(ns);
    since_ = in_call;
  }
  void call_ends(std::int64_t ns) { since_ = ns; }

 private:
  static constexpr std::int64_t in_call = INT64_MAX;

  void spend(std::int64_t ns) {
    if (ns <= since_) return;
    const std::int64_t more = ns - since_;
    since_ = ns;
    const auto known = std::ranges::find(spent_, now_, [](const auto& one) { return one.first; });
    if (known != spent_.end()) known->second += more;
    else spent_.emplace_back(now_, more);
  }

  Index now_ = 0;
  std::int64_t since_ = in_call;  // before the first call, too
  std::vector<std::pair<Index, std::int64_t>> spent_;
};

}  // namespace cairn::waits
