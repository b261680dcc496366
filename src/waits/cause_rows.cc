// SPDX-License-Identifier: BSD-3-Clause
// cause_rows.cc - causes with their ranks, and what changes would bring

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "waits/cause_traits.hpp"
#include "waits/figures.hpp"

namespace cairn::waits {

namespace {

constexpr std::size_t most_causes = 30;
constexpr std::size_t most_predicted = 6;  // each is a replay of the whole run
constexpr std::size_t most_free = 6;       // likewise
constexpr std::size_t most_transfers = 3;  // each is two
constexpr std::size_t most_searched = 3;
constexpr double least_calls = 0.01;  // of all ranks' time
constexpr std::size_t most_symptoms = 5;
constexpr std::size_t most_sampled = 5;
constexpr double seldom = 0.25;  // of the times, at most: most of what they have more comes in few of them

/// Of values by site: the greatest ones that are `least` at least, and more than 0.
template <class Value>
std::vector<Index> greatest(std::vector<std::pair<Value, Index>> all, double least, std::size_t most) {
  std::erase_if(all, [&](const auto& one) { return one.first <= 0 || static_cast<double>(one.first) < least; });
  std::ranges::sort(all, std::greater{});
  if (all.size() > most) all.resize(most);
  std::vector<Index> sites;
  for (const auto& [value, site] : all) sites.push_back(site);
  return sites;
}

/// Of each function the dearest line.
void add_samples(const Names& names, const SampleSums& samples, const CauseSum& cause, formats::waits::Cause& row) {
  struct Function {
    std::int64_t ns = 0;
    std::map<int, std::int64_t> lines;
    Index site = none;
    std::int64_t most = 0;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Function> functions;
  for (const auto& [site, sum] : samples.of(cause.pieces, row.ranks)) {
    row.sample_count += sum.samples;
    const formats::SourcePosition& at = names.places[site].at;
    Function& function = functions[{at.object, at.file, at.caller}];
    function.ns += sum.ns;
    std::int64_t& line = function.lines[at.line];
    line += sum.ns;
    if (line <= function.most) continue;
    function.most = line;
    function.site = site;
  }
  std::vector<formats::waits::Sampled>& all = row.samples;
  for (const auto& [name, function] : functions)
    all.push_back({names.places[function.site].at, seconds_of(function.ns)});
  std::ranges::stable_sort(all, std::greater{}, &formats::waits::Sampled::time);
  for (std::size_t i = most_sampled; i < all.size(); ++i) row.other_samples += all[i].time;
  if (all.size() > most_sampled) all.resize(most_sampled);
}

formats::waits::Cause row_of(const Names& names, const CauseSum& cause, const WorkSums& work, int size,
                             const SampleSums& samples) {
  formats::waits::Cause row;
  row.kind = is_start(cause) ? "start" : cause.is_usual ? "usual_work" : is_work(cause) ? "work" : "communication";
  row.ranks = all_ranks_of(cause, work, size);
  row.from = names.place(cause.piece.from);
  row.to = names.place(cause.piece.to);
  row.region = names.regions[cause.region];
  row.cost = 1e-9 * cause.cost_ns;
  row.times = cause.times;
  const TimeSpent spent = spent_on(compared(cause, row.ranks, work), row.ranks, work);
  row.own = spent.own;
  row.elsewhere = spent.elsewhere;
  row.seldom = is_work(cause) && work.spread_of_excess(cause.piece, row.ranks) <= seldom;
  add_samples(names, samples, cause, row);
  for (const auto& [what, cost] : cause.symptoms)
    row.symptoms.push_back(
        {std::string(wait_names[static_cast<std::size_t>(what.first)]), names.place(what.second), 1e-9 * cost});
  std::ranges::stable_sort(row.symptoms, std::greater{}, &formats::waits::Symptom::cost);
  if (row.symptoms.size() > most_symptoms) row.symptoms.resize(most_symptoms);
  return row;
}

}  // namespace

std::vector<const CauseSums::Of*> CauseSums::dearest() const {
  std::vector<const Of*> all;
  for (const auto& [piece, of] : causes_) all.push_back(&of);
  std::ranges::stable_sort(all, std::greater{}, [](const Of* of) { return of->sum.cost_ns; });
  return all;
}

/// Start and end of the run are not calls that a program could do without.
std::vector<Index> CauseSums::dearest_calls() const {
  std::vector<std::pair<std::int64_t, Index>> sums;
  for (const auto& [site, of] : sites_) sums.emplace_back(of.ns, site);
  return greatest(std::move(sums), least_calls * static_cast<double>(run_ns_), most_free);
}

std::vector<Index> CauseSums::longest_begun() const {
  std::vector<std::pair<double, Index>> sums;
  for (const auto& [site, of] : sites_) sums.emplace_back(of.begun_s, site);
  return greatest(std::move(sums), least_calls * lanes_s_, most_transfers);
}

std::vector<Index> CauseSums::longest_searched() const {
  std::vector<std::pair<std::int64_t, Index>> sums;
  for (const auto& [site, of] : sites_) sums.emplace_back(of.searches.excess_ns, site);
  return greatest(std::move(sums), least_calls * static_cast<double>(run_ns_), most_searched);
}

void CauseSums::add(Figures& section, const std::optional<Prediction>& ideal, int threads) {
  Questions questions;
  add_causes(section, questions);
  add_named(section, ideal, questions);
  add_calls(section, questions);
  add_begun(section, questions);
  add_searches(section, questions);
  section.predictions.answer(questions, threads);
}

void CauseSums::ask(const Figures& section, Change change, Difference& sum, Questions& questions) {
  questions.push_back({std::move(change), [&](const Prediction& predicted) { sum += difference(section, predicted); }});
}

void CauseSums::add_named(const Figures& section, const std::optional<Prediction>& ideal, Questions& questions) {
  static_assert(std::string_view(named_changes.front().name) == "ideal_network");
  changes_.resize(named_changes.size());
  if (ideal) {
    changes_.front().first += difference(section, *ideal);
    changes_.front().second = true;
  }
  for (std::size_t i = ideal ? 1 : 0; i < changes_.size(); ++i)
    if (auto change = named_changes[i].of(section.changes)) {
      ask(section, std::move(*change), changes_[i].first, questions);
      changes_[i].second = true;
    }
}

/// Predicted are those that are the dearest by then.
void CauseSums::add_causes(const Figures& section, Questions& questions) {
  ++sections_;
  for (const CauseSum& cause : section.causes) {
    Of& of = causes_[key_of(cause)];
    of.sum.add(cause);
    if (std::exchange(of.last_section, sections_) != sections_) ++of.sections;
  }
  std::size_t place = 0;
  for (const Of* const of : dearest()) {
    if (of->sum.is_usual) continue;
    if (place++ == most_predicted) return;
    if (!is_start(of->sum)) predict(section, causes_.at(key_of(of->sum)), questions);
  }
}

/// Where none has more work than the others, it would be as long on the others.
void CauseSums::predict(const Figures& section, Of& cause, Questions& questions) {
  Whole whole{&cause, cause.sum, false};
  for (const CauseSum& other : section.causes) whole.take(other, section.work);
  const auto& [of, sum, has_links] = whole;
  const std::vector<int> ranks = all_ranks_of(sum, section.work, section.graph.size);
  const Pieces pieces = compared(sum, ranks, section.work);
  const double ratio = spent_on(pieces, ranks, section.work).ratio(ranks.size());
  const bool is_turn_asked = may_be_in_turn(sum, ratio, are_most(ranks, section.graph.size), has_links);
  const std::size_t has_it = cause.last_section == sections_ ? 1 : 0;
  if (is_turn_asked) {
    ask(section, section.changes.without_waiting(sites_of_order(sum, section.graph.sites.size())),
        cause.unwaited_difference, questions);
    cause.unwaited_replayed += has_it;
  }
  if (!is_turn_asked || ratio >= even) {
    const bool is_of_most =
        are_most(ranks, section.graph.size) && ratio * same_work > 1;  // the others could not take it
    const bool is_for_all = is_of_most || is_graded(sum, pieces, ranks, section.work, section.graph.size);
    ask(section, is_for_all ? section.changes.evenly(pieces) : section.changes.as_the_others(pieces, ranks),
        cause.difference, questions);
    cause.replayed += has_it;
  }
  if (is_sent_late(sum)) {
    cause.sent_first_replayed += has_it;
    if (auto change = section.changes.sent_first(pieces, ranks)) {
      ask(section, std::move(*change), cause.sent_first_difference, questions);
      cause.is_sent_after = true;
    }
  }
  cause.is_predicted = true;
}

/// In turn, if that is what costs: more than what one has beyond the others, or most of what is waited. Which replays a
/// section gets is decided by what is known by then: of one that some sections lack, the sum is no prediction.
void CauseSums::fill_prediction(const Whole& cause, const RunTime& run, int ranks, formats::waits::Cause& row) {
  const Of& of = *cause.of;
  const double ratio = TimeSpent{row.own, row.elsewhere}.ratio(row.ranks.size());
  const bool are_more = are_most(row.ranks, ranks);
  const double gain = -of.unwaited_difference.seconds;
  row.in_turn = may_be_in_turn(cause.sum, ratio, are_more, cause.has_links) &&
                (ratio < even || gain > -of.difference.seconds || (are_more && 2 * gain * ranks >= row.cost));
  if ((row.in_turn ? of.unwaited_replayed : of.replayed) != of.sections) return;
  const Prediction predicted = run.with(row.in_turn ? of.unwaited_difference : of.difference);
  row.predicted_run = predicted.run_s;
  row.error = predicted.error_s;
  if (row.in_turn || !of.is_sent_after || of.sent_first_replayed != of.sections) return;
  const Prediction sent_first = run.with(of.sent_first_difference);
  row.sent_first_run = sent_first.run_s;
  row.sent_first_error = sent_first.error_s;
}

void CauseSums::add_calls(const Figures& section, Questions& questions) {
  const Graph& graph = section.graph;
  for (const Lane& lane : graph.lanes) {
    run_ns_ += lane.is_main ? graph.end_ns - graph.begin_ns : 0;
    lanes_s_ += graph.run_s();
    for (Index node = lane.first + 1; node < lane.last - (lane.is_whole ? 1 : 0); ++node)
      sites_[graph.nodes[node].site].ns += section.waits.transfer_ns(graph, node);
  }
  for (const auto& [node, made_at] : section.changes.entailed())
    sites_[made_at].entailed_ns += section.waits.transfer_ns(graph, node);
  for (const Index site : dearest_calls()) {
    ask(section, section.changes.free_calls(section.changes.only(site)), sites_[site].free, questions);
    sites_[site].is_free_known = true;
  }
}

void CauseSums::add_begun(const Figures& section, Questions& questions) {
  for (const auto& [seconds, site] : section.changes.begun()) sites_[site].begun_s += seconds;
  for (const Index site : longest_begun()) {
    Site& of = sites_[site];
    if (std::optional<Change> overlapped = section.changes.overlapped(site)) {
      ask(section, std::move(*overlapped), of.overlapped, questions);
      of.is_overlap_known = true;
    }
    ask(section, section.changes.eager(section.changes.only(site)), of.eager, questions);
    of.is_begun_known = true;
  }
}

void CauseSums::add_searches(const Figures& section, Questions& questions) {
  for (const Search& search : section.queues.searches()) {
    Searches& searches = sites_[section.graph.nodes[search.node].site].searches;
    ++searches.count;
    searches.longest = std::max(searches.longest, search.length);
    searches.excess_ns += search.excess_ns;
    searches.by_rank[section.graph.rank(search.node)] += search.excess_ns;
  }
  for (const Index site : longest_searched()) {
    ask(section, section.changes.expected_messages(site), sites_[site].expected, questions);
    sites_[site].is_expected_known = true;
  }
}

bool CauseSums::Whole::take(const CauseSum& other, const WorkSums& work) {
  if (key_of(other) == key_of(of->sum)) return false;
  const bool is_link = are_links(other, of->sum, work);
  if (!is_link && !is_branch(other, of->sum, work)) return false;
  sum.add(other);
  has_links = has_links || is_link;
  return true;
}

/// Each cause is compared with the dearest ones before it.
std::vector<CauseSums::Whole> CauseSums::put_together(const WorkSums& work) const {
  std::vector<Whole> all;
  for (const Of* const of : dearest()) {
    const auto before = std::span(all).first(std::min(all.size(), most_causes));
    if (std::ranges::none_of(before, [&](Whole& whole) { return whole.take(of->sum, work); }))
      all.push_back({of, of->sum, false});
  }
  std::ranges::stable_sort(all, std::greater{}, [](const Whole& one) { return one.sum.cost_ns; });
  return all;
}

void CauseSums::fill_causes(const Names& names, const RunTime& run, const WorkSums& work, const SampleSums& samples,
                            Summary& summary) const {
  const std::vector<Whole> all = put_together(work);
  double cost = 0;
  for (const Whole& one : all) cost += one.sum.cost_ns;
  std::size_t predicted = 0;
  for (const Whole& one : all) {
    if (summary.causes.size() == most_causes) {
      summary.other_causes += 1e-9 * one.sum.cost_ns;
      continue;
    }
    formats::waits::Cause& row = summary.causes.emplace_back(row_of(names, one.sum, work, summary.ranks, samples));
    row.share = cost > 0 ? one.sum.cost_ns / cost : 0;
    if (one.of->is_predicted && predicted++ < most_predicted) fill_prediction(one, run, summary.ranks, row);
  }
}

void CauseSums::fill(const Names& names, const RunTime& run, const WorkSums& work, const SampleSums& samples,
                     Summary& summary) const {
  fill_causes(names, run, work, samples, summary);
  summary.replayed = run.replayed();
  for (std::size_t i = 0; i < changes_.size(); ++i) {
    if (!changes_[i].second) continue;
    const Prediction predicted = run.with(changes_[i].first);
    summary.what_if.push_back({named_changes[i].name, predicted.run_s, predicted.error_s});
  }
  for (const Index site : dearest_calls()) {
    const Site& of = sites_.at(site);
    if (!of.is_free_known) continue;
    const Prediction predicted = run.with(of.free);
    summary.free_calls.push_back(
        {names.place(site), seconds_of(of.ns), seconds_of(of.entailed_ns), predicted.run_s, predicted.error_s});
  }
  for (const Index site : longest_begun()) {
    const Site& of = sites_.at(site);
    if (!of.is_begun_known) continue;
    const Prediction overlapped = of.is_overlap_known ? run.with(of.overlapped) : Prediction{};
    const Prediction eager = run.with(of.eager);
    summary.transfers.push_back(
        {names.place(site), of.begun_s, overlapped.run_s, overlapped.error_s, eager.run_s, eager.error_s});
  }
  for (const Index site : longest_searched()) {
    const Site& of = sites_.at(site);
    if (!of.is_expected_known) continue;
    const Prediction predicted = run.with(of.expected);
    summary.searches.push_back({names.place(site), ranks_of(of.searches.by_rank), of.searches.count,
                                of.searches.longest, seconds_of(of.searches.excess_ns), predicted.run_s,
                                predicted.error_s});
  }
}

}  // namespace cairn::waits
