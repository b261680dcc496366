// SPDX-License-Identifier: BSD-3-Clause
// figures.hpp - what all parts of a summary are made from: one section of the run after the other
#pragma once

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "formats/waits.hpp"
#include "waits/aside.hpp"
#include "waits/causes.hpp"
#include "waits/changes.hpp"
#include "waits/path.hpp"
#include "waits/predictions.hpp"
#include "waits/queues.hpp"
#include "waits/samples.hpp"
#include "waits/site_names.hpp"
#include "waits/summary.hpp"
#include "waits/work_sums.hpp"

namespace cairn::waits {

namespace formats = cairn::formats;
using formats::waits::Summary;

inline double seconds_of(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

/// What a section leaves for the next one.
struct Earlier {
  Carried carried;
  SendSizes sends;
  SiteNames sites;
};

/// Of one section of the run: all of it, if it is short.
struct Figures {
  Figures(std::vector<RankRecords> records, const Naming& naming, Earlier earlier = {}, int threads = 1);
  Earlier carry() &&;

  SiteNames sites;
  Graph graph;
  Waits waits;
  std::vector<CauseSum> causes;
  std::vector<PathStep> path;
  Aside causes_and_path;
  Queues queues;
  WorkSums work;
  Dependencies dependencies;
  Changes changes;
  Predictions predictions;
  std::vector<formats::waits::Place> places;  // by site
};

/// The names that places, communicators and regions have in sums.
struct Names {
  const std::vector<formats::waits::Place>& places;
  const std::vector<Comm>& comms;
  const std::vector<std::string>& regions;

  formats::waits::Place place(Index site) const { return site == none ? formats::waits::Place{} : places[site]; }
};

/// What a change makes a section longer by, or several together.
struct Difference {
  double seconds = 0;
  double earlier_s = 0;  // as of Prediction

  Difference& operator+=(const Difference& other) {
    seconds += other.seconds;
    earlier_s += other.earlier_s;
    return *this;
  }
};

/// How long the run is, and is with a change: what sections become longer or shorter by, added up.
class RunTime {
 public:
  void add(const Figures& section);

  std::int64_t begin_ns() const { return begin_ns_; }
  double seconds() const { return seconds_of(end_ns_ - begin_ns_); }
  double replayed() const { return seconds() + replay_difference_; }
  Prediction with(const Difference& difference) const;

 private:
  bool is_begun_ = false;
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  double replay_difference_ = 0;
};
inline Difference difference(const Figures& section, const Prediction& predicted) {
  return {predicted.run_s - section.predictions.replayed_s(), predicted.earlier_s};
}

/// Waits, pairs, time by rank.
class WaitSums {
 public:
  void add(const Figures& section);
  void fill(const Names& names, Summary& summary) const;

 private:
  using Key = std::tuple<WaitKind, Index, Index, Index>;  // site, communicator, region
  struct Waited {
    std::int64_t ns = 0;
    std::uint64_t count = 0;
    std::map<int, std::int64_t> by_rank;
  };
  void add_waits(const Figures& section);
  void add_ranks(const Figures& section);
  void fill_rows(const Names& names, Summary& summary) const;
  void fill_pairs(Summary& summary) const;

  std::map<Key, Waited> waits_;
  std::map<std::pair<int, int>, std::pair<std::int64_t, std::uint64_t>> pairs_;
  std::size_t pairs_left_out_ = 0;  // one that comes again counts again
  std::map<int, formats::waits::RankSplit> ranks_;
};

/// Causes and what changes would bring.
class CauseSums {
 public:
  /// With replays on so many threads. `ideal`: on an ideal network, if that is known.
  void add(Figures& section, const std::optional<Prediction>& ideal, int threads);
  void fill(const Names& names, const RunTime& run, const WorkSums& work, const SampleSums& samples,
            Summary& summary) const;

 private:
  struct Of {
    CauseSum sum;
    Difference difference;           // if its ranks worked as the others do
    Difference unwaited_difference;  // if nobody waited where it is waited for in turn
    Difference sent_first_difference;
    std::size_t sections = 0;  // that have the cause; and in which each of the three was replayed
    std::size_t replayed = 0;
    std::size_t unwaited_replayed = 0;
    std::size_t sent_first_replayed = 0;
    bool is_sent_after = false;  // that work: some message
    std::size_t last_section = 0;
    bool is_predicted = false;
  };
  /// Receives that find their messages among many others.
  struct Searches {
    std::uint64_t count = 0;
    Index longest = 0;
    std::int64_t excess_ns = 0;
    std::map<int, std::int64_t> by_rank;  // of that
  };
  struct Site {
    std::int64_t ns = 0;           // in its calls, without waiting
    std::int64_t entailed_ns = 0;  // likewise, in those that free communicators made there, or make others from them
    Difference free;
    bool is_free_known = false;
    double begun_s = 0;  // in calls that complete what it has begun
    Difference overlapped;
    bool is_overlap_known = false;
    Difference eager;
    bool is_begun_known = false;
    Searches searches;
    Difference expected;
    bool is_expected_known = false;
  };
  /// With what was charged to the same work before other calls, of the same ranks (is_branch) or of others in a chain
  /// (are_links).
  struct Whole {
    const Of* of;
    CauseSum sum;
    bool has_links;

    /// If it belongs to it: true.
    bool take(const CauseSum& other, const WorkSums& work);
  };
  std::vector<const Of*> dearest() const;
  std::vector<Whole> put_together(const WorkSums& work) const;
  std::vector<Index> dearest_calls() const;
  std::vector<Index> longest_begun() const;
  std::vector<Index> longest_searched() const;
  using Questions = std::vector<Question>;
  /// Adds what a change brings to that sum.
  static void ask(const Figures& section, Change change, Difference& sum, Questions& questions);
  void add_causes(const Figures& section, Questions& questions);
  void predict(const Figures& section, Of& cause, Questions& questions);
  static void fill_prediction(const Whole& cause, const RunTime& run, int ranks, formats::waits::Cause& row);
  void fill_causes(const Names& names, const RunTime& run, const WorkSums& work, const SampleSums& samples,
                   Summary& summary) const;
  void add_named(const Figures& section, const std::optional<Prediction>& ideal, Questions& questions);
  void add_calls(const Figures& section, Questions& questions);
  void add_begun(const Figures& section, Questions& questions);
  void add_searches(const Figures& section, Questions& questions);

  std::map<CauseKey, Of> causes_;
  std::size_t sections_ = 0;
  std::vector<std::pair<Difference, bool>> changes_;  // by named_changes: difference, and whether it is known
  std::map<Index, Site> sites_;
  std::int64_t run_ns_ = 0;  // of all ranks
  double lanes_s_ = 0;       // of all threads
};

/// The critical path.
class PathSums {
 public:
  void add(const Figures& section);
  void fill(const Names& names, const RunTime& run, const WorkSums& work, Summary& summary);

 private:
  struct OnPath {
    double seconds = 0;
    Index region = 0;
    std::set<int> ranks;
  };
  struct Stretch {
    int rank = 0;
    std::int64_t from = 0;
    std::int64_t until = 0;
  };
  void leave_out_short();

  std::map<Piece, OnPath> pieces_;
  std::map<int, double> ranks_;
  std::map<Index, double> regions_;
  std::vector<Stretch> stretches_;
  std::int64_t until_ = INT64_MIN;
};

/// POP's figures, windows, the timeline.
class EfficiencySums {
 public:
  EfficiencySums();
  ~EfficiencySums();
  EfficiencySums(const EfficiencySums&) = delete;
  EfficiencySums& operator=(const EfficiencySums&) = delete;

  /// Of the section on an ideal network; nothing: it has no time to be divided.
  std::optional<Prediction> add(Figures& section);
  void fill(const Names& names, const RunTime& run, Summary& summary) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace cairn::waits
