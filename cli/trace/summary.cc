// SPDX-License-Identifier: BSD-3-Clause
// summary.cc - what is in a run's traces

#include <fmt/format.h>

#include "cli/trace/sums.hpp"
#include "cli/trace/views.hpp"
#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

std::string bytes_text(const FunctionSum& sum) {
  if (sum.bytes == 0) return sum.unknown == 0 ? "-" : "unknown";
  return (sum.unknown == 0 ? "" : ">= ") + formats::human_bytes(sum.bytes);
}

std::string table_of(const TraceSums& sums) {
  std::string text =
      fmt::format("  {:<28}{:>12}{:>14}{:>14}{:>14}\n", "function", "calls", "seconds", "longest ms", "bytes");
  for (const auto& [name, sum] : sums.by_time())
    text += fmt::format("  {:<28}{:>12}{:>14.6f}{:>14.3f}{:>14}\n", name, sum.calls, sum.seconds, 1e3 * sum.longest,
                        bytes_text(sum));
  return text;
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
  return text + "  " + run.clocks_text() + "\n\n" + table_of(sums);
}

}  // namespace cairn::cli
