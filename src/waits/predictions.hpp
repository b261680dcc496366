// SPDX-License-Identifier: BSD-3-Clause
// predictions.hpp - how long the run is with a change, by replays: of several changes, side by side
#pragma once

#include <functional>
#include <vector>

#include "waits/choices.hpp"
#include "waits/replay.hpp"

namespace cairn::waits {

struct Prediction {
  double run_s = 0;
  double error_s = 0;
  double earlier_s = 0;  // of the error: shorter by this if calls took other messages (choices.hpp)
};

/// A change, and who is told.
struct Question {
  Change change;
  std::function<void(const Prediction&)> answer;
};

class Predictions {
 public:
  explicit Predictions(const Dependencies& run);

  double replayed_s() const { return replayed_s_; }
  Prediction with(const Change& change);
  /// All of them, on at most so many threads, of which this is one. Answers come on this thread, in order.
  void answer(const std::vector<Question>& questions, int threads);
  /// The last replay that was asked for by with(): how long calls are there.
  const Replay& last() const { return replay_; }
  /// For a run of which the replay finds another length than it had.
  static Prediction of(double predicted_s, double earlier_s, double replayed_s, double run_s);

 private:
  Prediction ask(Replay& replay, const Change& change) const;

  struct Asked;
  const Dependencies& run_;
  Replay replay_;
  Choices choices_;
  double replayed_s_ = 0;
  std::int64_t earlier_ns_ = 0;  // of the unchanged run, which had its order: what is wrong in what is known of it
};

}  // namespace cairn::waits
