// SPDX-License-Identifier: BSD-3-Clause
// predictions.cc - replays on several threads

#include "waits/predictions.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>

#include "cairn/kit/quiet_thread.hpp"

namespace cairn::waits {

namespace {

constexpr double replay_error = 0.02;  // of what a change brings: what follows on it in the library is not replayed

/// The questions that nobody has taken yet, and the lengths of the runs.
struct Asked {
  const Dependencies& run;
  const std::vector<Question>& questions;
  std::vector<std::optional<std::int64_t>> lengths;
  std::atomic<std::size_t> next{0};

  void replay_all(Replay& replay) {
    for (std::size_t i = next++; i < questions.size(); i = next++) lengths[i] = replay.run(questions[i].change);
  }
};

void use_all_processors() {
  cpu_set_t all;
  std::memset(&all, 0xff, sizeof all);
  sched_setaffinity(0, sizeof all, &all);
}

/// What it has no memory for remains to be done.
void* help(void* data) try {
  use_all_processors();
  auto& asked = *static_cast<Asked*>(data);
  Replay replay(asked.run);
  asked.replay_all(replay);
  return nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

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
  std::vector<pthread_t> helpers;
  const std::size_t wanted = std::min(questions.size(), static_cast<std::size_t>(std::max(1, threads)));
  helpers.reserve(wanted);
  for (pthread_t helper{}; helpers.size() + 1 < wanted && start_quiet_thread(helper, help, &asked);)
    helpers.push_back(helper);
  const auto join = [&] {
    for (const pthread_t helper : helpers) pthread_join(helper, nullptr);
  };
  try {
    asked.replay_all(replay_);
  } catch (...) {
    asked.next = questions.size();
    join();
    throw;
  }
  join();
  for (std::size_t i = 0; i < questions.size(); ++i)
    questions[i].answer(asked.lengths[i] ? of(*asked.lengths[i]) : with(questions[i].change));
}

double Predictions::error_s(double predicted_s, double replayed_s, double run_s) {
  return std::abs(replayed_s - run_s) + replay_error * std::abs(predicted_s - replayed_s);
}

}  // namespace cairn::waits
