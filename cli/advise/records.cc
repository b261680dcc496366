// SPDX-License-Identifier: BSD-3-Clause
// records.cc - from profile.json, comm.json, vars.json and run.json to records.

#include "cli/advise/records.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/report/comm_data.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"

namespace cairn::advise {

namespace {

using policy::Value;
using report::at;
using report::Json;
using report::number_at;
using report::text_at;

constexpr std::array all_fields = std::to_array<Field>({
    {"run", "mpi", "the MPI library: \"Open MPI 4.1.4\"", ""},
    {"run", "family", "\"Open MPI\", \"MPICH\"", ""},
    {"run", "cores", "processors of the first rank's node", ""},
    {"run", "ranks_on_node", "ranks on that node, if the launcher tells", ""},
    {"run", "ranks", "ranks of MPI_COMM_WORLD (profile or comm)", ""},
    {"run", "time", "seconds of an average rank", "profile"},
    {"run", "mpi_time", "seconds in MPI of an average rank", "profile"},
    {"run", "late_time", "seconds that an average rank waits for the last one in collective calls", "profile"},
    {"run", "last_rank", "the rank that comes last most often", "profile"},
    {"run", "last_share", "in which part of the compared calls", "profile"},
    {"run", "work_mean", "seconds outside MPI of an average rank, if one thread calls MPI", "profile"},
    {"run", "work_max", "the same of the busiest rank", "profile"},
    {"run", "nodes", "nodes", "comm"},
    {"run", "bytes_within", "bytes sent between ranks of one node, point to point", "comm"},
    {"run", "bytes_between", "the same between nodes", "comm"},
    {"call", "function", "an MPI function", "profile"},
    {"call", "calls", "calls of all ranks", "profile"},
    {"call", "calls_per_rank", "calls of an average rank", "profile"},
    {"call", "time", "seconds of an average rank", "profile"},
    {"call", "time_max", "seconds of the rank with most", "profile"},
    {"call", "share", "of the run's time", "profile"},
    {"call", "imbalance", "time_max over the average of the ranks that call it, less one", "profile"},
    {"call", "mean_time", "seconds per call", "profile"},
    {"call", "sent", "bytes sent by all ranks", "profile"},
    {"call", "mean_bytes", "bytes per call, sent or received", "profile"},
    {"call", "overlap", "part of the transfers' time that was not waited for", "profile"},
    {"call", "waited",
     "seconds that an average rank waited for its transfers, at most what it spent in MPI_Wait... and MPI_Test...",
     "profile"},
    {"site", "place", "where in the program: \"heat3d.c:280 exchange_halo\"", "profile"},
    {"site", "function", "and the other fields of call, for this place alone", "profile"},
    {"pair", "from", "a sending rank", "comm"},
    {"pair", "to", "the receiving rank", "comm"},
    {"pair", "messages", "point to point, that way", "comm"},
    {"pair", "bytes", "in them", "comm"},
    {"pair", "mean_bytes", "per message", "comm"},
    {"pair", "between", "1 if the two are on different nodes", "comm"},
    {"pattern", "name", "a collective that point-to-point messages amount to: \"MPI_Alltoall\", \"MPI_Bcast\"...",
     "comm"},
    {"pattern", "root", "its root; -1 if there is none", "comm"},
    {"pattern", "ranks", "ranks that take part", "comm"},
    {"pattern", "messages", "messages", "comm"},
    {"pattern", "rounds", "messages of a pair", "comm"},
    {"pattern", "bytes", "bytes", "comm"},
    {"variable", "name", "a performance variable of MPI_T", "vars"},
    {"variable", "class", "its class", "vars"},
    {"variable", "value", "at the end, the greatest of any rank", "vars"},
    {"variable", "most", "of levels and watermarks: the greatest that was read", "vars"},
    {"variable", "total", "of counters, timers and aggregates: what all calls added", "vars"},
});

/// Puts values under "kind.field".
class Writer {
 public:
  Writer(Record& record, std::string kind) : record_(record), kind_(std::move(kind)) {}
  void put(const char* field, double value) {
    if (std::isfinite(value)) record_[kind_ + "." + field] = Value::number(value);
  }
  void put(const char* field, const std::string& text) { record_[kind_ + "." + field] = Value::words(text); }
  /// What the file does not have stays unknown.
  void put(const char* field, const Json& object, const char* key, double scale = 1) {
    if (const Json& value = at(object, key); value.is_number()) put(field, scale * value.get<double>());
  }

 private:
  Record& record_;
  std::string kind_;
};

void read_run(const Json& run, Records& out) {
  Writer writer(out.run, "run");
  const std::string mpi = text_at(run, "mpi");
  writer.put("mpi", mpi);
  writer.put("family", mpi.substr(0, mpi.rfind(' ')));
  writer.put("cores", run, "cores");
  writer.put("ranks_on_node", run, "ranks_on_host");
  out.program = text_at(run, "program");
}

/// Of a profile, what its calls are compared with.
struct Whole {
  double ranks;
  double run_s;          // of an average rank
  double completions_s;  // in calls that complete transfers, of an average rank
};

Whole whole_of(const Json& profile) {
  Whole whole{std::max(1.0, number_at(profile, "ranks")), number_at(at(profile, "run_time_s"), "mean"), 0};
  for (const Json& entry : at(profile, "functions"))
    if (const std::string name = text_at(entry, "name"); name.starts_with("MPI_Wait") || name.starts_with("MPI_Test"))
      whole.completions_s += number_at(at(entry, "time_s"), "total") / whole.ranks;
  return whole;
}

Record call_record(const Json& entry, const char* kind, const Whole& whole) {
  Record record;
  Writer writer(record, kind);
  const double calls = number_at(entry, "calls");
  const double total = number_at(at(entry, "time_s"), "total");
  const double sent = number_at(entry, "bytes_sent");
  const double received = number_at(entry, "bytes_received");
  writer.put("function", text_at(entry, entry.contains("name") ? "name" : "function"));
  writer.put("calls", calls);
  writer.put("calls_per_rank", calls / whole.ranks);
  writer.put("time", total / whole.ranks);
  writer.put("time_max", at(entry, "time_s"), "max");
  writer.put("share", total / whole.ranks / whole.run_s);
  writer.put("imbalance", entry, "imbalance");
  writer.put("mean_time", total / calls);
  writer.put("sent", sent);
  writer.put("mean_bytes", std::max(sent, received) / calls);
  if (const Json& transfers = at(entry, "transfers"); transfers.is_object()) {
    writer.put("overlap", transfers, "overlap");
    // The file's figure is a sum over transfers, of which one call may complete several.
    writer.put("waited", std::min(number_at(transfers, "waited_s") / whole.ranks, whole.completions_s));
  }
  return record;
}

void read_waiting(const Json& profile, double ranks, Writer& run) {
  const Json& waiting = at(profile, "waiting");
  run.put("late_time", waiting, "time_s", 1 / ranks);
  const Json& last = at(waiting, "last_ranks");
  if (!last.is_array() || last.empty() || !last.front().is_array() || last.front().size() != 2) return;
  run.put("last_rank", last.front()[0].get<double>());
  run.put("last_share", last.front()[1].get<double>() / number_at(waiting, "compared"));
}

void read_profile(const Json& profile, Records& out) {
  const Whole whole = whole_of(profile);
  Writer run(out.run, "run");
  run.put("ranks", whole.ranks);
  run.put("time", whole.run_s);
  run.put("mpi_time", at(profile, "mpi_time_s"), "mean");
  if (number_at(profile, "threads") == 1) {
    run.put("work_mean", at(profile, "own_time_s"), "mean");
    run.put("work_max", at(profile, "own_time_s"), "max");
  }
  read_waiting(profile, whole.ranks, run);
  for (const Json& entry : at(profile, "functions")) out.by_kind["call"].push_back(call_record(entry, "call", whole));
  for (const Json& entry : at(profile, "callsites")) {
    Record& record = out.by_kind["site"].emplace_back(call_record(entry, "site", whole));
    Writer(record, "site").put("place", report::place_of(entry));
  }
}

/// Messages between ranks, phases added up.
class Traffic {
 public:
  explicit Traffic(const report::comm::Data& data) : ranks_(data.ranks) {
    for (const report::comm::Phase& phase : data.phases)
      for (const report::comm::Flow& flow : phase.flows[report::comm::p2p])
        if (flow.from >= 0 && flow.to >= 0) pairs_[{flow.from, flow.to}].add(flow);
  }
  const auto& pairs() const { return pairs_; }

  /// A collective in disguise: every message of these pairs, about as many and as large for each.
  void find_patterns(std::vector<Record>& out) const {
    if (ranks_ < 4) return;
    Group all;
    std::map<int, Group> from;
    std::map<int, Group> to;
    for (const auto& [pair, volume] : pairs_)
      if (pair.first != pair.second)
        for (Group* const group : {&all, &from[pair.first], &to[pair.second]}) group->add(volume);
    if (add_pattern(out, "MPI_Alltoall", -1, all, static_cast<double>(ranks_) * (ranks_ - 1))) return;
    for (const auto& [rank, group] : from) add_pattern(out, "MPI_Bcast or MPI_Scatter", rank, group, ranks_ - 1);
    for (const auto& [rank, group] : to) add_pattern(out, "MPI_Gather or MPI_Reduce", rank, group, ranks_ - 1);
  }

 private:
  /// Pairs that may be a collective together.
  struct Group {
    report::comm::Volume sum;
    double least = INFINITY;  // messages of a pair
    double most = 0;
    double count = 0;  // pairs

    void add(const report::comm::Volume& volume) {
      ++count;
      sum.add(volume);
      least = std::min(least, volume.messages);
      most = std::max(most, volume.messages);
    }
  };

  bool add_pattern(std::vector<Record>& out, const char* name, int root, const Group& group, double wanted) const {
    if (group.count < wanted || group.most > 1.1 * group.least + 1) return false;
    Writer writer(out.emplace_back(), "pattern");
    writer.put("name", std::string(name));
    writer.put("root", root);
    writer.put("ranks", ranks_);
    writer.put("messages", group.sum.messages);
    writer.put("rounds", group.sum.messages / group.count);
    writer.put("bytes", group.sum.bytes);
    return true;
  }

  int ranks_;
  std::map<std::pair<int, int>, report::comm::Volume> pairs_;
};

void read_comm(const Json& file, Records& out) {
  const report::comm::Data data(file);
  const Traffic traffic(data);
  double within = 0;
  double between = 0;
  const auto node_of = [&](int rank) {
    return static_cast<std::size_t>(rank) < data.node_of.size() ? data.node_of[static_cast<std::size_t>(rank)] : 0;
  };
  for (const auto& [pair, volume] : traffic.pairs()) {
    const bool apart = node_of(pair.first) != node_of(pair.second);
    (apart ? between : within) += volume.bytes;
    Writer writer(out.by_kind["pair"].emplace_back(), "pair");
    writer.put("from", pair.first);
    writer.put("to", pair.second);
    writer.put("messages", volume.messages);
    writer.put("bytes", volume.bytes);
    writer.put("mean_bytes", volume.bytes / volume.messages);
    writer.put("between", apart ? 1 : 0);
  }
  traffic.find_patterns(out.by_kind["pattern"]);
  Writer run(out.run, "run");
  run.put("ranks", data.ranks);
  run.put("nodes", static_cast<double>(std::max<std::size_t>(1, data.nodes.size())));
  run.put("bytes_within", within);
  run.put("bytes_between", between);
}

void read_vars(const Json& file, Records& out) {
  std::map<std::string, double> most;
  std::map<std::string, double> total;
  for (const Json& change : at(file, "changes")) {
    const std::string name = text_at(change, "variable");
    most[name] = std::max(most[name], number_at(change, "max"));
    total[name] += number_at(change, "total");
  }
  for (const Json& variable : at(file, "variables")) {
    const std::string name = text_at(variable, "name");
    Writer writer(out.by_kind["variable"].emplace_back(), "variable");
    writer.put("name", name);
    writer.put("class", text_at(variable, "class"));
    writer.put("value", at(variable, "value"), "max");
    writer.put("most", std::max(most[name], number_at(at(variable, "value"), "max")));
    writer.put("total", total[name]);
  }
}

}  // namespace

std::span<const Field> fields() { return all_fields; }

Records read_records(const std::string& folder) {
  report::check_folder(folder);
  Records out;
  const auto read = [&](const std::string& tool, const std::string& file, void (*reader)(const Json&, Records&)) {
    if (!std::filesystem::exists(folder + "/" + file)) return;
    try {
      reader(report::parse_file(folder + "/" + file), out);
    } catch (const Json::exception&) {
      throw Problem("'" + folder + "/" + file + "' is damaged: a value is not of its kind",
                    "running the program again with 'cairn run'");
    }
    if (!tool.empty()) out.tools.push_back(tool);
  };
  read("", "run.json", read_run);
  read("profile", "profile.json", read_profile);
  read("comm", "comm/comm.json", read_comm);
  read("vars", "vars.json", read_vars);
  if (out.tools.empty())
    throw Problem("no advice: '" + folder + "' has no results of profile, comm or vars",
                  "cairn run --tools profile,comm,vars PROGRAM");
  return out;
}

}  // namespace cairn::advise
