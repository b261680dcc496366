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

/// Seconds that ranks spend on each piece of work.
class WorkSums {
 public:
  explicit WorkSums(const Graph& graph);

  double of(Piece piece, int rank) const;
  /// Mean of the ranks but `ranks`; where these are all, of all.
  double mean_of_others(Piece piece, const std::vector<int>& ranks) const;
  /// All work of the rank's main thread.
  const std::vector<double>& by_rank() const { return by_rank_; }

 private:
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
  /// These ranks spend as much on each of them as the others do.
  Prediction as_the_others(const std::map<Piece, double>& pieces, const std::vector<int>& ranks);
  Prediction scaled(const std::vector<Piece>& pieces, const std::vector<int>& ranks, double factor);
  Prediction ideal_network();
  Prediction perfect_balance();
  Prediction eager_messages();
  Prediction free_collectives();
  /// The calls at that site, and those that receive messages from there, take no time, and nobody waits in them.
  Prediction free_calls(Index site);
  Prediction with(const Change& change);

 private:
  const Graph& graph_;
  const WorkSums& work_;
  Replay replay_;
  double replayed_s_ = 0;
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
    NamedChange{"free_collectives", "collective calls take no time", &Predictions::free_collectives}};

}  // namespace cairn::waits
