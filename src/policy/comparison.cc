// SPDX-License-Identifier: BSD-3-Clause
// comparison.cc - gains round by round, and what is certain of them

#include "policy/comparison.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::policy {

namespace {

bool is_running(const Entry& entry) { return entry.fate == Fate::running; }

/// Of error, for one comparison: with the base and with the leader, after each round from the least on.
double probability_of(std::size_t entries, const ComparisonOptions& options) {
  const double comparisons = 2.0 * static_cast<double>(std::max<std::size_t>(entries, 2) - 1);
  const double looks = options.most_rounds - std::min(options.least_rounds, options.most_rounds) + 1;
  return (1 - options.confidence) / (comparisons * looks);
}

class Judge {
 public:
  Judge(std::vector<Entry>& entries, unsigned rounds, const ComparisonOptions& options)
      : entries_(entries), rounds_(rounds), options_(options), probability_(probability_of(entries.size(), options)) {
    for (const Entry& entry : entries)
      in_ratios_ = in_ratios_ && std::ranges::all_of(entry.figures, [](double figure) { return figure > 0; });
    if (!in_ratios_ && !entries.front().figures.empty()) unit_ = std::abs(median(entries.front().figures));
    if (unit_ == 0) unit_ = 1;
  }

  std::size_t judge() {
    for (std::size_t i = 1; i < entries_.size(); ++i) entries_[i].gain = gain(i, 0);
    if (rounds_ < options_.least_rounds) return 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (is_running(entries_[i])) compare_with_base(entries_[i]);
    const std::size_t leader = find_leader();
    if (leader == 0) return 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (i != leader && is_running(entries_[i]) && gain(i, leader).high < std::log1p(options_.worth))
        entries_[i].fate = Fate::beaten;
    return entries_[leader].gain.low > 0 ? leader : 0;
  }

 private:
  /// Of one over another, by the rounds that both were in.
  Interval gain(std::size_t one, std::size_t other) const {
    const std::vector<double>& a = entries_[one].figures;
    const std::vector<double>& b = entries_[other].figures;
    std::vector<double> gains;
    for (std::size_t i = 0; i < std::min({a.size(), b.size(), std::size_t{rounds_}}); ++i) {
      const double better = in_ratios_ ? std::log(b[i] / a[i]) : (b[i] - a[i]) / unit_;
      gains.push_back(options_.larger_is_better ? -better : better);
    }
    return mean_interval(gains, probability_);
  }

  void compare_with_base(Entry& entry) const {
    if (entry.gain.high < 0) entry.fate = Fate::slower;
    else if (entry.gain.high < std::log1p(options_.worth)) entry.fate = Fate::no_gain;
  }

  std::size_t find_leader() const {
    std::size_t leader = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i)
      if (is_running(entries_[i]) && (leader == 0 || entries_[i].gain.mean > entries_[leader].gain.mean)) leader = i;
    return leader;
  }

  std::vector<Entry>& entries_;
  unsigned rounds_;
  const ComparisonOptions& options_;
  double probability_;
  bool in_ratios_ = true;
  double unit_ = 1;  // of differences: what the base has
};

}  // namespace

std::size_t judge(std::vector<Entry>& entries, unsigned rounds, const ComparisonOptions& options) {
  return Judge(entries, rounds, options).judge();
}

bool is_clear(const std::vector<Entry>& entries, std::size_t best) {
  const auto others = std::count_if(entries.begin() + 1, entries.end(), is_running);
  return others == 0 || (others == 1 && best != 0);
}

}  // namespace cairn::policy
