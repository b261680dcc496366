// SPDX-License-Identifier: BSD-3-Clause
// predictions.cc - replays on several threads

#include "waits/predictions.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <deque>
#include <new>
#include <optional>

#include "waits/aside.hpp"

namespace cairn::waits {

namespace {

constexpr double replay_error = 0.02;  // of what a change brings: what follows on it in the library is not replayed

/// The questions that nobody has taken yet, and the lengths of the runs: none where there was no memory.
struct Asked {
  const Dependencies& run;
  const std::vector<Question>& questions;
  std::vector<std::optional<std::int64_t>> lengths;
  std::atomic<std::size_t> next{0};

  void replay_rest(Replay& replay) {
    for (std::size_t i = next++; i < questions.size(); i = next++) lengths[i] = replay.run(questions[i].change);
  }
  void replay_rest() {
    Replay replay(run);
    replay_rest(replay);
  }
};

}  // namespace

Predictions::Predictions(const Dependencies& run) : run_(run), replay_(run) {
  replayed_s_ = 1e-9 * static_cast<double>(replay_.run({}));
}

Prediction Predictions::of(std::int64_t ns) const {
  const double predicted = 1e-9 * static_cast<double>(ns);
  return {predicted, error_s(predicted, replayed_s_, run_.graph().run_s())};
}

Prediction Predictions::with(const Change& change) { return of(replay_.run(change)); }

void Predictions::answer(const std::vector<Question>& questions, int threads) {
  Asked asked{run_, questions, std::vector<std::optional<std::int64_t>>(questions.size())};
  std::deque<Aside> helpers;
  while (static_cast<int>(helpers.size()) < std::min(threads, static_cast<int>(questions.size())) - 1)
    if (!helpers.emplace_back([&asked] { asked.replay_rest(); }, true).runs()) break;
  try {
    asked.replay_rest(replay_);
  } catch (const std::bad_alloc&) {  // there may be enough for one after the other
  }
  helpers.clear();
  for (std::size_t i = 0; i < questions.size(); ++i)
    questions[i].answer(asked.lengths[i] ? of(*asked.lengths[i]) : with(questions[i].change));
}

double Predictions::error_s(double predicted_s, double replayed_s, double run_s) {
  return std::abs(replayed_s - run_s) + replay_error * std::abs(predicted_s - replayed_s);
}

}  // namespace cairn::waits
