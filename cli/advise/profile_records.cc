// SPDX-License-Identifier: BSD-3-Clause
// profile_records.cc - from profile.json to records

#include <algorithm>
#include <string_view>

#include "cli/advise/record_writer.hpp"
#include "cli/report/categories.hpp"
#include "cli/report/wording.hpp"
#include "formats/readers.hpp"

namespace cairn::advise {

namespace {

using namespace formats::profile;
using report::place_of;

const std::string& function_of(const FunctionSummary& function) { return function.name; }
const std::string& function_of(const CallSiteSummary& site) { return site.function; }

/// Of a profile, what its calls are compared with.
struct Whole {
  double ranks;
  double run_s;          // of an average rank, without MPI_Init
  double completions_s;  // in calls that complete transfers, of an average rank
  double messages_s;     // in calls that send, receive and complete messages, of an average rank
  bool waits_for_receives;
};

bool is_receive(std::string_view function) {
  return function.starts_with("MPI_Irecv") || function.starts_with("MPI_Imrecv");
}

/// A small message is sent when MPI_Isend returns: what MPI_Waitall waits for are the receives beside it.
bool waits_for_another(std::string_view function, double mean_bytes, const Whole& whole) {
  constexpr double surely_eager = 4096;
  return whole.waits_for_receives && mean_bytes <= surely_eager && function.starts_with("MPI_I") &&
         function.find("send") != std::string_view::npos && function.find("recv") == std::string_view::npos;
}

Whole whole_of(const Summary& profile) {
  Whole whole{std::max(1.0, static_cast<double>(profile.ranks)), profile.run_after_start(), 0, 0, false};
  for (const FunctionSummary& function : profile.functions) {
    const double time_s = function.time.total / whole.ranks;
    if (function.name.starts_with("MPI_Wait") || function.name.starts_with("MPI_Test")) whole.completions_s += time_s;
    if (report::is_point_to_point(function.name)) whole.messages_s += time_s;
    if (is_receive(function.name) && function.transfers.waited > 0) whole.waits_for_receives = true;
  }
  return whole;
}

/// Ranks may make very different numbers of calls.
std::string calls_text(const Amounts& amounts, const Whole& whole, double most) {
  const std::string number = report::count(static_cast<std::uint64_t>(most));
  if (amounts.ranks == 1 && whole.ranks > 1) return number + " calls on rank " + std::to_string(amounts.slowest_rank);
  const bool even = most * whole.ranks <= 1.05 * static_cast<double>(amounts.calls);
  return (even ? "" : "up to ") + number + " calls per rank";
}

void put_transfers(const std::string& function, const TransferAmounts& transfers, double mean_bytes, const Whole& whole,
                   Writer& writer) {
  if (transfers.completed == 0 || waits_for_another(function, mean_bytes, whole)) return;
  writer.put("overlap", transfers.overlap());
  // The file's figure is a sum over transfers, of which one call may complete several.
  writer.put("waited", std::min(transfers.waited / whole.ranks, whole.completions_s));
}

Record call_record(const std::string& function, const Amounts& amounts, const char* kind, const Whole& whole) {
  Record record;
  Writer writer(record, kind);
  const auto calls = static_cast<double>(amounts.calls);
  const auto sent = static_cast<double>(amounts.bytes_sent);
  const double total = amounts.time.total;
  const double most = amounts.calls_max > 0 ? static_cast<double>(amounts.calls_max) : calls / whole.ranks;
  writer.put("function", function);
  writer.put("category", std::string(report::category_name(function)));
  if (amounts.ranks == 1) writer.put("only_rank", amounts.slowest_rank);
  writer.put("calls", calls);
  writer.put("calls_per_rank", most);
  writer.put("calls_text", calls_text(amounts, whole, most));
  writer.put("time", total / whole.ranks);
  writer.put("busy", total / whole.ranks);
  writer.put("share", total / whole.ranks / whole.run_s);
  if (amounts.time.is_known) {
    writer.put("time_max", amounts.time.max);
    writer.put("imbalance", imbalance(amounts.time));
  }
  writer.put("mean_time", total / calls);
  writer.put("sent", sent);
  const double mean_bytes = std::max(sent, static_cast<double>(amounts.bytes_received)) / calls;
  writer.put("mean_bytes", mean_bytes);
  put_transfers(function, amounts.transfers, mean_bytes, whole, writer);
  return record;
}

void read_waiting(const Waiting& waiting, double ranks, Writer& run) {
  if (waiting.compared == 0) return;
  run.put("late_time", waiting.time / ranks);
  if (waiting.late_rank < 0) return;
  run.put("last_rank", waiting.late_rank);
  for (const auto& [rank, seconds] : waiting.causes)
    if (rank == waiting.late_rank) run.put("last_share", seconds / waiting.time);
}

bool may_wait(const std::string& function) {
  return report::waits_for_others(function) || (report::is_point_to_point(function) && !function.starts_with("MPI_I"));
}

/// Where ranks wait for the busiest one: the call in which the least time on a rank is furthest below the mean.
template <class Calls>
const auto* find_meeting_place(const Calls& calls) {
  double most = 0;
  decltype(&calls.front()) found = nullptr;
  for (const auto& call : calls) {
    const double spared = call.time.mean - call.time.min;
    if (spared <= most || !may_wait(function_of(call))) continue;
    most = spared;
    found = &call;
  }
  return found;
}

void put_meeting_place(const Summary& profile, Writer& run) {
  if (const CallSiteSummary* const site = find_meeting_place(profile.sites)) {
    run.put("meeting_place", site->function + " at " + place_of(site->place));
    put_place(site->place, "meeting_file", "meeting_line", "meeting_caller", run);
  } else if (const FunctionSummary* const function = find_meeting_place(profile.functions)) {
    run.put("meeting_place", function->name);
  }
}

void read_work(const Summary& profile, Writer& run) {
  if (profile.run_delay.is_known) {
    run.put("run_delay", profile.run_delay.mean);
    run.put("run_delay_max", profile.run_delay.max);
    run.put("busiest_delay", profile.busiest_delay >= 0 ? profile.busiest_delay : profile.run_delay.max);
  }
  if (profile.involuntary_switches.is_known) run.put("involuntary_switches", profile.involuntary_switches.total);
  if (profile.threads != 1 || !profile.own_time.is_known) return;
  run.put("work_mean", profile.own_time.mean);
  run.put("work_max", profile.own_time.max);
  if (profile.ranks > 1) run.put("work_others", (profile.own_time.total - profile.own_time.max) / (profile.ranks - 1));
  if (profile.busiest_rank >= 0) run.put("busiest_rank", profile.busiest_rank);
}

}  // namespace

void put_place(const formats::SourcePosition& place, const char* file, const char* line, const char* caller,
               Writer& writer) {
  if (!place.file.empty()) writer.put(file, place.file);
  if (place.line > 0) writer.put(line, place.line);
  if (!place.caller.empty()) writer.put(caller, place.caller);
}

void read_profile(const report::Json& file, Records& out) {
  const Summary profile = formats::read_profile(file);
  const Whole whole = whole_of(profile);
  Writer run(out.run, "run");
  run.put("ranks", whole.ranks);
  run.put("time", whole.run_s);
  run.put("mpi_time", profile.mpi_after_start());
  run.put("mpi_share", profile.mpi_after_start() / profile.run_after_start());
  run.put("busy_time", profile.mpi_after_start());
  run.put("message_time", whole.messages_s);
  put_meeting_place(profile, run);
  read_work(profile, run);
  read_waiting(profile.waiting, whole.ranks, run);
  for (const FunctionSummary& function : profile.functions)
    if (!report::is_start_or_end(function.name))
      out.by_kind["call"].push_back(call_record(function.name, function, "call", whole));
  for (const CallSiteSummary& site : profile.sites) {
    if (report::is_start_or_end(site.function)) continue;
    Record& record = out.by_kind["site"].emplace_back(call_record(site.function, site, "site", whole));
    Writer writer(record, "site");
    writer.put("entailed", std::string());
    writer.put("place", place_of(site.place));
    put_place(site.place, "file", "line", "caller", writer);
  }
}

}  // namespace cairn::advise
