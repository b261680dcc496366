// SPDX-License-Identifier: BSD-3-Clause
// records.cc - the fields of records, and from run.json and vars.json to records; other files have sources of their
// own.

#include "cli/advise/records.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "base/message.hpp"
#include "cli/advise/record_writer.hpp"
#include "cli/report/reading.hpp"
#include "cli/whatif/calls_left.hpp"
#include "formats/readers.hpp"
#include "formats/text.hpp"

namespace cairn::advise {

namespace {

using policy::Value;
using report::at;
using report::Json;

constexpr std::array all_fields = std::to_array<Field>({
    {"run", "mpi", "the MPI library: \"Open MPI 4.1.4\"", ""},
    {"run", "family", "\"Open MPI\", \"MPICH\"", ""},
    {"run", "cores", "processors of the first rank's node", ""},
    {"run", "ranks_on_node", "ranks on that node, if the launcher says so", ""},
    {"run", "ranks", "ranks of MPI_COMM_WORLD (profile or comm)", ""},
    {"run", "time", "seconds of an average rank, without MPI_Init (profile or waits)", ""},
    {"run", "mpi_time", "seconds in MPI of an average rank, without MPI_Init", "profile"},
    {"run", "mpi_share", "mpi_time over time", "profile"},
    {"run", "busy_time", "mpi_time without waiting for other ranks, if `waits` has told it", "profile"},
    {"run", "waiting", "seconds that an average rank waits for others in MPI, if `waits` has told it", ""},
    {"run", "unexpected",
     "seconds that the run would be shorter if no message came before its receive, if `waits` has told it", ""},
    {"run", "searching", "the greatest `cost` of a `search`", ""},
    {"run", "message_time",
     "seconds in calls that send, receive and complete messages, without waiting if `waits` has told it", "profile"},
    {"run", "message_rate", "the greatest rate of a place that sends or receives messages of 64 KiB and more",
     "profile"},
    {"run", "late_time", "seconds that an average rank waits for the last one in collective calls", "profile"},
    {"run", "last_rank", "the rank that causes most of that, if one stands out", "profile"},
    {"run", "last_share", "which part of it", "profile"},
    {"run", "work_mean", "seconds outside MPI of an average rank, if one thread calls MPI", "profile"},
    {"run", "work_max", "the same of the busiest rank", "profile"},
    {"run", "work_others", "the same of an average one of the others", "profile"},
    {"run", "busiest_rank", "which one that is", "profile"},
    {"run", "meeting_place", "where the others wait longest: \"MPI_Barrier at heat3d.c:280 step\"", "profile"},
    {"run", "meeting_file", "the file of that place, if known", "profile"},
    {"run", "meeting_line", "its line", "profile"},
    {"run", "meeting_caller", "the program's function there", "profile"},
    {"run", "run_delay", "seconds that an average rank was ready to run and had no processor", "profile"},
    {"run", "run_delay_max", "the same of the rank with most", "profile"},
    {"run", "busiest_delay", "the same of the busiest rank, for which others wait", "profile"},
    {"run", "involuntary_switches", "how often all ranks together had to leave a processor", "profile"},
    {"run", "nodes", "nodes, if those of all ranks are known", "comm"},
    {"run", "tiny_time", "what all tiny messages cost an average rank, by their part of all messages", "comm"},
    {"run", "bytes_within", "bytes sent between ranks of one node, point to point, if the nodes of all are known",
     "comm"},
    {"run", "bytes_between", "the same between nodes", "comm"},
    {"run", "bytes_between_placed", "the same if the ranks were placed by it on these nodes", "comm"},
    {"call", "function", "an MPI function", "profile"},
    {"call", "category", "what it does: \"collective\", \"io\" (include/cairn/roles.hpp)", "profile"},
    {"call", "only_rank", "the rank that makes all of the calls, if it is one", "profile"},
    {"call", "calls", "calls of all ranks", "profile"},
    {"call", "calls_per_rank", "calls of the rank with most", "profile"},
    {"call", "calls_text", "\"1,000 calls per rank\", \"400,000 calls on rank 3\"", "profile"},
    {"call", "time", "seconds of an average rank", "profile"},
    {"call", "busy", "the same without waiting for other ranks, if `waits` has told it", "profile"},
    {"call", "time_max", "seconds of the rank with most", "profile"},
    {"call", "share", "of the run's time", "profile"},
    {"call", "imbalance", "time_max over the average of the ranks that call it, less one", "profile"},
    {"call", "mean_time", "seconds per call", "profile"},
    {"call", "algorithm", "the control variable of the library that chooses its algorithm", "profile"},
    {"call", "chosen", "the value that the run gave it, if it did", "profile"},
    {"call", "is_chosen", "1 if the run did", "profile"},
    {"call", "rate", "bytes per second and rank, without waiting for other ranks, if `waits` has told it", "profile"},
    {"call", "sent", "bytes sent by all ranks", "profile"},
    {"call", "mean_bytes", "bytes per call, sent or received", "profile"},
    {"call", "overlap", "part of the transfers' time that was not waited for", "profile"},
    {"call", "waited",
     "seconds that an average rank waited for its transfers, at most what it spent in MPI_Wait... and MPI_Test...",
     "profile"},
    {"site", "place", "where in the program: \"heat3d.c:280 exchange_halo\"", "profile"},
    {"site", "file", "the file of that place, if known", "profile"},
    {"site", "line", "its line", "profile"},
    {"site", "caller", "the program's function there", "profile"},
    {"site", "function", "and the other fields of call, for this place alone", "profile"},
    {"site", "entailed",
     "calls that free communicators made there, or make others from them, which are part of `busy`, as words: \", 120 "
     "ms more to free what they make, or to make others from it\"; \"\": none, or not known",
     ""},
    {"site", "freed",
     "seconds that the run would be shorter if these calls and those that receive their messages took no time, if "
     "`waits` has told it",
     ""},
    {"site", "overlapped",
     "the same if the work after the calls that complete its transfers were done meanwhile, if `waits` has told it",
     ""},
    {"site", "eager", "the same if messages sent there did not need their receiver, if `waits` has told it", ""},
    {"cause", "kind", "what others wait for: a kind of findings (--kinds)", "waits"},
    {"cause", "ranks", "that cause it", "waits"},
    {"cause", "who", "the same as words: \"rank 3\"", "waits"},
    {"cause", "what", "\"between MPI_Recv at heat3d.c:120 step and MPI_Send at heat3d.c:131 step\"", "waits"},
    {"cause", "reason", "the same as words: \"work between ...\", or \"time in MPI_Recv at heat3d.c:120 step\"",
     "waits"},
    {"cause", "cost", "seconds that an average rank waits because of it", "waits"},
    {"cause", "share", "of all waiting", "waits"},
    {"cause", "own", "seconds that one of these ranks spends there", "waits"},
    {"cause", "elsewhere", "seconds that another rank spends there", "waits"},
    {"cause", "compared", "the two as words: \"1.20 s, where another rank needs 300 ms\"", "waits"},
    {"cause", "times", "that somebody waited for it", "waits"},
    {"cause", "predicted",
     "seconds of the run if these ranks spent as much there as the others; if they work in turn, if nobody waited for "
     "it",
     "waits"},
    {"cause", "error", "the error of that, in seconds", "waits"},
    {"cause", "gain", "what the run gains by that; its cost, where nothing is predicted", "waits"},
    {"cause", "sent_first",
     "the run time if messages left before that work, as words: \" (2.53 s if before that work)\"; \"\": no "
     "shorter",
     "waits"},
    {"cause", "sampled", "the function of the program that takes most of it, if sampled", "waits"},
    {"cause", "wait", "the kind of wait (docs/waits.md) that most of it is", "waits"},
    {"cause", "felt", "where most of that waiting is: \"MPI_Recv at heat3d.c:120 step\"", "waits"},
    {"cause", "file", "the file of that place, if known", "waits"},
    {"cause", "line", "its line", "waits"},
    {"cause", "caller", "the program's function there", "waits"},
    {"search", "place", "where messages are received that lie among many others: \"MPI_Recv at heat3d.c:120 step\"",
     "waits"},
    {"search", "file", "the file of that place, if known", "waits"},
    {"search", "line", "its line", "waits"},
    {"search", "caller", "the program's function there", "waits"},
    {"search", "ranks", "that search longest", "waits"},
    {"search", "who", "the same as words: \"rank 3\"", "waits"},
    {"search", "receives", "of such messages", "waits"},
    {"search", "longest", "messages that lie there at most", "waits"},
    {"search", "own", "seconds that one of these ranks searches", "waits"},
    {"search", "cost", "seconds that an average rank searches, or waits for those who do", "waits"},
    {"search", "predicted", "seconds of the run if these receives found few messages", "waits"},
    {"search", "error", "the error of that, in seconds", "waits"},
    {"search", "gain", "what the run gains by that", "waits"},
    {"pair", "from", "a sending rank", "comm"},
    {"pair", "to", "the receiving rank", "comm"},
    {"pair", "messages", "point to point, that way", "comm"},
    {"pair", "bytes", "in them", "comm"},
    {"pair", "mean_bytes", "per message", "comm"},
    {"pair", "time", "their part of run.message_time, by their number", "comm"},
    {"pair", "tiny", "1 if they are more than 10,000, and of less than 256 bytes on average", "comm"},
    {"pair", "file", "of the call that sends them, where only one can", "comm"},
    {"pair", "line", "its line", "comm"},
    {"pair", "caller", "the program's function there", "comm"},
    {"pair", "freed",
     "seconds that the run would be shorter without the time of all tiny messages sent there, if `waits` has told it",
     ""},
    {"pair", "between", "1 if the two are on different nodes", "comm"},
    {"pattern", "name", "a collective that point-to-point messages amount to: \"MPI_Alltoall\", \"MPI_Bcast\"...",
     "comm"},
    {"pattern", "root", "its root; -1 if there is none", "comm"},
    {"pattern", "at_root", "\" with root 0\", or \"\" if there is none", "comm"},
    {"pattern", "ranks", "ranks that take part", "comm"},
    {"pattern", "messages", "messages", "comm"},
    {"pattern", "rounds", "messages of a pair", "comm"},
    {"pattern", "bytes", "bytes", "comm"},
    {"pattern", "time", "their part of run.message_time, by their number", "comm"},
    {"pattern", "spared",
     "the part of their steps that the collective does without, as a tree: 1 - log2(ranks) / (ranks - 1)", "comm"},
    {"pattern", "freed",
     "seconds that the run would be shorter without the time of these messages, if `waits` has told it", ""},
    {"pattern", "file", "of the call that sends them, where only one can", "comm"},
    {"pattern", "line", "its line", "comm"},
    {"pattern", "caller", "the program's function there", "comm"},
    {"setting", "NAME",
     "the value that environment or parameter files give a control variable (mpi_yield_when_idle), or UCX_...", ""},
    {"variable", "name", "a performance variable of MPI_T", "vars"},
    {"variable", "class", "its class", "vars"},
    {"variable", "value", "at the end, the greatest of any rank", "vars"},
    {"variable", "most", "of levels and watermarks: the greatest that was read", "vars"},
    {"variable", "total", "of counters, timers and aggregates: what all calls added", "vars"},
});

/// As MPI libraries understand it: switches are 1 and 0, numbers may end with k, m or g.
Value value_of(const std::string& text) {
  for (const char* word : {"true", "t", "yes", "y", "enabled"})
    if (text == word) return Value::number(1);
  for (const char* word : {"false", "f", "no", "n", "disabled"})
    if (text == word) return Value::number(0);
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{}) return Value::words(text);
  if (rest == end) return Value::number(number);
  constexpr std::string_view letters = "kmg";
  const auto place = letters.find(static_cast<char>(std::tolower(static_cast<unsigned char>(*rest))));
  if (rest + 1 != end || place == std::string_view::npos) return Value::words(text);
  return Value::number(number * std::pow(1024.0, static_cast<double>(place + 1)));
}

void read_run(const formats::run::Summary& run, Records& out) {
  Writer writer(out.run, "run");
  writer.put("mpi", run.mpi);
  writer.put("family", run.mpi.substr(0, run.mpi.rfind(' ')));
  if (run.cores > 0) writer.put("cores", static_cast<double>(run.cores));
  if (run.ranks_on_host > 0) writer.put("ranks_on_node", static_cast<double>(run.ranks_on_host));
  for (const auto& [name, value] : run.settings) out.run["setting." + name] = value_of(value);
  out.program = run.program;
}

void read_vars(const Json& file, Records& out) {
  const formats::vars::Summary vars = formats::read_vars(file);
  std::map<std::string, double> most;
  std::map<std::string, double> total;
  for (const formats::vars::Change& change : vars.changes) {
    most[change.variable] = std::max(most[change.variable], change.max);
    if (!std::isnan(change.total)) total[change.variable] += change.total;
  }
  for (const formats::vars::Variable& variable : vars.variables) {
    Writer writer(out.by_kind["variable"].emplace_back(), "variable");
    writer.put("name", variable.name);
    writer.put("class", variable.of_class);
    if (variable.value.is_known) writer.put("value", variable.value.max);
    writer.put("most", std::max(most[variable.name], variable.value.max));
    writer.put("total", total[variable.name]);
  }
}

/// What rules have set while the program ran is what it ended with.
void read_policy(const Json& file, Records& out) {
  formats::policy::Summary policy = formats::read_policy(file);
  std::ranges::stable_sort(policy.events, {}, &formats::policy::Event::last_s);
  for (const formats::policy::Event& event : policy.events)
    if (event.kind == "set" || event.kind == "settled" || event.kind == "taken back")
      if (!event.variable.empty() && !event.to.empty()) out.run["setting." + event.variable] = value_of(event.to);
}

/// What ranks have left of a run that came to no good end.
void read_calls(const std::string& folder, Records& out) {
  const auto left = cli::left_by_ranks(folder, [&](const Problem& problem) { out.warnings.push_back(problem); });
  if (!left) return;
  read_waits(Json::parse(file_text(*left)), out);
  out.tools.emplace_back("waits");
}

}  // namespace

std::span<const Field> fields() { return all_fields; }

const Value& value_in(const Record& record, std::string_view name) {
  static const Value unknown;
  const auto found = record.find(name);
  return found == record.end() ? unknown : found->second;
}

Records read_records(const std::string& folder) {
  report::check_folder(folder);
  Records out;
  formats::run::Summary run;
  const auto checked = [&](const std::string& file, auto read) {
    try {
      read(folder + "/" + file);
    } catch (const formats::Damaged& damage) {
      throw Problem("'" + folder + "/" + file + "' is damaged: " + damage.what(),
                    "running the program again with 'cairn run'");
    }
  };
  const auto read = [&](const std::string& tool, const std::string& file, const formats::Tag& tag, auto reader) {
    if (!std::filesystem::exists(folder + "/" + file)) return;
    try {
      checked(file, [&](const std::string& path) { reader(report::parse_result(path, run.identity, tag), out); });
      out.tools.push_back(tool);
    } catch (const report::OtherRun& problem) {
      out.warnings.push_back(problem);
    }
  };
  if (std::filesystem::exists(folder + "/run.json")) {
    checked("run.json",
            [&](const std::string& path) { run = formats::read_run(report::parse_file(path, formats::run_tag)); });
    read_run(run, out);
  }
  read("profile", "profile.json", formats::profile_tag, read_profile);
  read("waits", "waits.json", formats::waits_tag, read_waits);
  if (std::ranges::count(run.tools, "waits", &formats::run::Layer::tool) != 0 &&
      !std::filesystem::exists(folder + "/waits.json"))
    read_calls(folder, out);
  add_choices(out);
  out.library = installed_library(out.run);
  read("comm", "comm/comm.json", formats::comm_tag,
       [&](const Json& json, Records& to) { read_comm(json, folder + "/comm/comm.json", run, to); });
  read("vars", "vars.json", formats::vars_tag, read_vars);
  add_predictions(out);
  if (!out.tools.empty()) read("policy", "policy.json", formats::policy_tag, read_policy);
  if (out.tools.empty() && !out.warnings.empty())
    throw Problem(std::string("no advice: ") + out.warnings.front().what(), out.warnings.front().remedy);
  if (out.tools.empty())
    throw Problem("no advice: '" + folder + "' has no results of profile, waits, comm or vars",
                  "cairn run --tools profile,waits,comm PROGRAM");
  return out;
}

}  // namespace cairn::advise
