// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - what is in a run's traces

#include "cli/trace/views.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/message.hpp"
#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

using formats::plural;

struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  double seconds = 0;
  double longest = 0;
};

struct Sum {
  std::map<std::string, Figures> functions;
  std::uint64_t calls = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t work_ns = 0;
  std::size_t threads = 0;
  double longest_s = 0;  // of any process
};

void add(Sum& sum, const ProcessTrace& process, const trace::Record& record, std::int64_t took) {
  const trace::Function* const function = process.file.function(record);
  if (function == nullptr) return;
  ++sum.calls;
  Figures& figures = sum.functions[function->name];
  ++figures.calls;
  if (!process.file.is_with_nobody(record)) figures.bytes += process.file.bytes(record);
  const double seconds = 1e-9 * static_cast<double>(took);
  figures.seconds += seconds;
  figures.longest = std::max(figures.longest, seconds);
}

void add(Sum& sum, const ProcessTrace& process) {
  trace::Records records(process.file);
  std::int64_t first = 0;
  std::int64_t last = 0;
  for (; const trace::Record* record = records.now(); records.step()) {
    if (trace::is_detail(*record)) continue;
    const std::int64_t begin = process.file.nanoseconds(record->entry);
    const std::int64_t end = record->exit == 0 ? begin : process.file.nanoseconds(record->exit);
    add(sum, process, *record, end - begin);
    last = std::max(last, end);
    if (first == 0) first = begin;
  }
  if (!records.damage().empty())
    tell(Severity::warning,
         fmt::format("rank {}: the trace is damaged: {}; the rest is shown", process.rank(), records.damage()));
  sum.longest_s = std::max(sum.longest_s, 1e-9 * static_cast<double>(last - first));
  sum.file_bytes += process.file.bytes();
  sum.threads += process.file.definitions().threads.size();
  if (process.file.end() != nullptr) sum.work_ns += process.file.end()->work_ns;
}

std::string table(const Sum& sum) {
  std::vector<std::pair<std::string, Figures>> rows(sum.functions.begin(), sum.functions.end());
  std::ranges::stable_sort(rows, std::greater<>(), [](const auto& row) { return row.second.seconds; });
  std::string text =
      fmt::format("  {:<28}{:>12}{:>14}{:>14}{:>14}\n", "function", "calls", "seconds", "longest ms", "bytes");
  for (const auto& [name, figures] : rows)
    text += fmt::format("  {:<28}{:>12}{:>14.6f}{:>14.3f}{:>14}\n", name, figures.calls, figures.seconds,
                        1e3 * figures.longest, figures.bytes == 0 ? "-" : formats::human_bytes(figures.bytes));
  return text;
}

}  // namespace

std::string summary_text(const RunTraces& run) {
  Sum sum;
  for (const auto& process : run.processes) add(sum, *process);
  const trace::Process& first = run.processes.front()->file.process();
  const double per_call = sum.calls == 0 ? 0 : static_cast<double>(sum.file_bytes) / static_cast<double>(sum.calls);
  std::string text =
      fmt::format("{}, {}, run {}\n", formats::file_of(first.program), plural(run.processes.size(), "rank"), first.run);
  text += fmt::format("  {} of {} in {:.3f} s; {} on disk, {:.1f} bytes per call\n", plural(sum.calls, "call"),
                      plural(sum.threads, "thread"), sum.longest_s, formats::human_bytes(sum.file_bytes), per_call);
  text += fmt::format("  writing took {:.3f} s of processor time, beside the program's threads\n\n",
                      1e-9 * static_cast<double>(sum.work_ns));
  return text + table(sum);
}

}  // namespace cairn::cli
