// SPDX-License-Identifier: BSD-3-Clause
// sums.cc - adding up calls

#include "cli/trace/sums.hpp"

#include <algorithm>
#include <functional>

#include "cli/trace/call_text.hpp"

namespace cairn::cli {

namespace {

/// A test may stand for several that asked in vain: then the time of each is unknown, and their mean counts.
void add(TraceSums& sums, const ProcessTrace& process, const trace::Record& call) {
  const trace::File& file = process.file;
  const bool is_test = file.is(call, trace::is_test);
  const std::uint64_t calls = is_test ? std::uint64_t{call.number} + 1 : 1;
  const std::uint64_t outside = is_test ? trace::between_tests(call) : 0;
  const std::int64_t took = call.exit == 0 ? 0 : file.nanoseconds(call.exit - outside) - file.nanoseconds(call.entry);
  const double seconds = 1e-9 * static_cast<double>(took);
  FunctionSum& sum = sums.functions[name_of(file, call)];
  sums.calls += calls;
  sum.calls += calls;
  if (!file.is_with_nobody(call)) {
    sum.bytes += file.bytes(call);
    if (file.has_unknown_bytes(call)) ++sum.unknown, ++sums.unknown;
  }
  sum.seconds += seconds;
  sum.longest = std::max(sum.longest, seconds / static_cast<double>(calls));
}

void add(TraceSums& sums, const ProcessTrace& process) {
  trace::Records records(process.file);
  std::int64_t first = INT64_MAX;
  std::int64_t last = INT64_MIN;
  for (; const trace::Record* record = records.now(); records.step()) {
    if (trace::is_detail(*record)) continue;
    const std::int64_t begin = process.file.nanoseconds(record->entry);
    const std::int64_t end = record->exit == 0 ? begin : process.file.nanoseconds(record->exit);
    add(sums, process, *record);
    last = std::max(last, end);
    first = std::min(first, begin);
  }
  if (last > first) sums.longest_s = std::max(sums.longest_s, 1e-9 * static_cast<double>(last - first));
  sums.file_bytes += process.file.bytes();
  sums.threads += process.file.definitions().threads.size();
  if (process.file.end() != nullptr) sums.work_ns += process.file.end()->work_ns;
}

}  // namespace

std::vector<std::pair<std::string, FunctionSum>> TraceSums::by_time() const {
  std::vector<std::pair<std::string, FunctionSum>> rows(functions.begin(), functions.end());
  std::ranges::stable_sort(rows, std::greater<>(), [](const auto& row) { return row.second.seconds; });
  return rows;
}

TraceSums sums_of(const RunTraces& run) {
  TraceSums sums;
  std::shared_ptr<const trace::Common> common;
  for (const auto& process : run.processes) {
    add(sums, *process);
    if (process->file.common() != nullptr) common = process->file.common();
  }
  if (common != nullptr) sums.file_bytes += common->bytes();
  return sums;
}

}  // namespace cairn::cli
