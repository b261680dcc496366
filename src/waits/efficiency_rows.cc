// SPDX-License-Identifier: BSD-3-Clause
// efficiency_rows.cc - the POP model, over the run and in windows, and the strips of the timeline

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_windows = 20;
constexpr std::size_t timeline_bins = 200;
constexpr std::size_t most_strips = 64;

double ratio(double part, double whole) { return whole > 0 ? std::min(1.0, part / whole) : 1; }

/// `ideal_s`: how long it is on an ideal network.
formats::waits::Efficiency efficiency_of(double mean, double most, double run_s, double ideal_s) {
  formats::waits::Efficiency efficiency;
  efficiency.parallel = ratio(mean, run_s);
  efficiency.load_balance = ratio(mean, most);
  efficiency.communication = efficiency.load_balance > 0 ? efficiency.parallel / efficiency.load_balance : 0;
  efficiency.transfer = ratio(ideal_s, run_s);
  efficiency.serialisation =
      efficiency.transfer > 0 ? std::min(1.0, efficiency.communication / efficiency.transfer) : 0;
  return efficiency;
}

formats::waits::Efficiency efficiency_of(const std::vector<double>& work, double run_s, double ideal_s) {
  double sum = 0;
  double most = 0;
  for (const double seconds : work) {
    sum += seconds;
    most = std::max(most, seconds);
  }
  return efficiency_of(work.empty() ? 0 : sum / static_cast<double>(work.size()), most, run_s, ideal_s);
}

/// Work of the ranks of each, with their numbers.
struct OnNode {
  std::vector<int> ranks;
  std::vector<double> work;

  double mean() const {
    double sum = 0;
    for (const double seconds : work) sum += seconds;
    return sum / static_cast<double>(work.size());
  }
};
std::map<std::string, OnNode> by_node(const std::vector<std::string>& node_of_rank,
                                      const std::vector<formats::waits::RankSplit>& ranks) {
  std::map<std::string, OnNode> nodes;
  for (const formats::waits::RankSplit& rank : ranks) {
    const auto number = static_cast<std::size_t>(rank.rank);
    OnNode& own = nodes[number < node_of_rank.size() ? node_of_rank[number] : ""];
    own.ranks.push_back(rank.rank);
    own.work.push_back(rank.split.work);
  }
  return nodes;
}

/// Load balance over nodes, and within them.
void balance_nodes(const std::map<std::string, OnNode>& nodes, double mean, formats::waits::Efficiency& efficiency) {
  double most = 0;
  for (const auto& [node, of] : nodes) most = std::max(most, of.mean());
  efficiency.node_balance = ratio(mean, most);
  efficiency.balance_in_nodes = efficiency.node_balance > 0 ? efficiency.load_balance / efficiency.node_balance : 0;
}

void fill_nodes(const std::map<std::string, OnNode>& nodes, double run_s, Summary& summary) {
  if (nodes.size() < 2) return;
  for (const auto& [node, of] : nodes) {
    const formats::waits::Efficiency efficiency = efficiency_of(of.work, run_s, run_s);
    summary.nodes.push_back({node, of.ranks, efficiency.parallel, efficiency.load_balance, efficiency.communication});
  }
}

}  // namespace

/// Nanoseconds of each bin of equal length, over the whole run.
class Binned {
 public:
  Binned(std::int64_t begin_ns, std::int64_t end_ns, std::size_t count, std::size_t rows)
      : begin_(begin_ns),
        length_(std::max(1.0, static_cast<double>(end_ns - begin_ns) / static_cast<double>(count))),
        rows_(rows, std::vector<double>(count)) {}

  /// `each`: for one nanosecond of that time.
  void add(std::size_t row, std::int64_t from, std::int64_t until, double each = 1) {
    auto at = static_cast<double>(from - begin_);
    const auto end = static_cast<double>(until - begin_);
    std::vector<double>& bins = rows_[row];
    for (auto bin = static_cast<std::size_t>(std::max(0.0, at / length_)); at < end && bin < bins.size(); ++bin) {
      const double next = std::min(end, static_cast<double>(bin + 1) * length_);
      bins[bin] += each * std::max(0.0, next - at);
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

namespace {

template <class Visit>
void each_main(const Graph& graph, Visit visit) {
  for (const Lane& lane : graph.lanes)
    if (lane.is_main) visit(lane);
}

}  // namespace

/// What one rank spends in a region.
struct InRegion {
  std::int64_t work = 0;
  std::int64_t calls = 0;
  std::int64_t ideal_calls = 0;  // on an ideal network
  std::int64_t from = INT64_MAX;
  std::int64_t until = INT64_MIN;
};

namespace {

/// By region, of one rank, after the start of MPI. Work before a call may be of several.
void add_regions(const Graph& graph, const Lane& lane, const Replay& ideal, std::map<Index, InRegion>& regions) {
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
    add(call.region, &InRegion::ideal_calls, ideal.call_ns(node), call.entry, call.exit);
  }
}

/// Who is in which strip of the timeline.
std::size_t strip_of(std::size_t place, std::size_t ranks) { return place * std::min(ranks, most_strips) / ranks; }

std::vector<int> percents(const std::vector<double>& ns, double whole) {
  std::vector<int> out;
  for (const double one : ns) out.push_back(static_cast<int>(std::lround(100 * std::min(1.0, one / whole))));
  return out;
}

/// An ideal network is not known then.
void forget_ideal(Summary& summary) {
  const auto forget = [](formats::waits::Efficiency& of) { of.serialisation = of.transfer = -1; };
  forget(summary.efficiency);
  for (auto* const parts : {&summary.regions, &summary.windows})
    for (formats::waits::PartEfficiency& part : *parts) forget(part.of);
}

}  // namespace

struct EfficiencySums::Parts {
  /// Of a rank that has left records.
  struct OfRank {
    std::size_t strip = 0;
    double start = 0;  // seconds since the run began
    std::map<Index, InRegion> regions;
  };
  struct Bins {
    Bins(std::int64_t begin_ns, std::int64_t end_ns, std::size_t size, std::size_t strips)
        : work(begin_ns, end_ns, most_windows, size),
          calls(begin_ns, end_ns, most_windows, size),
          working(begin_ns, end_ns, timeline_bins, strips),
          waiting(begin_ns, end_ns, timeline_bins, strips),
          unknown(begin_ns, end_ns, timeline_bins, strips),
          path(begin_ns, end_ns, timeline_bins, strips) {}

    Binned work, calls;                      // by rank, on an ideal network
    Binned working, waiting, unknown, path;  // by strip
  };

  void begin(const Graph& graph);
  void add_lane(const Figures& section, const Lane& lane, const Replay& ideal);
  void fill_regions(const Names& names, const RunTime& run, Summary& summary) const;
  void fill_windows(Summary& summary) const;
  void fill_timeline(Summary& summary) const;

  std::map<int, OfRank> ranks;
  std::optional<Bins> bins;
  std::size_t strips = 0;
  std::vector<std::string> node_of_rank;
  Difference ideal_difference;
  std::int64_t path_until = INT64_MIN;
};

EfficiencySums::EfficiencySums() : parts_(std::make_unique<Parts>()) {}
EfficiencySums::~EfficiencySums() = default;

/// Ranks that come in a later section have no strip.
void EfficiencySums::Parts::begin(const Graph& graph) {
  if (node_of_rank.size() < graph.node_of_rank.size()) node_of_rank = graph.node_of_rank;
  if (bins || graph.lanes.empty()) return;
  const auto count = static_cast<std::size_t>(graph.ranks);
  strips = std::min(count, most_strips);
  std::size_t place = 0;
  each_main(graph, [&](const Lane& lane) {
    OfRank& own = ranks[lane.rank];
    own.strip = strip_of(place++, count);
    own.start = seconds_of(graph.nodes[lane.first].exit - graph.begin_ns);
  });
  bins.emplace(graph.begin_ns, graph.is_last ? graph.end_ns : std::max(graph.end_ns, graph.over_ns),
               static_cast<std::size_t>(graph.size), strips);
}

/// A call that lies in several windows is as long in each, on an ideal network, as its part there.
void EfficiencySums::Parts::add_lane(const Figures& section, const Lane& lane, const Replay& ideal) {
  const auto known = ranks.find(lane.rank);
  if (known == ranks.end()) return;
  const Graph& graph = section.graph;
  const auto rank = static_cast<std::size_t>(lane.rank);
  const std::size_t strip = known->second.strip;
  add_regions(graph, lane, ideal, known->second.regions);
  for (Index node = lane.first; node < lane.last; ++node) {
    const Node& call = graph.nodes[node];
    if (node != lane.first) {
      bins->work.add(rank, graph.nodes[node - 1].exit, call.entry);
      bins->working.add(strip, graph.nodes[node - 1].exit, call.entry);
    }
    if (graph.is_earlier(node)) continue;
    const std::int64_t length = std::max<std::int64_t>(1, call.exit - call.entry);
    bins->calls.add(rank, call.entry, call.entry + length,
                    static_cast<double>(ideal.call_ns(node)) / static_cast<double>(length));
    const Index wait = section.waits.at[node];
    const std::int64_t waited_until = wait == none ? call.entry : section.waits.all[wait].until;
    bins->waiting.add(strip, call.entry, waited_until);
    if (node != lane.first && section.waits.is_unknown[node]) bins->unknown.add(strip, waited_until, call.exit);
  }
}

std::optional<Prediction> EfficiencySums::add(Figures& section) {
  Parts& parts = *parts_;
  parts.begin(section.graph);
  if (!parts.bins) return std::nullopt;
  const Prediction predicted = section.predictions.with(section.changes.ideal_network());
  const Replay& ideal = section.predictions.last();
  each_main(section.graph, [&](const Lane& lane) { parts.add_lane(section, lane, ideal); });
  for (const PathStep& step : section.path)
    if (const auto own = parts.ranks.find(step.rank); own != parts.ranks.end())
      parts.bins->path.add(own->second.strip, std::max(step.from, parts.path_until), step.until);
  if (!section.path.empty()) parts.path_until = std::max(parts.path_until, section.path.back().until);
  parts.ideal_difference += difference(section, predicted);
  return predicted;
}

/// The run time of a region is that of the rank that spends most in it, on an ideal network too.
void EfficiencySums::Parts::fill_regions(const Names& names, const RunTime& run, Summary& summary) const {
  if (names.regions.size() < 2) return;
  struct All {
    double sum = 0;  // of work
    double most = 0;
    InRegion bounds;
    double longest = 0;
    double ideal = 0;
  };
  std::map<Index, All> all;
  for (const auto& [rank, of_rank] : ranks)
    for (const auto& [region, own] : of_rank.regions) {
      All& of = all[region];
      of.sum += seconds_of(own.work);
      of.most = std::max(of.most, seconds_of(own.work));
      of.longest = std::max(of.longest, seconds_of(own.work + own.calls));
      of.ideal = std::max(of.ideal, seconds_of(own.work + own.ideal_calls));
      of.bounds.from = std::min(of.bounds.from, own.from);
      of.bounds.until = std::max(of.bounds.until, own.until);
    }
  for (const auto& [region, of] : all)
    summary.regions.push_back(
        {names.regions[region], seconds_of(of.bounds.from - run.begin_ns()),
         seconds_of(of.bounds.until - run.begin_ns()), of.longest,
         efficiency_of(of.sum / static_cast<double>(ranks.size()), of.most, of.longest, of.ideal)});
  std::ranges::stable_sort(summary.regions, std::greater{}, &formats::waits::PartEfficiency::time);
}

void EfficiencySums::Parts::fill_windows(Summary& summary) const {
  const double length = 1e-9 * bins->work.length();
  for (std::size_t window = 0; window < most_windows; ++window) {
    std::vector<double> seconds;
    double longest = 0;
    for (const auto& [rank, own] : ranks) {
      const auto row = static_cast<std::size_t>(rank);
      seconds.push_back(1e-9 * bins->work.row(row)[window]);
      longest = std::max(longest, seconds.back() + 1e-9 * bins->calls.row(row)[window]);
    }
    summary.windows.push_back({"", length * static_cast<double>(window), length * static_cast<double>(window + 1),
                               length, efficiency_of(seconds, length, longest)});
  }
}

void EfficiencySums::Parts::fill_timeline(Summary& summary) const {
  summary.timeline.bin = 1e-9 * bins->working.length();
  summary.timeline.strips.resize(strips);
  for (const auto& [rank, own] : ranks) {
    formats::waits::Strip& strip = summary.timeline.strips[own.strip];
    strip.ranks.push_back(rank);
    strip.start += own.start;
  }
  for (std::size_t i = 0; i < strips; ++i) {
    formats::waits::Strip& strip = summary.timeline.strips[i];
    const auto in_it = static_cast<double>(strip.ranks.size());
    strip.start /= in_it;
    strip.work = percents(bins->working.row(i), bins->working.length() * in_it);
    strip.waiting = percents(bins->waiting.row(i), bins->working.length() * in_it);
    if (summary.split.unknown > 0) strip.unknown = percents(bins->unknown.row(i), bins->working.length() * in_it);
    strip.path = percents(bins->path.row(i), bins->working.length());
  }
}

void EfficiencySums::fill(const Names& names, const RunTime& run, Summary& summary) const {
  std::vector<double> work;
  for (const auto& rank : summary.by_rank) work.push_back(rank.split.work);
  const double start_s = work.empty() ? 0 : summary.split.start / static_cast<double>(work.size());
  summary.efficiency = efficiency_of(work, run.seconds() - start_s, run.with(parts_->ideal_difference).run_s - start_s);
  const std::map<std::string, OnNode> nodes = by_node(parts_->node_of_rank, summary.by_rank);
  balance_nodes(nodes, OnNode{{}, work}.mean(), summary.efficiency);
  fill_nodes(nodes, run.seconds() - start_s, summary);
  if (!parts_->bins) return;
  parts_->fill_regions(names, run, summary);
  parts_->fill_windows(summary);
  if (summary.split.is_unclear()) forget_ideal(summary);
  parts_->fill_timeline(summary);
}

}  // namespace cairn::waits
