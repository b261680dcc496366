// SPDX-License-Identifier: BSD-3-Clause
// search.cc - rounds of measurements, and who leaves the running after each

#include "cli/tune/search.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::tune {

namespace {

class Search {
 public:
  Search(std::size_t candidates, const SearchOptions& options, const std::function<Measured(std::size_t)>& measure)
      : options_(options), measure_(measure) {
    found_.entries.resize(candidates);
    // With the base and with the leader, after each round from the least on.
    const double comparisons = 2.0 * static_cast<double>(std::max<std::size_t>(candidates, 2) - 1);
    const double looks = options.most_rounds - std::min(options.least_rounds, options.most_rounds) + 1;
    probability_ = (1 - options.confidence) / (comparisons * looks);
  }

  /// False: nothing is to be done any more.
  bool make_round() {
    const std::size_t count = found_.entries.size();
    for (std::size_t turn = 0; turn < count; ++turn) {
      const std::size_t i = found_.rounds % 2 == 0 ? turn : count - 1 - turn;
      if (found_.entries[i].fate == Fate::running && !measure_one(i)) return false;
    }
    ++found_.rounds;
    return true;
  }

  void judge() {
    for (std::size_t i = 1; i < found_.entries.size(); ++i) found_.entries[i].gain = gain(i, 0);
    found_.best = 0;
    if (found_.rounds < options_.least_rounds) return;
    for (std::size_t i = 1; i < found_.entries.size(); ++i)
      if (is_running(i)) compare_with_base(found_.entries[i]);
    const std::size_t leader = find_leader();
    for (std::size_t i = 1; leader != 0 && i < found_.entries.size(); ++i)
      if (i != leader && is_running(i) && gain(i, leader).high < std::log1p(options_.worth))
        found_.entries[i].fate = Fate::beaten;
    if (leader != 0 && found_.entries[leader].gain.low > 0) found_.best = leader;
  }

  bool is_clear() const {
    const auto others = std::count_if(found_.entries.begin() + 1, found_.entries.end(),
                                      [](const Entry& entry) { return entry.fate == Fate::running; });
    return others == 0 || (others == 1 && found_.best != 0);
  }

  Found& found() { return found_; }

 private:
  bool is_running(std::size_t i) const { return found_.entries[i].fate == Fate::running; }

  bool measure_one(std::size_t i) {
    const Measured measured = measure_(i);
    found_.interrupted = measured.interrupted;
    if (found_.interrupted) return false;
    Entry& entry = found_.entries[i];
    if (measured.figure) {
      entry.figures.push_back(*measured.figure);
      return true;
    }
    entry.fate = Fate::failed;
    entry.why = measured.why;
    return i != 0;  // without the base there is nothing to compare with
  }

  /// Of one over another, by the rounds that both were in.
  Interval gain(std::size_t one, std::size_t other) const {
    const std::vector<double>& a = found_.entries[one].figures;
    const std::vector<double>& b = found_.entries[other].figures;
    std::vector<double> gains;
    for (std::size_t i = 0; i < std::min({a.size(), b.size(), std::size_t{found_.rounds}}); ++i)
      gains.push_back(options_.larger_is_better ? std::log(a[i] / b[i]) : std::log(b[i] / a[i]));
    return mean_interval(gains, probability_);
  }

  void compare_with_base(Entry& entry) const {
    if (entry.gain.high < 0) entry.fate = Fate::slower;
    else if (entry.gain.high < std::log1p(options_.worth)) entry.fate = Fate::no_gain;
  }

  std::size_t find_leader() const {
    std::size_t leader = 0;
    for (std::size_t i = 1; i < found_.entries.size(); ++i)
      if (is_running(i) && (leader == 0 || found_.entries[i].gain.mean > found_.entries[leader].gain.mean)) leader = i;
    return leader;
  }

  SearchOptions options_;
  const std::function<Measured(std::size_t)>& measure_;
  double probability_ = 0;  // of error, for one comparison
  Found found_;
};

}  // namespace

Found search(std::size_t candidates, const SearchOptions& options, const std::function<Measured(std::size_t)>& measure,
             const std::function<void(const Found&)>& after_round) {
  Search search(candidates, options, measure);
  bool going = true;
  while (going && search.found().rounds < options.most_rounds) {
    going = search.make_round();
    search.judge();
    if (after_round) after_round(search.found());
    if (search.found().rounds >= options.least_rounds && search.is_clear()) break;
  }
  return search.found();
}

double part_gained(double log_gain, bool larger_is_better) {
  return larger_is_better ? std::expm1(log_gain) : -std::expm1(-log_gain);
}

}  // namespace cairn::tune
