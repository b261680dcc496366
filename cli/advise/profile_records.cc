// SPDX-License-Identifier: BSD-3-Clause
// profile_records.cc - from profile.json to records

#include <algorithm>
#include <string_view>

#include "cli/advise/record_writer.hpp"
#include "cli/report/categories.hpp"
#include "cli/report/wording.hpp"

namespace cairn::advise {

namespace {

using report::at;
using report::Json;
using report::number_at;
using report::text_at;

std::string function_of(const Json& entry) { return text_at(entry, entry.contains("name") ? "name" : "function"); }

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

Whole whole_of(const Json& profile) {
  const double start_s = number_at(at(profile, "start_time_s"), "mean");
  Whole whole{std::max(1.0, number_at(profile, "ranks")), number_at(at(profile, "run_time_s"), "mean") - start_s, 0, 0,
              false};
  for (const Json& entry : at(profile, "functions")) {
    const std::string name = text_at(entry, "name");
    const double time_s = number_at(at(entry, "time_s"), "total") / whole.ranks;
    if (name.starts_with("MPI_Wait") || name.starts_with("MPI_Test")) whole.completions_s += time_s;
    if (report::is_point_to_point(name)) whole.messages_s += time_s;
    if (is_receive(name) && number_at(at(entry, "transfers"), "waited_s") > 0) whole.waits_for_receives = true;
  }
  return whole;
}

/// Ranks may make very different numbers of calls.
std::string calls_text(const Json& entry, const Whole& whole, double most) {
  const double ranks = number_at(entry, "ranks");
  const std::string number = report::count(static_cast<std::uint64_t>(std::max(0.0, most)));
  if (ranks == 1 && whole.ranks > 1) return number + " calls on rank " + at(entry, "slowest_rank").dump();
  const bool even = most * whole.ranks <= 1.05 * number_at(entry, "calls");
  return (even ? "" : "up to ") + number + " calls per rank";
}

Record call_record(const Json& entry, const char* kind, const Whole& whole) {
  Record record;
  Writer writer(record, kind);
  const double calls = number_at(entry, "calls");
  const double total = number_at(at(entry, "time_s"), "total");
  const double sent = number_at(entry, "bytes_sent");
  const double received = number_at(entry, "bytes_received");
  const std::string function = function_of(entry);
  const double calls_max = entry.contains("calls_max") ? number_at(entry, "calls_max") : calls / whole.ranks;
  writer.put("function", function);
  writer.put("calls", calls);
  writer.put("calls_per_rank", calls_max);
  writer.put("calls_text", calls_text(entry, whole, calls_max));
  writer.put("time", total / whole.ranks);
  writer.put("time_max", at(entry, "time_s"), "max");
  writer.put("share", total / whole.ranks / whole.run_s);
  writer.put("imbalance", entry, "imbalance");
  writer.put("mean_time", total / calls);
  writer.put("sent", sent);
  const double mean_bytes = std::max(sent, received) / calls;
  writer.put("mean_bytes", mean_bytes);
  if (const Json& transfers = at(entry, "transfers");
      transfers.is_object() && !waits_for_another(function, mean_bytes, whole)) {
    writer.put("overlap", transfers, "overlap");
    // The file's figure is a sum over transfers, of which one call may complete several.
    writer.put("waited", std::min(number_at(transfers, "waited_s") / whole.ranks, whole.completions_s));
  }
  return record;
}

void read_waiting(const Json& profile, double ranks, Writer& run) {
  const Json& waiting = at(profile, "waiting");
  run.put("late_time", waiting, "time_s", 1 / ranks);
  const Json& late = at(waiting, "late_rank");
  const Json& causes = at(waiting, "time_s_by_last_rank");
  if (!late.is_number() || !causes.is_array()) return;
  run.put("last_rank", late.get<double>());
  for (const Json& cause : causes)
    if (cause.is_array() && cause.size() == 2 && cause[0] == late)
      run.put("last_share", cause[1].get<double>() / number_at(waiting, "time_s"));
}

bool may_wait(const std::string& function) {
  return report::waits_for_others(function) || (report::is_point_to_point(function) && !function.starts_with("MPI_I"));
}

/// Where ranks wait for the busiest one: the call in which the least time on a rank is furthest below the mean.
void find_meeting_place(const Json& profile, Writer& run) {
  double most = 0;
  std::string place;
  const bool has_sites = !at(profile, "callsites").empty();
  for (const Json& call : at(profile, has_sites ? "callsites" : "functions")) {
    const Json& time = at(call, "time_s");
    const double spared = number_at(time, "mean") - number_at(time, "min");
    if (spared <= most || !may_wait(function_of(call))) continue;
    most = spared;
    place = function_of(call) + (has_sites ? " at " + report::place_of(call) : "");
  }
  if (!place.empty()) run.put("meeting_place", place);
}

void read_work(const Json& profile, Writer& run) {
  run.put("run_delay", at(profile, "run_delay_s"), "mean");
  run.put("run_delay_max", at(profile, "run_delay_s"), "max");
  run.put("involuntary_switches", at(profile, "involuntary_switches"), "total");
  if (number_at(profile, "threads") != 1) return;
  run.put("work_mean", at(profile, "own_time_s"), "mean");
  run.put("work_max", at(profile, "own_time_s"), "max");
  run.put("busiest_rank", profile, "busiest_rank");
  find_meeting_place(profile, run);
}

}  // namespace

void read_profile(const Json& profile, Records& out) {
  const Whole whole = whole_of(profile);
  Writer run(out.run, "run");
  run.put("ranks", whole.ranks);
  run.put("time", whole.run_s);
  run.put("mpi_time", number_at(at(profile, "mpi_time_s"), "mean") - number_at(at(profile, "start_time_s"), "mean"));
  run.put("message_time", whole.messages_s);
  read_work(profile, run);
  read_waiting(profile, whole.ranks, run);
  for (const Json& entry : at(profile, "functions"))
    if (!report::is_start_or_end(function_of(entry))) out.by_kind["call"].push_back(call_record(entry, "call", whole));
  for (const Json& entry : at(profile, "callsites")) {
    if (report::is_start_or_end(function_of(entry))) continue;
    Record& record = out.by_kind["site"].emplace_back(call_record(entry, "site", whole));
    Writer(record, "site").put("place", report::place_of(entry));
  }
}

}  // namespace cairn::advise
