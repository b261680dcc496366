// SPDX-License-Identifier: BSD-3-Clause
// run_traces.cc - finding and opening the trace files of a run

#include "cli/trace/run_traces.hpp"

#include <algorithm>
#include <climits>
#include <filesystem>
#include <map>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"
#include "formats/run.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* try_trace = "a job that is started with 'cairn run --tools trace'";

void check_folder(const std::string& folder) {
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (error) throw Problem("no trace: '" + folder + "': " + error.message(), try_folder);
  if (!is_folder) throw Problem("no trace: '" + folder + "' is not a folder", try_folder);
}

/// What is wrong with traces, and with whose.
class Complaints {
 public:
  void add(const std::string& what, int rank) { ranks_[what].push_back(rank); }
  void add_to(std::vector<Problem>& warnings) const {
    for (const auto& [what, ranks] : ranks_) warnings.emplace_back(formats::named_ranks(ranks) + ": " + what);
  }

 private:
  std::map<std::string, std::vector<int>> ranks_;
};

void complain(Complaints& complaints, const trace::File& file) {
  const int rank = file.process().rank;
  const trace::End* const end = file.end();
  if (!file.process().choice.empty())
    complaints.add("the trace has only calls that were chosen: " + file.process().choice, rank);
  if (const std::uint64_t error_ns = file.process().error_ns; error_ns != 0)
    complaints.add("moments may be off by up to " + report::seconds(1e-9 * static_cast<double>(error_ns)) +
                       ", which 'precision' allowed",
                   rank);
  if (!file.damage().empty()) complaints.add("the trace is damaged: " + file.damage() + "; the rest is shown", rank);
  else if (end == nullptr)
    complaints.add("the trace ends without saying so: the process was killed or is still running", rank);
  if (end == nullptr) return;
  if (!end->how.empty()) complaints.add("the process has ended by " + end->how, rank);
  if (end->lost != 0)
    complaints.add(formats::plural(end->lost, "record") + " came faster than they could be written, and are lost",
                   rank);
  if (end->omitted != 0)
    complaints.add(formats::plural(end->omitted, "record") + " came after the limit of the trace's size", rank);
  if (end->left_out != 0) complaints.add("not all threads could be recorded", rank);
}

/// Why a file cannot be one of the run's traces, or "".
std::string reason_against(const trace::File& file, const std::string& identity, const RunTraces& run) {
  const trace::Process& process = file.process();
  if (process.rank < 0 && !file.damage().empty()) return "is damaged: " + file.damage();
  if (process.rank < 0) return "has nothing in it yet";
  if (!identity.empty() && !process.run.empty() && process.run != identity) return "is of another run, and left out";
  if (std::ranges::any_of(run.processes, [&](const auto& other) { return other->rank() == process.rank; }))
    return "is of rank " + std::to_string(process.rank) + " again, and left out";
  return "";
}

std::vector<where::Mapped> mapped_of(const trace::File& file) {
  std::vector<where::Mapped> all;
  for (const trace::Mapped& one : file.definitions().mapped) all.push_back({one.begin, one.end, one.bias, one.path});
  return all;
}

void complain_of_missing(const RunTraces& run, Complaints& complaints) {
  constexpr int most = 1 << 20;
  int size = 0;
  for (const auto& process : run.processes) size = std::max(size, std::min(process->file.process().size, most));
  std::vector<bool> is_there(static_cast<std::size_t>(size));
  for (const auto& process : run.processes)
    if (process->rank() >= 0 && process->rank() < size) is_there[static_cast<std::size_t>(process->rank())] = true;
  for (int rank = 0; rank < size; ++rank)
    if (!is_there[static_cast<std::size_t>(rank)]) complaints.add("there is no trace", rank);
}

}  // namespace

ProcessTrace::ProcessTrace(const std::string& path) : file(path), mapped(mapped_of(file)) {}

void RunTraces::align() {
  const std::string clock = processes.front()->file.clock();
  if (std::ranges::all_of(processes, [&](const auto& one) { return one->file.clock() == clock; })) return;
  warnings.emplace_back(
      "moments of different nodes are compared by the nodes' time of day, and as far apart as these differ");
  for (const auto& process : processes) process->shift_ns = process->file.time_of_day_ns();
}

std::vector<VariableValue> RunTraces::values_of(const ProcessTrace& process) const {
  const ProcessTrace& first = *processes.front();
  if (first.rank() != 0 || first.file.process().host != process.file.process().host) return {};
  return cli::values_of(variables, process.rank());
}

std::int64_t RunTraces::first_ns() const {
  std::int64_t first = INT64_MAX;
  for (const auto& process : processes) {
    const trace::Records records(process->file);
    if (const trace::Record* const record = records.now()) first = std::min(first, process->nanoseconds(record->entry));
  }
  return first == INT64_MAX ? 0 : first;
}

RunTraces read_traces(const std::string& folder, const std::string& ranks) {
  check_folder(folder);
  const std::vector<std::string> paths = trace::files_in(folder + "/trace");
  if (paths.empty()) throw Problem("the run of '" + folder + "' has left no trace", try_trace, "'" + folder + "'");
  const std::string identity = formats::run::of_folder(folder).identity;
  const std::vector<int> wanted = formats::ranks_of(ranks, 1 << 20);
  RunTraces run;
  Complaints complaints;
  for (const std::string& path : paths) try {
      auto process = std::make_unique<ProcessTrace>(path);
      if (const std::string why = reason_against(process->file, identity, run); !why.empty()) {
        run.warnings.emplace_back("'" + path + "' " + why);
        continue;
      }
      if (!ranks.empty() && std::ranges::find(wanted, process->rank()) == wanted.end()) continue;
      complain(complaints, process->file);
      run.processes.push_back(std::move(process));
    } catch (const Problem& problem) {
      run.warnings.push_back(problem);
    }
  if (run.processes.empty()) {
    for (const Problem& problem : run.warnings) tell(Severity::warning, problem.what(), {}, problem.remedy);
    throw Problem("no trace in '" + folder + "/trace' can be read", try_trace, "'" + folder + "'");
  }
  if (ranks.empty()) complain_of_missing(run, complaints);
  complaints.add_to(run.warnings);
  return run;
}

}  // namespace cairn::cli
