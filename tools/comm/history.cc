// SPDX-License-Identifier: BSD-3-Clause
// history.cc - what came since the snapshot before

#include "history.hpp"

namespace comm {

void History::take(const KindSums& sums, std::uint32_t number) {
  if (moments_.size() == most) put_together();
  Moment now;
  now.number = number != 0 ? number : ++taken_;
  now.microseconds = (cairn::nanoseconds_now() - start_) / 1000;
  for (std::size_t kind = 0; kind < kind_sums; ++kind)
    now.sums[kind] = {sums[kind].messages - before_[kind].messages, sums[kind].bytes - before_[kind].bytes};
  before_ = sums;
  moments_.push_back(now);
}

void History::count_from(std::uint64_t origin) {
  for (Moment& moment : moments_) moment.microseconds += (start_ - origin) / 1000;
  start_ = origin;
}

void History::put_together() {
  for (std::size_t i = 0; i < most / 2; ++i) {
    Moment both = moments_[2 * i + 1];
    for (std::size_t kind = 0; kind < kind_sums; ++kind) both.sums[kind].add(moments_[2 * i].sums[kind]);
    moments_[i] = both;
  }
  moments_.resize(most / 2);
}

}  // namespace comm
