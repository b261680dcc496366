// SPDX-License-Identifier: BSD-3-Clause
// search.cc - rounds of measurements

#include "cli/tune/search.hpp"

#include <cmath>

namespace cairn::tune {

namespace {

class Search {
 public:
  Search(std::size_t candidates, const SearchOptions& options, const std::function<Measured(std::size_t)>& measure)
      : options_(options), measure_(measure) {
    found_.entries.resize(candidates);
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

  void judge() { found_.best = policy::judge(found_.entries, found_.rounds, options_); }
  bool is_clear() const { return policy::is_clear(found_.entries, found_.best); }

  Found& found() { return found_; }

 private:
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

  SearchOptions options_;
  const std::function<Measured(std::size_t)>& measure_;
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
