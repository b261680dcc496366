// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - from records to figures, and what is missing

#include "waits/summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <thread>

#include "waits/cut.hpp"
#include "waits/figures.hpp"

namespace cairn::waits {

Naming naming_by(const Symbols* symbols) {
  return [symbols](const std::string& object, std::uint64_t offset) {
    formats::SourcePosition place;
    SourcePlace source{};
    if (symbols == nullptr || symbols->find(object.c_str(), offset, &source) != 0) return place;
    place.caller = source.function;
    place.file = source.file;
    place.line = source.line;
    return place;
  };
}

namespace {

constexpr double reading_error_s = 1e-7;      // of clocks on one node
constexpr double time_of_day_error_s = 1e-3;  // between nodes that are synchronized

}  // namespace

/// How well ranks' moments can be compared.
struct ClockSums {
  std::map<std::string, std::int64_t> nodes;  // to the reference's clock: how far off at most
  bool is_compared = true;
  bool is_at_end = true;
  std::int64_t drift_ns = 0;

  void add(const RankRecords& records) {
    std::int64_t& error_ns = nodes[records.node];
    error_ns = std::max(error_ns, records.clock.error_ns);
    is_compared = is_compared && records.clock.reference != 0;
    is_at_end = is_at_end && records.clock.is_at_end;
    drift_ns = std::max(drift_ns, std::abs(records.clock.drift_ns));
  }

  /// Between two of them.
  std::int64_t error_ns() const {
    std::int64_t most = 0;
    std::int64_t second = 0;
    for (const auto& [node, error] : nodes) {
      second = std::max(second, std::min(error, most));
      most = std::max(most, error);
    }
    return most + second;
  }

  formats::waits::ClockQuality quality(const Counts& counts) const {
    formats::waits::ClockQuality clock;
    clock.nodes = static_cast<int>(nodes.size());
    clock.compared = nodes.size() < 2 ? "one clock"
                     : !is_compared   ? "time of day"
                     : is_at_end      ? "start and end"
                                      : "start";
    clock.largest = 1e-9 * static_cast<double>(counts.largest_ns);
    const double known =
        !is_compared && nodes.size() > 1 ? time_of_day_error_s : 1e-9 * static_cast<double>(error_ns());
    clock.error = std::max({reading_error_s, known, clock.largest});
    clock.drift = 1e-9 * static_cast<double>(drift_ns);
    clock.corrected = counts.corrected;
    return clock;
  }
};

/// What the records themselves say is not there.
struct Missing {
  std::map<std::string, formats::waits::LeftOut> why;
  std::vector<int> ranks;
  ClockSums clocks;

  void add(const std::vector<RankRecords>& records) {
    if (records.empty() || records.front().section == 0) ranks = ranks_without(records);
    for (const RankRecords& one : records) {
      if (one.section == 0) clocks.add(one);
      if (one.end == without_end) add("records end before the run does", one.rank, 0);
      else if (!one.end.empty()) add(std::string(formats::waits::ended_by) + one.end, one.rank, 0);
      if (one.lost != 0) add("records came faster than they were read and are lost", one.rank, one.lost);
      if (one.omitted != 0) add("records beyond the memory limit", one.rank, one.omitted);
      if (one.cut != 0) add("calls after the last moment at which all ranks' calls are known", one.rank, one.cut);
      if (one.unsampled != 0) add("threads that could not be sampled", one.rank, one.unsampled);
      if (one.left_out != 0) add("threads that could not be recorded", one.rank, one.left_out);
      if (one.jumps != 0) add("readings of a clock that jumped or ran backwards", one.rank, one.jumps);
    }
  }

  void add(const std::string& what, int rank, std::uint64_t count) {
    formats::waits::LeftOut& left_out = why[what];
    left_out.why = what;
    left_out.ranks.push_back(rank);
    left_out.count += count;
  }
};

/// Of the time of day: what the figures are of, where some ranks' records end before the run.
struct Span {
  std::int64_t begin = no_end;
  std::int64_t until = no_end;
  std::int64_t over = INT64_MIN;
  std::int64_t section = INT64_MIN;  // the end of the last one
  bool is_at_end = true;

  void add(const std::vector<RankRecords>& records) {
    until = std::min(until, common_end(records));
    is_at_end = records.empty() || records.front().is_last;
    for (const RankRecords& one : records) {
      for (const Call& call : one.calls) section = std::max(section, call.exit + one.shift_ns);
      if (one.section == 0)
        begin = std::min(begin, one.calls.empty() ? end_of(one) : one.calls.front().entry + one.shift_ns);
      over = std::max(over, one.over == 0 ? INT64_MIN : one.over + one.shift_ns);
    }
  }

  void fill(formats::waits::Coverage& coverage) const {
    const std::int64_t known = is_at_end ? until : std::min(until, section);
    if (known >= over) return;
    coverage.whole_run = 1e-9 * static_cast<double>(over - begin);
    coverage.analysed = 1e-9 * static_cast<double>(std::max<std::int64_t>(0, known - begin));
  }
};

namespace {

std::uint64_t calls_in(const Graph& graph) {
  std::uint64_t calls = graph.nodes.size();
  for (const Lane& lane : graph.lanes) calls -= (lane.begins_earlier ? 1 : 0) + (graph.is_last ? 0 : 1);
  return calls;
}

constexpr int most_threads = 8;  // each needs nine bytes for a call

int threads_for(const std::vector<RankRecords>& records) {
  if (records.empty()) return 1;
  const std::int64_t ranks = std::ranges::count(records, records.front().node, &RankRecords::node);
  return static_cast<int>(std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, ranks));
}

void add(const Graph& graph, Counts& counts) {
  counts.calls += calls_in(graph);
  counts.sends += graph.counts.sends;
  counts.receives += graph.counts.receives;
  counts.matched += graph.counts.matched;
  counts.collectives += graph.counts.collectives;
  counts.incomplete += graph.counts.incomplete;
  counts.corrected += graph.counts.corrected;
  counts.largest_ns = std::max(counts.largest_ns, graph.counts.largest_ns);
}

void fill_coverage(const Missing& missing, const Counts& counts, formats::waits::Coverage& coverage) {
  coverage.missing = missing.ranks;
  for (const auto& [what, left_out] : missing.why) coverage.left_out.push_back(left_out);
  coverage.calls = counts.calls;
  coverage.sends = counts.sends;
  coverage.receives = counts.receives;
  coverage.matched = counts.matched;
  coverage.collectives = counts.collectives;
  coverage.incomplete = counts.incomplete;
}

}  // namespace

Figures::Figures(std::vector<RankRecords> records, const Naming& naming, Earlier earlier, int threads)
    : sites(std::move(earlier.sites)),
      graph(sites.unite(std::move(records), naming), std::move(earlier.carried)),
      waits(graph, earlier.sends),
      causes_and_path(
          [this] {
            causes = causes_of(graph, waits);
            path = critical_path(graph, waits);
          },
          threads > 1),
      queues(graph, waits),
      work(graph, waits),
      dependencies(graph, waits),
      changes(graph, waits, queues, work),
      predictions(dependencies),
      places(sites.places(graph.sites)) {
  causes_and_path.finish();
}

Earlier Figures::carry() && { return {std::move(graph).carry(), waits.sends, std::move(sites)}; }

void RunTime::add(const Figures& section) {
  if (!is_begun_) begin_ns_ = end_ns_ = section.graph.begin_ns;
  is_begun_ = true;
  end_ns_ = std::max(end_ns_, section.graph.end_ns);
  replay_difference_ += section.predictions.replayed_s() - section.graph.run_s();
}

Prediction RunTime::with(const Difference& difference) const {
  return Predictions::of(replayed() + difference.seconds, difference.earlier_s, replayed(), seconds());
}

struct Analysis::Sums {
  Missing missing;
  Span span;
  Counts counts;
  int ranks = 0;
  bool is_known = false;  // more than the start of MPI
  RunTime run;
  WorkSums work;
  SampleSums samples;
  WaitSums waits;
  EfficiencySums efficiency;
  CauseSums causes;
  PathSums path;
  Earlier earlier;
};

Analysis::Analysis(Naming naming, int threads)
    : naming_(std::move(naming)), threads_(threads), sums_(std::make_unique<Sums>()) {}
Analysis::~Analysis() = default;

void Analysis::add(std::vector<RankRecords> records) {
  Sums& sums = *sums_;
  std::erase_if(records, [](const RankRecords& one) { return one.rank < 0; });
  share_time(records);
  sums.span.add(records);
  cut_alike(records);
  sums.missing.add(records);
  for (const RankRecords& one : records) {
    sums.ranks = std::max({sums.ranks, one.size, one.rank + 1});
    sums.is_known = sums.is_known || one.calls.size() > 1;
  }
  if (!sums.is_known) return;
  const int threads = std::min(most_threads, threads_ == as_many_as_ranks ? threads_for(records) : threads_);
  Figures section(std::move(records), naming_, std::move(sums.earlier), threads);
  waits::add(section.graph, sums.counts);
  sums.run.add(section);
  sums.work.add(section.work);
  sums.samples.add(section.graph);
  sums.waits.add(section);
  const std::optional<Prediction> ideal = sums.efficiency.add(section);
  sums.causes.add(section, ideal, threads);
  sums.path.add(section);
  sums.earlier = std::move(section).carry();
}

Summary Analysis::summary() {
  Sums& sums = *sums_;
  Summary summary;
  summary.ranks = sums.ranks;
  fill_coverage(sums.missing, sums.counts, summary.coverage);
  sums.span.fill(summary.coverage);
  if (!sums.span.is_at_end) {
    formats::waits::LeftOut& later = summary.coverage.left_out.emplace_back();
    later.why = beyond_graph;
    for (int rank = 0; rank < sums.ranks; ++rank) later.ranks.push_back(rank);
  }
  if (!sums.is_known) {  // no more can be told than why
    summary.run_time = summary.replayed = NAN;
    summary.efficiency = {NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    return summary;
  }
  const std::vector<formats::waits::Place> places = sums.earlier.sites.places(sums.earlier.carried.sites);
  const Names names{places, sums.earlier.carried.comms, sums.earlier.carried.regions};
  summary.run_time = sums.run.seconds();
  summary.clock = sums.missing.clocks.quality(sums.counts);
  sums.waits.fill(names, summary);
  sums.efficiency.fill(names, sums.run, summary);
  sums.causes.fill(names, sums.run, sums.work, sums.samples, summary);
  sums.path.fill(names, sums.run, sums.work, summary);
  return summary;
}

Summary summarize(std::vector<RankRecords> records, const Naming& naming) {
  Analysis analysis(naming);
  analysis.add(std::move(records));
  return analysis.summary();
}

}  // namespace cairn::waits
