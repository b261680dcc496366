// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - from records to figures, and what is missing

#include "waits/summary.hpp"

#include <algorithm>
#include <map>

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

/// What the records themselves say is not there.
struct Missing {
  std::map<std::string, formats::waits::LeftOut> why;
  std::vector<bool> is_there;
  int nodes = 0;

  explicit Missing(const std::vector<RankRecords>& records) {
    std::map<std::string, bool> clocks;
    for (const RankRecords& one : records) {
      is_there.resize(std::max(is_there.size(), static_cast<std::size_t>(std::max(one.size, one.rank + 1))));
      is_there[static_cast<std::size_t>(one.rank)] = true;
      clocks[one.node] = true;
      if (!one.end.empty()) add("ended by " + one.end, one.rank, 0);
      if (one.lost != 0) add("records came faster than they could be taken, and are lost", one.rank, one.lost);
      if (one.omitted != 0) add("records beyond the limit of memory", one.rank, one.omitted);
      if (one.cut != 0) add("calls after the moment from which on not all ranks' calls are known", one.rank, one.cut);
      if (one.unsampled != 0) add("threads that could not be sampled", one.rank, one.unsampled);
      if (one.left_out != 0) add("threads that could not be recorded", one.rank, one.left_out);
    }
    nodes = static_cast<int>(clocks.size());
  }

  void add(const std::string& what, int rank, std::uint64_t count) {
    formats::waits::LeftOut& left_out = why[what];
    left_out.why = what;
    left_out.ranks.push_back(rank);
    left_out.count += count;
  }
};

void fill_coverage(const Graph& graph, const Missing& missing, Summary& summary) {
  summary.ranks = graph.size;
  summary.run_time = graph.run_s();
  auto& coverage = summary.coverage;
  coverage.calls = graph.nodes.size();
  coverage.sends = graph.counts.sends;
  coverage.receives = graph.counts.receives;
  coverage.matched = graph.counts.matched;
  coverage.collectives = graph.operations.size();
  coverage.incomplete = graph.counts.incomplete;
  for (std::size_t rank = 0; rank < missing.is_there.size(); ++rank)
    if (!missing.is_there[rank]) coverage.missing.push_back(static_cast<int>(rank));
  for (const auto& [what, left_out] : missing.why) coverage.left_out.push_back(left_out);
  const double largest = 1e-9 * static_cast<double>(graph.counts.largest_ns);
  summary.clock = {missing.nodes, std::max(missing.nodes > 1 ? time_of_day_error_s : reading_error_s, largest),
                   graph.counts.corrected, largest};
}

}  // namespace

Figures::Figures(std::vector<RankRecords> records, const Naming& naming)
    : graph(std::move(records)),
      waits(graph),
      causes(causes_of(graph, waits)),
      path(critical_path(graph, waits)),
      work(graph),
      samples(graph),
      predictions(graph, waits, work) {
  for (const Site& site : graph.sites) {
    formats::waits::Place& place = places.emplace_back();
    place.function = site.function;
    if (naming && !site.object.empty()) place.at = naming(site.object, site.offset);
    place.at.object = site.object;
    place.at.offset = site.offset;
  }
}

formats::waits::Place Figures::place(Index site) const { return site == none ? formats::waits::Place{} : places[site]; }

Summary summarize(std::vector<RankRecords> records, const Naming& naming) {
  std::erase_if(records, [](const RankRecords& one) { return one.rank < 0 || one.calls.empty(); });
  cut_alike(records);
  const Missing missing(records);
  Summary summary;
  if (records.empty()) return summary;
  Figures figures(std::move(records), naming);
  fill_coverage(figures.graph, missing, summary);
  fill_waits(figures, summary);
  fill_causes(figures, summary);
  fill_path(figures, summary);
  fill_efficiency(figures, summary);
  return summary;
}

}  // namespace cairn::waits
