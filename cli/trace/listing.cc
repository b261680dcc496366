// SPDX-License-Identifier: BSD-3-Clause
// listing.cc - a line for each call, over all ranks in the order of time

#include "cli/trace/views.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "cli/trace/call_text.hpp"
#include "formats/text.hpp"

namespace cairn::cli {

namespace {

bool is_region(const trace::Record& record) { return record.function == page::region_changed; }

/// The records of one process that are still to come.
struct Rest {
  const ProcessTrace* process;
  trace::Records records;

  std::int64_t next_ns() const { return process->nanoseconds(trace::moment_of(*records.now())); }
};

void print_region(const Rest& rest, const trace::Record& record, std::int64_t first_ns) {
  const std::string* const region = rest.process->file.region(record);
  if (region == nullptr) return;  // of another tool
  fmt::print("{:>14.9f}  {:>5}.{:<2} {:>13}  {}\n",
             1e-9 * static_cast<double>(rest.process->nanoseconds(record.other) - first_ns), rest.process->rank(),
             rest.records.thread(), "", region->empty() ? "in no region" : "in region " + *region);
}

void print_detail(const Rest& rest, const trace::Record& record) {
  fmt::print("{:>32}{}\n", "", detail_text(rest.process->file, record));
}

void print_call(const Rest& rest, const trace::Record& record, std::int64_t first_ns, where::Places& places) {
  const ProcessTrace& process = *rest.process;
  const std::int64_t begin = process.nanoseconds(record.entry);
  const std::string duration =
      record.exit == 0 ? "not over"
                       : fmt::format("{:.3f} us", 1e-3 * static_cast<double>(process.nanoseconds(record.exit) - begin));
  const std::string outcome = outcome_of(record);
  const std::string place = formats::place_text(places.of(process.mapped, record.site));
  fmt::print("{:>14.9f}  {:>5}.{:<2} {:>13}  {}({}){}{}{}{}\n", 1e-9 * static_cast<double>(begin - first_ns),
             process.rank(), rest.records.thread(), duration, name_of(process.file, record),
             arguments_text(process.file, record), outcome.empty() ? "" : " ", outcome, place.empty() ? "" : "  ",
             place);
}

Rest* earliest(std::vector<std::unique_ptr<Rest>>& all) {
  Rest* found = nullptr;
  for (const auto& one : all)
    if (one->records.now() != nullptr && (found == nullptr || one->next_ns() < found->next_ns())) found = one.get();
  return found;
}

}  // namespace

void list_records(const RunTraces& run, where::Places& places) {
  std::vector<std::unique_ptr<Rest>> all;
  for (const auto& process : run.processes)
    all.push_back(std::make_unique<Rest>(Rest{process.get(), trace::Records(process->file)}));
  const std::int64_t first_ns = run.first_ns();
  fmt::print("{:>14}  {:>5}.{:<2} {:>13}\n", "seconds", "rank", "thread", "duration");
  while (Rest* const rest = earliest(all)) {
    const trace::Record* record = rest->records.now();
    if (is_region(*record)) print_region(*rest, *record, first_ns);
    else if (!trace::is_detail(*record)) print_call(*rest, *record, first_ns, places);
    else print_detail(*rest, *record);
    rest->records.step();
    while ((record = rest->records.now()) != nullptr && trace::is_detail(*record) && !is_region(*record)) {
      print_detail(*rest, *record);
      rest->records.step();
    }
  }
}

}  // namespace cairn::cli
