// SPDX-License-Identifier: BSD-3-Clause
// trial.cc - whose turn it is, and the end

#include "policy/trial.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::policy {

Trial::Trial(std::size_t candidates, double least_rounds, double worth) : entries_(candidates) {
  constexpr unsigned least = 2;  // one figure has no spread
  options_.least_rounds = std::max(least, static_cast<unsigned>(least_rounds));
  options_.most_rounds = std::max(20U, 4 * options_.least_rounds);
  options_.worth = worth;
}

/// Forwards and backwards in turn.
std::optional<std::size_t> Trial::next(double objective) {
  if (is_over_) return std::nullopt;
  if (current_ && !take(objective)) return current_;  // the same once more
  for (; !is_over_; ++turn_) {
    if (turn_ == entries_.size() && !end_round()) break;
    const std::size_t candidate = rounds_ % 2 == 0 ? turn_ : entries_.size() - 1 - turn_;
    if (entries_[candidate].fate != Fate::running) continue;
    ++turn_;
    return current_ = candidate;
  }
  current_.reset();
  return std::nullopt;
}

bool Trial::take(double objective) {
  Entry& entry = entries_[*current_];
  if (entry.fate == Fate::failed) return true;
  if (std::isnan(objective)) return false;
  entry.figures.push_back(objective);
  return true;
}

/// False: it was the last one.
bool Trial::end_round() {
  ++rounds_;
  turn_ = 0;
  leader_ = judge(entries_, rounds_, options_);
  const bool may_end = rounds_ >= options_.least_rounds;
  if (entries_.front().fate == Fate::failed || rounds_ == options_.most_rounds ||
      (may_end && is_clear(entries_, leader_)))
    finish();
  return !is_over_;
}

/// What is better for certain must be so by what is worth a change.
void Trial::finish() {
  is_over_ = true;
  if (leader_ != 0 && entries_[leader_].gain.mean >= std::log1p(options_.worth)) best_ = leader_;
}

void Trial::refused() {
  if (current_) entries_[*current_].fate = Fate::failed;
}

bool Trial::is_certain() const {
  return best_ != 0 || std::all_of(entries_.begin() + 1, entries_.end(), [](const Entry& entry) {
           return entry.fate == Fate::slower || entry.fate == Fate::failed;
         });
}

std::vector<double> Trial::medians() const {
  std::vector<double> all;
  for (const Entry& each : entries_)
    all.push_back(each.fate == Fate::failed || each.figures.empty() ? std::nan("") : median(each.figures));
  return all;
}

}  // namespace cairn::policy
