// SPDX-License-Identifier: BSD-3-Clause
// efficiency_rows.cc - the POP model, over the run and in windows, and the strips of the timeline

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_windows = 20;
constexpr std::size_t timeline_bins = 200;
constexpr std::size_t most_strips = 64;

double ratio(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 1; }

/// What a loss of communication consists of is not known of a part of the run: all of it counts as serialisation.
formats::waits::Efficiency efficiency_of(double mean, double most, double run_s) {
  formats::waits::Efficiency efficiency;
  efficiency.parallel = ratio(mean, run_s);
  efficiency.load_balance = ratio(mean, most);
  efficiency.communication = efficiency.load_balance > 0 ? efficiency.parallel / efficiency.load_balance : 0;
  efficiency.serialisation = efficiency.communication;
  efficiency.transfer = 1;
  return efficiency;
}

formats::waits::Efficiency efficiency_of(const std::vector<double>& work, double run_s) {
  double sum = 0;
  double most = 0;
  for (const double seconds : work) {
    sum += seconds;
    most = std::max(most, seconds);
  }
  return efficiency_of(work.empty() ? 0 : sum / static_cast<double>(work.size()), most, run_s);
}

/// Load balance over nodes, and within them.
void balance_nodes(const Graph& graph, const std::vector<double>& work, formats::waits::Efficiency& efficiency) {
  std::map<std::string, std::pair<double, int>> nodes;
  double sum = 0;
  for (std::size_t rank = 0; rank < work.size(); ++rank) {
    auto& [seconds, ranks] = nodes[rank < graph.node_of_rank.size() ? graph.node_of_rank[rank] : ""];
    seconds += work[rank];
    ++ranks;
    sum += work[rank];
  }
  double most = 0;
  for (const auto& [node, of] : nodes) most = std::max(most, of.first / of.second);
  efficiency.node_balance = work.empty() ? 1 : ratio(sum / static_cast<double>(work.size()), most);
  efficiency.balance_in_nodes = efficiency.node_balance > 0 ? efficiency.load_balance / efficiency.node_balance : 0;
}

/// Nanoseconds of each bin of equal length.
class Binned {
 public:
  Binned(const Graph& graph, std::size_t count, std::size_t rows)
      : begin_(graph.begin_ns),
        length_(std::max(1.0, static_cast<double>(graph.end_ns - graph.begin_ns) / static_cast<double>(count))),
        rows_(rows, std::vector<double>(count)) {}

  void add(std::size_t row, std::int64_t from, std::int64_t until) {
    auto at = static_cast<double>(from - begin_);
    const auto end = static_cast<double>(until - begin_);
    std::vector<double>& bins = rows_[row];
    for (auto bin = static_cast<std::size_t>(std::max(0.0, at / length_)); at < end && bin < bins.size(); ++bin) {
      const double next = std::min(end, static_cast<double>(bin + 1) * length_);
      bins[bin] += std::max(0.0, next - at);
      at = std::max(at, next);
    }
  }
  double length() const { return length_; }
  const std::vector<double>& row(std::size_t row) const { return rows_[row]; }

 private:
  std::int64_t begin_;
  double length_;
  std::vector<std::vector<double>> rows_;
};

template <class Visit>
void each_main(const Graph& graph, Visit visit) {
  for (const Lane& lane : graph.lanes)
    if (lane.is_main) visit(lane);
}

/// What one rank spends in a region.
struct InRegion {
  std::int64_t work = 0;
  std::int64_t calls = 0;
  std::int64_t from = INT64_MAX;
  std::int64_t until = INT64_MIN;
};

/// By region, of one rank, after the start of MPI. Work before a call may be of several.
std::map<Index, InRegion> regions_of(const Graph& graph, const Lane& lane) {
  std::map<Index, InRegion> regions;
  const auto add = [&](Index region, std::int64_t InRegion::*what, std::int64_t ns, std::int64_t from,
                       std::int64_t until) {
    InRegion& sum = regions[region];
    sum.*what += ns;
    sum.from = std::min(sum.from, from);
    sum.until = std::max(sum.until, until);
  };
  auto spell = std::ranges::lower_bound(graph.spells, lane.first + 1, {}, &Spell::call);
  for (Index node = lane.first + 1; node < lane.last; ++node) {
    const Node& call = graph.nodes[node];
    const std::int64_t before = graph.nodes[node - 1].exit;
    const bool is_split = spell != graph.spells.end() && spell->call == node;
    if (!is_split) add(call.before, &InRegion::work, call.entry - before, before, call.entry);
    for (; spell != graph.spells.end() && spell->call == node; ++spell)
      add(spell->region, &InRegion::work, spell->ns, before, call.entry);
    add(call.region, &InRegion::calls, call.exit - call.entry, call.entry, call.exit);
  }
  return regions;
}

/// The run time of a region is that of the rank that spends most in it.
void fill_regions(const Figures& figures, Summary& summary) {
  const Graph& graph = figures.graph;
  if (graph.regions.size() < 2) return;
  struct All {
    double sum = 0;  // of work
    double most = 0;
    InRegion bounds;
    double longest = 0;
  };
  std::map<Index, All> all;
  double ranks = 0;
  each_main(graph, [&](const Lane& lane) {
    for (const auto& [region, own] : regions_of(graph, lane)) {
      All& of = all[region];
      of.sum += figures.seconds(own.work);
      of.most = std::max(of.most, figures.seconds(own.work));
      of.longest = std::max(of.longest, figures.seconds(own.work + own.calls));
      of.bounds.from = std::min(of.bounds.from, own.from);
      of.bounds.until = std::max(of.bounds.until, own.until);
    }
    ++ranks;
  });
  for (const auto& [region, of] : all) {
    summary.regions.push_back({graph.regions[region], figures.seconds(of.bounds.from - graph.begin_ns),
                               figures.seconds(of.bounds.until - graph.begin_ns), of.longest,
                               efficiency_of(of.sum / ranks, of.most, of.longest)});
  }
  std::ranges::stable_sort(summary.regions, std::greater{}, &formats::waits::PartEfficiency::time);
}

void fill_windows(const Figures& figures, Summary& summary) {
  const Graph& graph = figures.graph;
  const auto ranks = static_cast<std::size_t>(graph.size);
  Binned work(graph, most_windows, ranks);
  each_main(graph, [&](const Lane& lane) {
    for (Index node = lane.first + 1; node < lane.last; ++node)
      work.add(static_cast<std::size_t>(lane.rank), graph.nodes[node - 1].exit, graph.nodes[node].entry);
  });
  for (std::size_t window = 0; window < most_windows; ++window) {
    std::vector<double> seconds;
    each_main(graph, [&](const Lane& lane) {
      seconds.push_back(1e-9 * work.row(static_cast<std::size_t>(lane.rank))[window]);
    });
    const double length = 1e-9 * work.length();
    summary.windows.push_back({"", length * static_cast<double>(window), length * static_cast<double>(window + 1),
                               length, efficiency_of(seconds, length)});
  }
}

/// The strips' bins, and of which strip a rank is.
struct Strips {
  Strips(const Figures& figures, std::size_t ranks)
      : count(std::min(ranks, most_strips)),
        work(figures.graph, timeline_bins, count),
        waiting(figures.graph, timeline_bins, count),
        path(figures.graph, timeline_bins, count),
        of_rank(static_cast<std::size_t>(figures.graph.size), count) {
    std::size_t number = 0;
    each_main(figures.graph, [&](const Lane& lane) {
      const std::size_t strip = number++ * count / ranks;
      of_rank[static_cast<std::size_t>(lane.rank)] = strip;
      add(figures, lane, strip);
    });
    for (const PathStep& step : figures.path)
      if (const std::size_t strip = of_rank[static_cast<std::size_t>(step.rank)]; strip < count)
        path.add(strip, step.from, step.until);
  }

  std::size_t count;
  Binned work, waiting, path;
  std::vector<std::size_t> of_rank;

 private:
  void add(const Figures& figures, const Lane& lane, std::size_t strip) {
    const Graph& graph = figures.graph;
    for (Index node = lane.first; node < lane.last; ++node) {
      if (node != lane.first) work.add(strip, graph.nodes[node - 1].exit, graph.nodes[node].entry);
      if (const Index wait = figures.waits.at[node]; wait != none)
        waiting.add(strip, graph.nodes[node].entry, figures.waits.all[wait].until);
    }
  }
};

std::vector<int> percents(const std::vector<double>& ns, double whole) {
  std::vector<int> out;
  for (const double one : ns) out.push_back(static_cast<int>(std::lround(100 * std::min(1.0, one / whole))));
  return out;
}

void fill_timeline(const Figures& figures, Summary& summary) {
  const auto ranks = std::ranges::count_if(figures.graph.lanes, &Lane::is_main);
  if (ranks == 0) return;
  const Strips strips(figures, static_cast<std::size_t>(ranks));
  summary.timeline.bin = 1e-9 * strips.work.length();
  summary.timeline.strips.resize(strips.count);
  each_main(figures.graph, [&](const Lane& lane) {
    formats::waits::Strip& strip = summary.timeline.strips[strips.of_rank[static_cast<std::size_t>(lane.rank)]];
    strip.ranks.push_back(lane.rank);
    strip.start += figures.seconds(figures.graph.nodes[lane.first].exit - figures.graph.begin_ns);
  });
  for (std::size_t i = 0; i < strips.count; ++i) {
    formats::waits::Strip& strip = summary.timeline.strips[i];
    const auto in_it = static_cast<double>(strip.ranks.size());
    strip.start /= in_it;
    strip.work = percents(strips.work.row(i), strips.work.length() * in_it);
    strip.waiting = percents(strips.waiting.row(i), strips.work.length() * in_it);
    strip.path = percents(strips.path.row(i), strips.work.length());
  }
}

}  // namespace

void fill_efficiency(const Figures& figures, Summary& summary) {
  std::vector<double> work;
  for (const auto& rank : summary.by_rank) work.push_back(rank.split.work);
  const double start_s = work.empty() ? 0 : summary.split.start / static_cast<double>(work.size());
  const double run_s = summary.run_time - start_s;
  summary.efficiency = efficiency_of(work, run_s);
  balance_nodes(figures.graph, work, summary.efficiency);
  double ideal = summary.run_time;
  for (const auto& what_if : summary.what_if)
    if (what_if.change == "ideal_network") ideal = what_if.predicted_run;
  summary.efficiency.transfer = ratio(ideal - start_s, run_s);
  summary.efficiency.serialisation = summary.efficiency.transfer > 0
                                         ? std::min(1.0, summary.efficiency.communication / summary.efficiency.transfer)
                                         : 0;
  fill_regions(figures, summary);
  fill_windows(figures, summary);
  fill_timeline(figures, summary);
}

}  // namespace cairn::waits
