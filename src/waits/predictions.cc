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

}  // namespace

/// The questions that nobody has taken yet, and what was predicted: nothing where there was no memory.
struct Predictions::Asked {
  const Predictions& by;
  const std::vector<Question>& questions;
  std::vector<std::optional<Prediction>> found;
  std::atomic<std::size_t> next{0};

  void replay_rest(Replay& replay) {
    for (std::size_t i = next++; i < questions.size(); i = next++) found[i] = by.ask(replay, questions[i].change);
  }
  void replay_rest() {
    Replay replay(by.run_);
    replay_rest(replay);
  }
};

Predictions::Predictions(const Dependencies& run) : run_(run), replay_(run), choices_(run.graph(), run.waits()) {
  const std::int64_t ns = replay_.run({});
  replayed_s_ = 1e-9 * static_cast<double>(ns);
  earlier_ns_ = choices_.earlier_ns(replay_, ns);
}

Prediction Predictions::of(double predicted_s, double earlier_s, double replayed_s, double run_s) {
  const double error = std::abs(replayed_s - run_s) + replay_error * std::abs(predicted_s - replayed_s);
  return {predicted_s, error + earlier_s, earlier_s};
}

Prediction Predictions::ask(Replay& replay, const Change& change) const {
  const std::int64_t ns = replay.run(change);
  const std::int64_t earlier_ns = std::max<std::int64_t>(0, choices_.earlier_ns(replay, ns) - earlier_ns_);
  return of(1e-9 * static_cast<double>(ns), 1e-9 * static_cast<double>(earlier_ns), replayed_s_, run_.graph().run_s());
}

Prediction Predictions::with(const Change& change) { return ask(replay_, change); }

void Predictions::answer(const std::vector<Question>& questions, int threads) {
  Asked asked{*this, questions, std::vector<std::optional<Prediction>>(questions.size())};
  std::deque<Aside> helpers;
  while (static_cast<int>(helpers.size()) < std::min(threads, static_cast<int>(questions.size())) - 1)
    if (!helpers.emplace_back([&asked] { asked.replay_rest(); }, true).runs()) break;
  try {
    asked.replay_rest(replay_);
  } catch (const std::bad_alloc&) {  // there may be enough for one after the other
  }
  helpers.clear();
  for (std::size_t i = 0; i < questions.size(); ++i)
    questions[i].answer(asked.found[i] ? *asked.found[i] : with(questions[i].change));
}

}  // namespace cairn::waits
