// SPDX-License-Identifier: BSD-3-Clause
// listing.cc - a line for each call, over all ranks in the order of time

#include "cli/trace/views.hpp"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "formats/text.hpp"

namespace cairn::cli {

namespace {

/// "communicator 'rows'"
std::string title_of(const trace::Object& object) {
  constexpr std::string_view kinds[] = {"communicator", "window", "file"};
  if (object.name.starts_with("MPI_")) return object.name;
  if (!object.name.empty()) return fmt::format("{} '{}'", kinds[object.what], object.name);
  return fmt::format("a {} of {}", kinds[object.what],
                     formats::plural(static_cast<std::uint64_t>(std::max(object.size, 0)), "rank"));
}

std::string rank_text(const trace::Process& process, std::int32_t rank) {
  if (rank == process.any_source) return "anyone";
  if (rank == process.proc_null) return "nobody";
  return std::to_string(rank);
}
std::string tag_text(const trace::Process& process, std::int32_t tag) {
  return tag == process.any_tag ? "any tag" : "tag " + std::to_string(tag);
}

/// What the arguments tell, as "to 1, tag 7, 8 bytes, MPI_COMM_WORLD".
std::string arguments_text(const trace::File& file, const trace::Record& record) {
  std::vector<std::string> parts;
  const trace::Process& process = file.process();
  const trace::Function* const function = file.function(record);
  const page::Kind kind = function == nullptr ? page::Kind::other : function->kind;
  const auto has = [&record](page::Flag flag) { return (record.flags & flag) != 0; };
  if (has(page::has_peer)) {
    const bool is_source =
        trace::is_detail(record) || kind == page::Kind::probe || (function != nullptr && trace::receives(*function));
    parts.push_back((is_source ? "from " : "to ") + rank_text(process, record.peer));
  }
  if (has(page::has_root)) parts.push_back("root " + std::to_string(record.peer));
  if (has(page::has_tag)) parts.push_back(tag_text(process, record.tag));
  if (kind == page::Kind::exchange)
    parts.push_back("from " + rank_text(process, static_cast<std::int32_t>(record.other)) + " with " +
                    tag_text(process, static_cast<std::int32_t>(record.other >> 32U)));
  if (has(page::has_count)) parts.push_back(formats::plural(file.bytes(record), "byte"));
  if (kind == page::Kind::wait) parts.push_back(formats::plural(record.count, "request"));
  if (kind == page::Kind::test && record.number != 0)
    parts.push_back("asked " + std::to_string(std::uint64_t{record.number} + 1) + " times");
  if (has(page::nonblocking) && !trace::is_detail(record)) parts.push_back(fmt::format("request {:#x}", record.other));
  if (const trace::Object* const object = file.object(record)) parts.push_back(title_of(*object));
  return fmt::format("{}", fmt::join(parts, ", "));
}

const char* detail_text(std::uint16_t what) {
  switch (what) {
    case page::message_received:
      return "received";
    case page::request_freed:
      return "freed";
    case page::request_started:
      return "started";
    default:
      return "completed";
  }
}

/// The records of one process that are still to come.
struct Rest {
  const ProcessTrace* process;
  trace::Records records;

  std::int64_t next_ns() const { return process->file.nanoseconds(records.now()->entry); }
};

void print_detail(const Rest& rest, const trace::Record& record) {
  const std::string request = record.other == 0 ? "" : fmt::format(" request {:#x}", record.other);
  const std::string arguments = arguments_text(rest.process->file, record);
  fmt::print("{:>32}{}{}{}{}\n", "", detail_text(record.function), request, arguments.empty() ? "" : " ", arguments);
}

void print_call(const Rest& rest, const trace::Record& record, std::int64_t first_ns, where::Places& places) {
  const trace::File& file = rest.process->file;
  const trace::Function* const function = file.function(record);
  const std::int64_t begin = file.nanoseconds(record.entry);
  const std::string duration =
      record.exit == 0 ? "not over"
                       : fmt::format("{:.3f} us", 1e-3 * static_cast<double>(file.nanoseconds(record.exit) - begin));
  const std::string place = formats::place_text(places.of(rest.process->mapped, record.site));
  fmt::print("{:>14.9f}  {:>5}.{:<2} {:>13}  {}({}){}{}\n", 1e-9 * static_cast<double>(begin - first_ns),
             rest.process->rank(), rest.records.thread(), duration, function == nullptr ? "?" : function->name,
             arguments_text(file, record),
             (record.flags & page::failed) != 0    ? " failed"
             : (record.flags & page::in_vain) != 0 ? " in vain"
                                                   : "",
             place.empty() ? "" : "  " + place);
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
    if (!trace::is_detail(*record)) print_call(*rest, *record, first_ns, places);
    else print_detail(*rest, *record);
    rest->records.step();
    while ((record = rest->records.now()) != nullptr && trace::is_detail(*record)) {
      print_detail(*rest, *record);
      rest->records.step();
    }
  }
}

}  // namespace cairn::cli
