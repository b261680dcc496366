// SPDX-License-Identifier: BSD-3-Clause
// history.cc - rates and shares from what ranks have counted

#include "live/history.hpp"

#include <algorithm>

namespace cairn::live {

std::optional<double> share_between(const RankTotals& before, const RankTotals& now) {
  if (now.moment <= before.moment) return std::nullopt;
  if (now.in_mpi <= before.in_mpi) return 0.0;
  const auto in_mpi = static_cast<double>(now.in_mpi - before.in_mpi);
  const auto all = static_cast<double>(now.moment - before.moment) * std::max(now.threads, 1);
  return std::min(in_mpi / all, 1.0);
}

void History::add_shares(Point& point, const Moment& moment, int size) const {
  if (size > 0 && size <= most_lines) point.shares.resize(static_cast<std::size_t>(size));
  double sum = 0;
  int count = 0;
  for (const auto& [rank, now] : moment.ranks) {
    const auto before = latest_.find(rank);
    if (before == latest_.end()) continue;
    const std::optional<double> share = share_between(before->second, now);
    if (!share) continue;
    if (rank >= 0 && static_cast<std::size_t>(rank) < point.shares.size())
      point.shares[static_cast<std::size_t>(rank)] = share;
    point.least = std::min(point.least.value_or(1), *share);
    point.most = std::max(point.most.value_or(0), *share);
    sum += *share;
    ++count;
  }
  if (count != 0) point.mean = sum / count;
}

/// Of ranks that were seen at the look before: what others have done since they began is not of this time.
std::uint64_t History::calls_since(const std::string& function, const std::map<int, FunctionTotals>& now) const {
  const auto before = totals_.find(function);
  std::uint64_t calls = 0;
  for (const auto& [rank, totals] : now) {
    if (!latest_.contains(rank)) continue;
    std::uint64_t known = 0;
    if (before != totals_.end())
      if (const auto own = before->second.find(rank); own != before->second.end()) known = own->second.calls;
    calls += std::max(totals.calls, known) - known;
  }
  return calls;
}

void History::add_calls(Point& point, const Moment& moment, double seconds) {
  for (const auto& [name, totals] : moment.functions)
    if (std::ranges::find(functions_, name) == functions_.end()) functions_.push_back(name);
  for (const std::string& name : functions_) {
    const auto now = moment.functions.find(name);
    point.calls.push_back(
        now == moment.functions.end() ? 0 : static_cast<double>(calls_since(name, now->second)) / seconds);
  }
}

void History::add(Moment moment, int size, double time) {
  const double seconds = time - latest_time_;
  if (latest_time_ != 0 && seconds > 0) {
    Point point;
    point.time = time;
    add_shares(point, moment, size);
    add_calls(point, moment, seconds);
    points_.push_back(std::move(point));
    ++next_;
    if (points_.size() > most_points) points_.pop_front();
  }
  for (const auto& [name, ranks] : moment.functions)
    for (const auto& [rank, totals] : ranks) totals_[name][rank] = totals;
  for (auto& [rank, now] : moment.ranks) {
    RankTotals& known = ranks_[rank];
    // Of a call that a rank was killed in, no more is known than was seen.
    now.in_mpi = std::max(now.in_mpi, known.in_mpi);
    known = now;
  }
  latest_ = std::move(moment.ranks);
  latest_time_ = time;
}

}  // namespace cairn::live
