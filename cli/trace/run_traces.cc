// SPDX-License-Identifier: BSD-3-Clause
// run_traces.cc - finding and opening the trace files of a run

#include "cli/trace/run_traces.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/report/wording.hpp"
#include "cli/trace/last_records.hpp"
#include "formats/ranks.hpp"
#include "formats/run.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* try_trace = "a job started with 'cairn run --tools trace'";

void check_folder(const std::string& folder) {
  std::error_code error;
  const bool is_folder = fs::is_directory(folder, error);
  if (error) throw Problem("no trace: '" + folder + "': " + error.message(), try_folder);
  if (!is_folder) throw Problem("no trace: '" + folder + "' is not a folder", try_folder);
}

/// What is wrong with traces, and with whose.
class Complaints {
 public:
  void add(const std::string& what, int rank, const std::string& what_to_try = {}) {
    ranks_[{what, what_to_try}].push_back(rank);
  }
  void add_to(std::vector<Problem>& warnings) const {
    for (const auto& [of, ranks] : ranks_)
      warnings.emplace_back(formats::named_ranks(ranks) + ": " + of.first, of.second);
  }

 private:
  std::map<std::pair<std::string, std::string>, std::vector<int>> ranks_;
};

void complain_of_end(Complaints& complaints, const trace::File& file, const std::string& folder, std::uint64_t added) {
  const int rank = file.process().rank;
  const trace::End* const end = file.end();
  if (added != 0)
    complaints.add(
        "the process was killed; what it had not written yet is from its page: " + formats::plural(added, "record"),
        rank);
  else if (end == nullptr && !file.is_damaged_at_end())
    complaints.add("the trace breaks off: the process was killed, could not write, or is still running", rank,
                   "'cairn where " + folder + "', which shows the last calls of a process that died");
  if (end == nullptr)
    if (const std::uint64_t missing = missing_records(file); missing != 0)
      complaints.add(formats::plural(missing, "record") +
                         " before its end are missing: they came faster than they could be written, or after the trace "
                         "reached its size limit",
                     rank);
  if (end == nullptr) return;
  if (!end->how.empty()) complaints.add("the process ended by " + end->how, rank);
  if (end->lost != 0)
    complaints.add(formats::plural(end->lost, "record") + " came faster than they could be written, and are lost",
                   rank);
  if (end->omitted != 0)
    complaints.add(formats::plural(end->omitted, "record") + " came after the trace reached its size limit", rank);
  if (end->left_out != 0) complaints.add("not all threads could be recorded", rank);
  if (end->unnamed != 0)
    complaints.add("some communicators, windows, files or datatypes have no name: there were more than " +
                       std::to_string(trace::most_definitions - 1) + " (" + std::to_string(end->unnamed) + ")",
                   rank);
}

void complain(Complaints& complaints, const trace::File& file, const std::string& folder, std::uint64_t added) {
  const int rank = file.process().rank;
  if (!file.process().choice.empty())
    complaints.add("the trace has only selected calls: " + file.process().choice, rank);
  if (const std::uint64_t error_ns = file.process().error_ns; error_ns != 0)
    complaints.add("times may be off by up to " + report::seconds(1e-9 * static_cast<double>(error_ns)) +
                       ", as 'precision' allowed",
                   rank);
  if (file.wrong_moments() != 0)
    complaints.add("the clock jumped or ran backwards: " + formats::plural(file.wrong_moments(), "reading") +
                       " of it do not fit and are not used",
                   rank);
  if (file.definitions().left_out != 0)
    complaints.add(formats::plural(file.definitions().left_out, "definition") +
                       " exceed what a trace can need, and what they define has no name",
                   rank);
  complain_of_end(complaints, file, folder, added);
}

/// "is damaged at byte 12 of 76: no block begins there"
std::string damage_text(const trace::File& file, const std::pair<const std::uint64_t, trace::Damage>& damage) {
  return "is damaged at byte " + std::to_string(damage.first) + " of " + std::to_string(file.bytes()) + ": " +
         damage.second.why;
}

/// Why a file cannot be one of the run's traces, or "".
std::string reason_against(const trace::File& file, const std::string& identity, const RunTraces& run) {
  const trace::Process& process = file.process();
  if (process.rank < 0 && !file.damages().empty())
    return damage_text(file, *file.damages().begin()) + "; nothing in it tells whose trace it is";
  if (process.rank < 0) return "is still empty";
  if (formats::run::is_of_another(process.run, identity)) return "is from another run and left out";
  if (std::ranges::any_of(run.processes, [&](const auto& other) { return other->rank() == process.rank; }))
    return "is of rank " + std::to_string(process.rank) + " again and left out";
  return "";
}

std::vector<where::Mapped> mapped_of(const trace::File& file) {
  std::vector<where::Mapped> all;
  for (const trace::Mapped& one : file.definitions().mapped) all.push_back({one.begin, one.end, one.bias, one.path});
  return all;
}

/// `wanted`: these; empty: all of the job.
void complain_of_missing(const RunTraces& run, const std::vector<int>& wanted, Complaints& complaints) {
  constexpr int most = 1 << 20;
  std::set<int> present;
  int size = 0;
  for (const auto& process : run.processes) {
    present.insert(process->rank());
    size = std::max(size, std::min(process->file.process().size, most));
  }
  for (int rank = 0; wanted.empty() && rank < size; ++rank)
    if (!present.contains(rank)) complaints.add("there is no trace", rank);
  for (const int rank : wanted)
    if (!present.contains(rank)) complaints.add("there is no trace", rank);
}

/// `asked_by`: what leaves out the traces that there are; "": there are none.
[[noreturn]] void refuse(const RunTraces& run, const std::string& folder, const std::string& asked_by) {
  for (const Problem& problem : run.warnings) tell(Severity::warning, problem.what(), {}, problem.remedy);
  if (!asked_by.empty())
    throw Problem("none of these ranks has a trace in '" + folder + "'", "'cairn trace " + folder + "', for all ranks",
                  asked_by);
  throw Problem("no trace in '" + folder + "/trace' can be read", try_trace, "'" + folder + "'");
}

}  // namespace

ProcessTrace::ProcessTrace(const std::string& path, std::shared_ptr<const trace::Common> common)
    : file(path, std::move(common)), mapped(mapped_of(file)) {}

void RunTraces::align() {
  const std::string clock = processes.front()->file.clock();
  if (std::ranges::all_of(processes, [&](const auto& one) { return one->file.clock() == clock; })) return;
  warnings.emplace_back(
      "times on different nodes are compared by the nodes' time of day, and off by as much as these differ");
  for (const auto& process : processes) process->shift_ns = process->file.time_of_day_ns();
}

std::vector<Problem> RunTraces::damages() {
  constexpr std::size_t most = 4;
  std::vector<Problem> made;
  for (const auto& process : processes) {
    const trace::File& file = process->file;
    std::size_t count = 0;
    for (const auto& damage : file.damages())
      if (process->told_damages.insert(damage.first).second && ++count <= most)
        made.emplace_back("'" + file.path() + "' " + damage_text(file, damage) + "; " + damage.second.lost);
    if (count > most)
      made.emplace_back("'" + file.path() + "' is damaged at " + formats::plural(count - most, "more place") + " too");
  }
  return made;
}

void RunTraces::add_writing() {
  const auto is_told = [](const auto& process) { return process->file.moments().back().records != 0; };
  if (writing_ || std::ranges::none_of(processes, is_told)) return;
  writing_ = static_cast<std::uint32_t>(variables.all.size());
  SampledVariable& made = variables.all.emplace_back();
  made.name = "trace_writing";
  made.is_sum = true;
  made.description = "processor time spent writing the trace so far, in seconds";
}

std::vector<VariableValue> RunTraces::values_of(const ProcessTrace& process) const {
  const ProcessTrace& first = *processes.front();
  std::vector<VariableValue> values;
  if (first.rank() == 0 && first.file.process().host == process.file.process().host)
    values = cli::values_of(variables, process.rank());
  if (!writing_) return values;
  for (const trace::Moment& moment : process.file.moments())
    values.push_back({process.file.nanoseconds(moment.ticks), *writing_, 1e-9 * static_cast<double>(moment.work_ns)});
  std::ranges::stable_sort(values, {}, &VariableValue::ns);
  return values;
}

std::string RunTraces::clocks_text() const {
  const std::string clock = processes.front()->file.clock();
  if (std::ranges::any_of(processes, [&](const auto& one) { return one->file.clock() != clock; }))
    return "times are from several clocks, which were not compared";
  std::int64_t clocks = 1, error_ns = 0;
  double drift = 0;
  bool is_drift_known = true;
  for (const auto& process : processes) {
    const auto& compared = process->file.comparisons();
    if (compared.empty()) continue;
    const trace::Comparison& first = compared.front();
    const trace::Comparison& last = compared.back();
    clocks = std::max(clocks, first.clocks);
    error_ns = std::max({error_ns, first.error_ns, last.error_ns});
    if (compared.size() < 2) is_drift_known = false;
    else
      drift = std::max(drift, std::abs(static_cast<double>(last.offset_ns - first.offset_ns) /
                                       static_cast<double>(last.at_ns - first.at_ns)));
  }
  if (clocks < 2) return "times are from one clock";
  const std::string known = fmt::format("times are from {} clocks, compared to within {:.1f} us", clocks,
                                        1e-3 * static_cast<double>(error_ns));
  if (!is_drift_known) return known + " at the start; how far they drift apart is not known";
  return known + fmt::format("; they drift apart by up to {:.3f} us per second, which is corrected", 1e6 * drift);
}

std::int64_t RunTraces::first_ns() const {
  std::int64_t first = INT64_MAX;
  for (const auto& process : processes) {
    trace::Records records(process->file);
    while (records.now() != nullptr && !trace::has_moment(*records.now())) records.step();
    if (const trace::Record* const record = records.now())
      first = std::min(first, process->nanoseconds(trace::moment_of(*record)));
  }
  return first == INT64_MAX ? 0 : first;
}

namespace {

/// Each trace keeps its file open.
void allow_open_files(std::size_t count) {
  constexpr std::size_t others = 64;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= count + others) return;
  limit.rlim_cur = std::min<rlim_t>(count + others, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Empty: all.
std::vector<int> wanted_ranks(const std::string& text) {
  if (text.empty()) return {};
  const std::optional<std::vector<int>> ranks = formats::given_ranks(text, 1 << 20);
  if (!ranks) throw Problem("'" + text + "' is not a list of ranks", "ranks such as 0-3 or 0,5", "--ranks " + text);
  return *ranks;
}

}  // namespace

RunTraces read_traces(const std::string& folder, const std::string& ranks) {
  check_folder(folder);
  const std::vector<std::string> paths = trace::files_in(folder + "/trace");
  allow_open_files(paths.size());
  if (paths.empty()) throw Problem("the run of '" + folder + "' left no trace", try_trace, "'" + folder + "'");
  const std::string identity = formats::run::of_folder(folder).identity;
  const std::vector<int> wanted = wanted_ranks(ranks);
  RunTraces run;
  Complaints complaints;
  std::size_t others = 0;
  PagesOfDead pages(folder, identity);
  std::shared_ptr<const trace::Common> common;  // to all that are packed
  for (const std::string& path : paths) try {
      auto process = std::make_unique<ProcessTrace>(path, common);
      if (process->file.common() != nullptr) common = process->file.common();
      if (const std::string why = reason_against(process->file, identity, run); !why.empty()) {
        run.warnings.emplace_back("'" + path + "' " + why);
        continue;
      }
      if (!ranks.empty() && std::ranges::find(wanted, process->rank()) == wanted.end()) {
        ++others;
        continue;
      }
      complain(complaints, process->file, folder, pages.complete(process->file));
      run.processes.push_back(std::move(process));
    } catch (const Problem& problem) {
      const auto is_same = [&](const Problem& told) { return std::string_view(told.what()) == problem.what(); };
      if (std::ranges::none_of(run.warnings, is_same)) run.warnings.push_back(problem);
    }
  if (run.processes.empty()) refuse(run, folder, others == 0 ? "" : "--ranks " + ranks);
  complain_of_missing(run, wanted, complaints);
  complaints.add_to(run.warnings);
  for (Problem& damage : run.damages()) run.warnings.push_back(std::move(damage));
  return run;
}

}  // namespace cairn::cli
