// SPDX-License-Identifier: BSD-3-Clause
// predictions.hpp - changes that are always asked for, and those that a user names, as replays of the run
#pragma once

#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "formats/waits.hpp"
#include "waits/causes.hpp"
#include "waits/replay.hpp"

namespace cairn::waits {

/// Seconds that ranks spend on each piece of work, and in calls of each place without waiting.
class WorkSums {
 public:
  WorkSums() = default;
  WorkSums(const Graph& graph, const Waits& waits);
  /// Of another section.
  void add(const WorkSums& other);

  double of(Piece piece, int rank) const;
  /// Mean of the ranks but `ranks`; where these are all, of all.
  double mean_of_others(Piece piece, const std::vector<int>& ranks) const;
  /// All work of the rank's main thread.
  const std::vector<double>& by_rank() const { return by_rank_; }

 private:
  void add(Piece piece, int rank, std::int64_t ns);
  void add_calls(const Graph& graph, const Waits& waits, const Lane& lane);

  std::map<std::pair<Piece, int>, double> sums_;
  std::map<Piece, double> totals_;
  std::vector<double> by_rank_;
  int ranks_ = 0;
};

struct Prediction {
  double run_s = 0;
  double error_s = 0;
};

class Predictions {
 public:
  Predictions(const Graph& graph, const Waits& waits, const WorkSums& work);

  double replayed_s() const { return replayed_s_; }
  /// These ranks spend as much on each of them as the others do: work, or calls without their waiting.
  Prediction as_the_others(const std::map<Piece, double>& pieces, const std::vector<int>& ranks);
  /// Nobody waits in calls at those sites.
  Prediction without_waiting(std::vector<bool> sites);
  Prediction scaled(const std::vector<Piece>& pieces, const std::vector<int>& ranks, double factor);
  Prediction ideal_network();
  /// How long calls are there: to be asked for before the next prediction.
  const Replay& on_ideal_network();
  Prediction perfect_balance();
  Prediction eager_messages();
  Prediction free_collectives();
  /// Of the graph's, that one alone.
  std::vector<bool> only(Index site) const;
  /// The calls at those sites, and those that receive messages from there, take no time, and nobody waits in them.
  Prediction free_calls(const std::vector<bool>& sites);
  /// Of transfers that are begun at that site and completed by other calls: the work that follows the completion is
  /// done while they go on.
  Prediction overlapped(Index site);
  /// Messages that are sent at those sites do not need their receiver.
  Prediction eager(std::vector<bool> sites);
  /// Receives of messages that had come before they were asked for take no longer than is usual for others. Not a
  /// number: there are no others.
  Prediction expected_messages();
  /// Sites where transfers begin that other calls complete, and seconds of these without waiting; the dearest first.
  std::vector<std::pair<double, Index>> begun() const;
  Prediction with(const Change& change);
  /// The error of a prediction for a run of which the replay finds another length than it had.
  static double error_s(double predicted_s, double replayed_s, double run_s);

 private:
  template <class Visit>
  void for_all_begun(Visit visit) const;
  std::int64_t own_ns(Index node) const;

  const Graph& graph_;
  const Waits& waits_;
  const WorkSums& work_;
  Replay replay_;
  double replayed_s_ = 0;
  Prediction ideal_;
  bool is_ideal_known_ = false;
};

/// Changes of the whole run, under their names in waits.json and for `cairn whatif`.
struct NamedChange {
  const char* name;
  const char* meaning;
  Prediction (Predictions::*predict)();
};
inline constexpr std::array named_changes = {
    NamedChange{"ideal_network", "all transfers take no time", &Predictions::ideal_network},
    NamedChange{"perfect_balance", "all ranks have the same work", &Predictions::perfect_balance},
    NamedChange{"eager_messages", "no send waits for its receiver", &Predictions::eager_messages},
    NamedChange{"free_collectives", "collective calls take no time", &Predictions::free_collectives},
    NamedChange{"expected_messages", "receives are posted before their messages come",
                &Predictions::expected_messages}};

}  // namespace cairn::waits
