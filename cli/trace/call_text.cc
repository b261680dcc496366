// SPDX-License-Identifier: BSD-3-Clause
// call_text.cc - wording of arguments and details

#include "cli/trace/call_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "formats/text.hpp"

namespace cairn::cli {

namespace {

constexpr std::string_view object_kinds[] = {"communicator", "window", "file"};

/// "communicator 'rows'"
std::string title_of(const trace::Object& object) {
  const std::string_view kind = object_kinds[object.what];
  if (object.name.starts_with("MPI_")) return object.name;
  if (!object.name.empty()) return fmt::format("{} '{}'", kind, object.name);
  return fmt::format("a {} of {}", kind, formats::plural(static_cast<std::uint64_t>(std::max(object.size, 0)), "rank"));
}

CallArgument rank_argument(std::string name, const trace::Process& process, std::int32_t rank) {
  const bool is_number = rank != process.any_source && rank != process.proc_null;
  const std::string value = is_number ? std::to_string(rank) : rank == process.any_source ? "anyone" : "nobody";
  return {name, value, name + " " + value, is_number};
}
/// Between two groups the root says so itself: MPI_ROOT.
CallArgument root_argument(const trace::Process& process, std::int32_t root) {
  if (root >= 0 || root == process.proc_null) return rank_argument("root", process, root);
  return {"root", "itself", "root itself", false};
}
CallArgument tag_argument(const trace::Process& process, std::int32_t tag) {
  if (tag == process.any_tag) return {"tag", "any", "any tag", false};
  return {"tag", std::to_string(tag), "tag " + std::to_string(tag)};
}
CallArgument counted(std::uint64_t number, const std::string& noun) {
  return {noun + "s", std::to_string(number), formats::plural(number, noun)};
}

void add_source_of_exchange(std::vector<CallArgument>& all, const trace::Process& process,
                            const trace::Record& record) {
  const trace::Envelope asked = trace::asked_by_exchange(record);
  CallArgument source = rank_argument("from", process, asked.source);
  CallArgument tag = tag_argument(process, asked.tag);
  source.words += " with " + tag.words;
  tag.name = "tag of received";
  tag.words.clear();
  all.push_back(std::move(source));
  all.push_back(std::move(tag));
}

/// Of a datatype that is unknown, its elements.
CallArgument amount_argument(const trace::File& file, const trace::Record& record) {
  return file.has_unknown_bytes(record) ? counted(record.count, "element") : counted(file.bytes(record), "byte");
}

}  // namespace

std::vector<CallArgument> arguments_of(const trace::File& file, const trace::Record& record) {
  std::vector<CallArgument> all;
  const trace::Process& process = file.process();
  const trace::Function* const function = trace::is_detail(record) ? nullptr : file.function(record);
  const page::Kind kind = function == nullptr ? page::Kind::other : function->kind;
  const auto has = [&record](page::Flag flag) { return (record.flags & flag) != 0; };
  const bool is_source = trace::is_detail(record) || kind == page::Kind::probe || kind == page::Kind::test ||
                         (function != nullptr && trace::receives(*function));
  if (has(page::has_peer)) all.push_back(rank_argument(is_source ? "from" : "to", process, record.peer));
  if (has(page::has_root)) all.push_back(root_argument(process, record.peer));
  if (has(page::has_tag)) all.push_back(tag_argument(process, record.tag));
  if (kind == page::Kind::exchange) add_source_of_exchange(all, process, record);
  if (has(page::has_count)) all.push_back(amount_argument(file, record));
  if (kind == page::Kind::wait) all.push_back(counted(record.count, "request"));
  if (kind == page::Kind::test && record.number != 0) {
    const std::string times = std::to_string(std::uint64_t{record.number} + 1);
    all.push_back({"asked", times, "asked " + times + " times"});
  }
  if (has(page::nonblocking) && !trace::is_detail(record)) {
    const std::string handle = fmt::format("{:#x}", record.other);
    all.push_back({"request", handle, "request " + handle, false});
  }
  if (const trace::Object* const object = file.object(record))
    all.push_back({std::string(object_kinds[object->what]), object->name.empty() ? title_of(*object) : object->name,
                   title_of(*object), false});
  return all;
}

std::string arguments_text(const trace::File& file, const trace::Record& record) {
  std::string text;
  for (const CallArgument& one : arguments_of(file, record))
    if (!one.words.empty()) text += (text.empty() ? "" : ", ") + one.words;
  return text;
}

std::string moved_text(trace::Moved bytes) {
  return fmt::format("sends {}, receives {}", formats::plural(bytes.sent, "byte"),
                     formats::plural(bytes.received, "byte"));
}

std::string transferred_text(std::uint64_t bytes) { return "transferred " + formats::plural(bytes, "byte"); }

std::string detail_text(const trace::File& file, const trace::Record& detail) {
  if (detail.function == page::thread_begun)
    return fmt::format("thread {} in place of {}, which has ended", detail.tag, detail.peer);
  if (detail.function == page::partner) return fmt::format("with rank {}", detail.peer);
  if (detail.function == page::neighbor) return fmt::format("neighbor {}", detail.peer);
  if (detail.function == page::moved) return moved_text({detail.count, detail.other});
  if (detail.function == page::share)
    return fmt::format("of it to {}: {}", detail.peer, formats::plural(detail.count, "byte"));
  if (detail.function == page::object_made) {
    const trace::Object* const made = file.object(detail);
    return "made " + (made == nullptr ? "an unknown object" : title_of(*made));
  }
  if (detail.function == page::message_received && (detail.flags & page::has_peer) == 0)
    return transferred_text(detail.count);
  if (detail.function == page::message_taken) return fmt::format("message {:#x}", detail.other);
  if (detail.function == page::message_found)
    return fmt::format("found {}{}", detail.other == 0 ? "" : fmt::format("message {:#x} ", detail.other),
                       arguments_text(file, detail));
  const std::string_view what = detail.function == page::message_received  ? "received"
                                : detail.function == page::partition_ready ? "ready"
                                : detail.function == page::request_freed   ? "freed"
                                : detail.function == page::request_started ? "started"
                                                                           : "completed";
  const std::string request = detail.other == 0 ? "" : fmt::format(" request {:#x}", detail.other);
  const std::string arguments = arguments_text(file, detail);
  return fmt::format("{}{}{}{}", what, request, arguments.empty() ? "" : " ", arguments);
}

std::string name_of(const trace::File& file, const trace::Record& call) {
  const trace::Function* const function = file.function(call);
  return function == nullptr ? "?" : function->name;
}

std::string outcome_of(const trace::Record& call) {
  return (call.flags & page::failed) != 0 ? "failed" : (call.flags & page::in_vain) != 0 ? "in vain" : "";
}

}  // namespace cairn::cli
