// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - what is in a run's traces

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/trace/sums.hpp"
#include "cli/trace/views.hpp"
#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

std::string table_of(const TraceSums& sums) {
  std::string text =
      fmt::format("  {:<28}{:>12}{:>14}{:>14}{:>14}\n", "function", "calls", "seconds", "longest ms", "bytes");
  for (const auto& [name, sum] : sums.by_time())
    text += fmt::format("  {:<28}{:>12}{:>14.6f}{:>14.3f}{:>14}\n", name, sum.calls, sum.seconds, 1e3 * sum.longest,
                        sum.bytes == 0 ? "-" : formats::human_bytes(sum.bytes));
  return text;
}

/// How far moments of different ranks can be compared.
std::string clocks_text(const RunTraces& run) {
  const std::string clock = run.processes.front()->file.clock();
  if (std::ranges::any_of(run.processes, [&](const auto& one) { return one->file.clock() != clock; }))
    return "moments are of several clocks, which were not compared";
  std::int64_t clocks = 1, error_ns = 0;
  double drift = 0;
  bool is_drift_known = true;
  for (const auto& process : run.processes) {
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
  if (clocks < 2) return "moments are of one clock";
  const std::string known =
      fmt::format("moments are of {} clocks, compared to {:.1f} us", clocks, 1e-3 * static_cast<double>(error_ns));
  if (!is_drift_known) return known + " at the start; how far they drift apart is not known";
  return known + fmt::format("; they drift apart by up to {:.3f} us in a second, which is allowed for", 1e6 * drift);
}

}  // namespace

std::string summary_text(const RunTraces& run) {
  using formats::plural;
  const TraceSums sums = sums_of(run);
  const trace::Process& first = run.processes.front()->file.process();
  const double per_call = sums.calls == 0 ? 0 : static_cast<double>(sums.file_bytes) / static_cast<double>(sums.calls);
  std::string text =
      fmt::format("{}, {}, run {}\n", formats::file_of(first.program), plural(run.processes.size(), "rank"), first.run);
  text += fmt::format("  {} of {} in {:.3f} s; {} on disk, {:.1f} bytes per call\n", plural(sums.calls, "call"),
                      plural(sums.threads, "thread"), sums.longest_s, formats::human_bytes(sums.file_bytes), per_call);
  text += fmt::format("  writing took {:.3f} s of processor time, beside the program's threads\n",
                      1e-9 * static_cast<double>(sums.work_ns));
  return text + "  " + clocks_text(run) + "\n\n" + table_of(sums);
}

}  // namespace cairn::cli
