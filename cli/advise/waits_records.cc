// SPDX-License-Identifier: BSD-3-Clause
// waits_records.cc - from waits.json to records: causes of waiting, and what the calls of profile take without it

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "cli/advise/record_writer.hpp"
#include "cli/report/categories.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"
#include "policy/policy.hpp"
#include "waits/wording.hpp"

namespace cairn::advise {

namespace {

using formats::waits::Cause;
using formats::waits::Symptom;
using formats::waits::Wait;
using WaitsSummary = formats::waits::Summary;  // of this file's name: sources are compiled together

/// Where a symptom is felt.
enum class Felt { receive, send, barrier, collective, one_sided };

Felt felt_of(const Symptom& symptom) {
  static const std::map<std::string, Felt, std::less<>> kinds = {
      {"late_sender", Felt::receive},       {"wrong_order", Felt::receive}, {"late_completion", Felt::receive},
      {"late_receiver", Felt::send},        {"late_fetch", Felt::send},     {"wait_at_barrier", Felt::barrier},
      {"wait_at_fence", Felt::one_sided},   {"late_post", Felt::one_sided}, {"late_complete", Felt::one_sided},
      {"lock_contention", Felt::one_sided},
  };
  if (symptom.kind == "late_completion" && symptom.place.function.starts_with("MPI_Win_")) return Felt::one_sided;
  const auto found = kinds.find(symptom.kind);
  return found == kinds.end() ? Felt::collective : found->second;
}

/// What a cause costs, by where it is felt.
std::map<Felt, double> costs_of(const Cause& cause) {
  std::map<Felt, double> costs;
  for (const Symptom& symptom : cause.symptoms) costs[felt_of(symptom)] += symptom.cost;
  return costs;
}

/// Where most of its cost is felt. In a call that does both, as MPI_Sendrecv, a late partner is late to send and to receive:
/// where the two are about as much, it is the message that is late.
Felt felt_of(const std::map<Felt, double>& costs) {
  constexpr double about = 0.8;
  if (costs.empty()) return Felt::collective;
  const auto most = std::ranges::max_element(costs, {}, [](const auto& cost) { return cost.second; });
  const auto received = costs.find(Felt::receive);
  const bool is_late_message =
      most->first == Felt::send && received != costs.end() && received->second >= about * most->second;
  return is_late_message ? Felt::receive : most->first;
}

const char* kind_of_felt(Felt felt) {
  if (felt == Felt::receive) return "late_sender";
  return felt == Felt::send ? "late_receiver" : "late_rank";
}

/// Of communication that took long.
const char* kind_of_call(const Cause& cause) {
  const std::string_view category = report::category_name(cause.from.function);
  if (category.starts_with("io") || category == "file") return "file_access";
  if (category == "communicator_creation") return "communicator_creation";
  if (category.starts_with("one_sided") || category.starts_with("window")) return "one_sided_sync";
  return report::waits_for_others(cause.from.function) ? "late_rank" : kind_of_felt(felt_of(costs_of(cause)));
}

/// Of work between two calls. Where other ranks have much of the same work it is uneven, unless these have more only now
/// and then; where none has more than they, it is the order of the work that makes them wait.
const char* kind_of_work(const Cause& cause) {
  constexpr double much = 0.3;
  const double own = cause.own / static_cast<double>(std::max<std::size_t>(1, cause.ranks.size()));
  constexpr double in_messages = 0.25;  // waited in turn: a chain of messages, whatever comes at its end
  std::map<Felt, double> costs = costs_of(cause);
  const Felt felt = felt_of(costs);
  double all = 0;
  for (const auto& [where, cost] : costs) all += cost;
  if (costs.contains(Felt::one_sided) && costs[Felt::one_sided] >= much * all) return "one_sided_sync";
  if (cause.in_turn) {
    const bool is_chain = costs[Felt::receive] + costs[Felt::send] >= in_messages * all;
    return felt == Felt::barrier && !is_chain ? "needless_barrier" : "serial_chain";
  }
  if (cause.elsewhere >= much * own && !cause.seldom) return "uneven_work";
  return kind_of_felt(felt);
}

/// Who causes it, as numbers and as words.
void put_ranks(const std::vector<int>& ranks, Writer& writer) {
  writer.put("ranks", std::vector<double>(ranks.begin(), ranks.end()));
  writer.put("who", formats::named_ranks(ranks));
}

std::string time_text(double seconds) {
  return policy::format_value(policy::Value::number(seconds), policy::Text::Unit::time);
}

/// How much of it these ranks have.
std::string compared(const Cause& cause, std::size_t all_ranks) {
  const double own = cause.own / static_cast<double>(std::max<std::size_t>(1, cause.ranks.size()));
  constexpr double least = 1e-9;  // s; what is shorter is left over from rounding
  const double elsewhere = cause.elsewhere < least ? 0 : cause.elsewhere;
  if (cause.ranks.size() < all_ranks)
    return time_text(own) + ", where another rank needs " + time_text(elsewhere) +
           (cause.seldom ? "; most of what is more comes in few of the times" : "");
  return time_text(own) + " on the average rank, with another rank last each time";
}

/// Predictions are about the replay, which need not take quite as long as the run.
/// Of a part of the run nothing is predicted: what would follow in the rest is unknown.
void put_gain(const WaitsSummary& waits, double predicted_run, double error, double cost, double run_s,
              Writer& writer) {
  if (waits.coverage.is_cut() || !(predicted_run > 0)) return writer.put("gain", cost);
  const double gain = waits.replayed - predicted_run;
  writer.put("gain", std::max(0.0, gain));
  writer.put("predicted", run_s - gain);
  writer.put("error", error);
}

/// What the run would take if messages left before the work; "" where that is no shorter, or unknown.
std::string sent_first_text(const WaitsSummary& waits, const Cause& cause, double run_s) {
  constexpr double worth = 0.005;  // of the run
  const double spared = waits.replayed - cause.sent_first_run;
  if (waits.coverage.is_cut() || !(spared >= worth * run_s)) return "";
  return formats::cat({" (", time_text(run_s - spared), " if before that work)"});
}

bool are_same(const formats::waits::Place& one, const formats::waits::Place& other) {
  return one.function == other.function && one.at.file == other.at.file && one.at.line == other.at.line &&
         one.at.caller == other.at.caller;
}
bool is_of(const formats::waits::Searches& searches, const Cause& cause) {
  return cause.kind == "communication" && are_same(cause.from, searches.place);
}
/// Of what a cause costs.
double part_of_searching(const formats::waits::Searches& searches, const Cause& cause) {
  return is_of(searches, cause) && cause.own > 0 ? std::min(1.0, searches.time / cause.own) : 0;
}
bool is_searching(const WaitsSummary& waits, const Cause& cause) {
  return std::ranges::any_of(waits.searches, [&](const formats::waits::Searches& searches) {
    return part_of_searching(searches, cause) >= 0.5;
  });
}

void add_search(const WaitsSummary& waits, const formats::waits::Searches& searches, Records& out) {
  Record& record = out.by_kind["search"].emplace_back();
  Writer writer(record, "search");
  put_ranks(searches.ranks, writer);
  writer.put("place", waits::call_text(searches.place));
  put_place(searches.place.at, "file", "line", "caller", writer);
  writer.put("receives", static_cast<double>(searches.receives));
  writer.put("longest", static_cast<double>(searches.longest));
  writer.put("own", searches.time / static_cast<double>(std::max<std::size_t>(1, searches.ranks.size())));
  double lost = searches.time;
  for (const Cause& cause : waits.causes) lost += part_of_searching(searches, cause) * cause.cost;
  const double cost = lost / static_cast<double>(waits.known_ranks());
  writer.put("cost", cost);
  double searching = value_in(out.run, "run.searching").front();
  if (!(searching >= cost)) searching = cost;
  Writer(out.run, "run").put("searching", searching);
  const double run_s = value_in(out.run, "run.time").front();
  put_gain(waits, searches.predicted_run, searches.error, cost, run_s, writer);
}

/// The start of MPI is no part of what advice is about, nor is a rank that only gives work to others or collects theirs; and
/// what is said of searching is not said again.
void add_cause(const WaitsSummary& waits, const Cause& cause, Records& out) {
  const bool may_wait_for_unknown = cause.kind == "communication" && waits.split.is_unclear();
  const double cost = cause.cost / static_cast<double>(waits.known_ranks());
  const bool is_no_loss = cause.kind == "start" || cause.kind == "usual_work";
  if (is_no_loss || may_wait_for_unknown || is_searching(waits, cause)) return;
  Record& record = out.by_kind["cause"].emplace_back();
  Writer writer(record, "cause");
  const char* const kind = cause.kind == "work" ? kind_of_work(cause) : kind_of_call(cause);
  writer.put("kind", std::string(kind));
  put_ranks(cause.ranks, writer);
  writer.put("what", waits::work_text(cause));
  writer.put("reason", (cause.kind == "work" ? "work " : "time ") + waits::work_text(cause));
  writer.put("cost", cost);
  writer.put("share", cause.share);
  writer.put("own", cause.own / static_cast<double>(std::max<std::size_t>(1, cause.ranks.size())));
  writer.put("elsewhere", cause.elsewhere);
  writer.put("compared", compared(cause, waits.known_ranks()));
  writer.put("times", static_cast<double>(cause.times));
  const double run_s = value_in(out.run, "run.time").front();
  put_gain(waits, cause.predicted_run, cause.error, cost, run_s, writer);
  writer.put("sent_first", sent_first_text(waits, cause, run_s));
  if (!cause.samples.empty()) writer.put("sampled", formats::place_text(cause.samples.front().at));
  if (cause.symptoms.empty()) return;
  const Symptom& symptom = *std::ranges::max_element(cause.symptoms, {}, &Symptom::cost);
  writer.put("wait", symptom.kind);
  writer.put("felt", waits::call_text(symptom.place));
  put_place(symptom.place.at, "file", "line", "caller", writer);
}

/// [function, file, line]: what waits.json and profile.json name alike
using Site = std::tuple<std::string, std::string, int>;

/// Seconds of an average rank in the calls that complete what one place has begun, without waiting. Of places that are
/// not listed it is less than of those that are.
class Completions {
 public:
  explicit Completions(const WaitsSummary& waits) : others_(least_listed * waits.run_time) {
    for (const formats::waits::Transfers& one : waits.transfers) {
      const double time = one.time / static_cast<double>(waits.known_ranks());
      times_[{one.place.function, one.place.at.file, one.place.at.line}] += time;
      others_ = std::min(others_, time);
    }
  }
  double of(const Site& site) const {
    const auto found = times_.find(site);
    return found == times_.end() ? others_ : found->second;
  }

 private:
  static constexpr double least_listed = 0.01;  // of the run

  std::map<Site, double> times_;
  double others_;
};

void lower(Record& record, const char* field, double by) {
  const auto found = record.find(field);
  if (found != record.end()) found->second = policy::Value::number(std::max(0.0, found->second.front() - by));
}

void limit(Record& record, const char* field, double most) {
  const auto found = record.find(field);
  if (found != record.end()) found->second = policy::Value::number(std::min(most, found->second.front()));
}

Site site_of(const Record& record) {
  const double line = value_in(record, "site.line").front();
  return {value_in(record, "site.function").text, value_in(record, "site.file").text,
          std::isfinite(line) ? static_cast<int>(line) : 0};
}

/// The calls' own time is what is left without waiting for others.
void take_waiting_away(const WaitsSummary& waits, Records& out) {
  const auto ranks = static_cast<double>(waits.known_ranks());
  std::map<Site, double> at_site;
  std::map<std::string, double> in_function;
  double messages = 0;
  for (const Wait& wait : waits.waits) {
    const double time = wait.time / ranks;
    at_site[{wait.place.function, wait.place.at.file, wait.place.at.line}] += time;
    in_function[wait.place.function] += time;
    if (report::is_point_to_point(wait.place.function)) messages += time;
  }
  std::map<Site, double> entailed;
  for (const formats::waits::FreeCalls& calls : waits.free_calls)
    entailed[{calls.place.function, calls.place.at.file, calls.place.at.line}] += calls.entailed / ranks;
  const Completions completions(waits);
  std::map<std::string, double> waited;  // for the transfers of a function
  for (Record& site : out.by_kind["site"]) {
    const Site place = site_of(site);
    const double more = entailed[place];
    lower(site, "site.busy", at_site[place] - more);
    if (more > 0)
      Writer(site, "site")
          .put("entailed",
               formats::cat({", ", time_text(more), " more to free what they make, or to make others from it"}));
    limit(site, "site.waited", completions.of(place));
    if (site.contains("site.waited")) waited[std::get<0>(place)] += value_in(site, "site.waited").front();
  }
  for (Record& call : out.by_kind["call"]) {
    const std::string& function = value_in(call, "call.function").text;
    lower(call, "call.busy", in_function[function]);
    if (const auto known = waited.find(function); known != waited.end()) limit(call, "call.waited", known->second);
  }
  lower(out.run, "run.message_time", messages);
  lower(out.run, "run.busy_time", waits.split.waiting / ranks);
}

/// Seconds that the run would be shorter. Of several calls of a function on one line, as where it is inlined in several
/// places, all are meant; of transfers that they begin, the greatest.
void add_changes(const WaitsSummary& waits, Records& out) {
  const auto spared = [&](double predicted) { return std::max(0.0, waits.replayed - predicted); };
  for (const formats::waits::FreeCalls& calls : waits.free_calls)
    if (!calls.place.at.file.empty()) {
      double& freed = out.freed[{calls.place.at.file, calls.place.at.line, calls.place.function}];
      freed = std::min(freed + spared(calls.predicted_run), waits.replayed);
    }
  for (const formats::waits::Transfers& one : waits.transfers) {
    Records::Transfers& here = out.transfers[{one.place.at.file, one.place.at.line}];
    if (one.overlapped_run > 0) here.overlapped_s = std::fmax(here.overlapped_s, spared(one.overlapped_run));
    here.eager_s = std::max(here.eager_s, spared(one.eager_run));
  }
  for (const formats::waits::WhatIf& one : waits.what_if)
    if (one.change == "expected_messages") Writer(out.run, "run").put("unexpected", spared(one.predicted_run));
}

/// What is known of a part of the run only, is not compared with what other tools have of all of it.
void tell_cut(const WaitsSummary& waits, Records& out) {
  out.warnings.emplace_back("causes of waiting: " + waits::analysed_text(waits.coverage) + "; nothing is predicted",
                            "cairn run --tools waits=calls:1048576:memory:0 PROGRAM");
}

/// Until the last rank is in MPI_Finalize, where the time that `profile` tells ends as the rank's own begins.
double waited_at_end(const WaitsSummary& waits) {
  double time = 0;
  for (const Wait& wait : waits.waits)
    if (wait.kind == "wait_at_finalize") time += wait.time;
  return time;
}

}  // namespace

void read_waits(const report::Json& file, Records& out) {
  const WaitsSummary waits = formats::read_waits(file);
  const auto ranks = static_cast<double>(waits.known_ranks());
  const double start_s = waits.split.start / ranks;
  Writer run(out.run, "run");
  run.put("ranks", static_cast<double>(std::max(1, waits.ranks)));
  const double run_s = waits.coverage.is_cut() ? waits.coverage.whole_run : waits.run_time;
  if (!out.run.contains("run.time")) run.put("time", run_s - start_s);
  else run.put("time", value_in(out.run, "run.time").front() + waited_at_end(waits) / ranks);
  for (const Cause& cause : waits.causes) add_cause(waits, cause, out);
  for (const formats::waits::Searches& searches : waits.searches) add_search(waits, searches, out);
  if (waits.coverage.is_cut()) return tell_cut(waits, out);
  run.put("waiting", waits.split.waiting / ranks);
  take_waiting_away(waits, out);
  add_changes(waits, out);
}

namespace {

/// Of a function's calls on that line; without one, of all that send or receive there. Not a number: unknown.
double freed_at(const Records& out, const std::pair<std::string, int>& place, const std::string& function) {
  double sum = NAN;
  for (auto of = out.freed.lower_bound({place.first, place.second, ""}); of != out.freed.end(); ++of) {
    const auto& [file, line, here] = of->first;
    if (std::pair(file, line) != place) break;
    if (function.empty() ? report::is_point_to_point(here) : here == function)
      sum = std::isnan(sum) ? of->second : sum + of->second;
  }
  return sum;
}

}  // namespace

/// What costs of tiny messages is all of them, and so is what is gained: whoever combines those of a line, does so for all
/// pairs.
void add_predictions(Records& out) {
  const double messages = value_in(out.run, "run.message_time").front();
  for (const std::string kind : {"site", "pair", "pattern"})
    for (Record& record : out.by_kind[kind]) {
      const double line = value_in(record, kind + ".line").front();
      if (!std::isfinite(line)) continue;
      const std::pair<std::string, int> place{value_in(record, kind + ".file").text, static_cast<int>(line)};
      Writer writer(record, kind);
      if (kind == "site") {
        if (const auto found = out.transfers.find(place); found != out.transfers.end()) {
          if (std::isfinite(found->second.overlapped_s)) writer.put("overlapped", found->second.overlapped_s);
          writer.put("eager", found->second.eager_s);
        }
        const double freed = freed_at(out, place, value_in(record, "site.function").text);
        if (!std::isnan(freed)) writer.put("freed", freed);
        continue;
      }
      const double freed = freed_at(out, place, "");
      const policy::Value& time =
          kind == "pair" ? value_in(out.run, "run.tiny_time") : value_in(record, "pattern.time");
      if (!std::isnan(freed)) writer.put("freed", freed * std::min(1.0, time.front() / messages));
    }
}

}  // namespace cairn::advise
