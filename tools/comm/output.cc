// SPDX-License-Identifier: BSD-3-Clause
// output.cc - writing a summary

#include "output.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#define JSON_NO_IO
#include <nlohmann/json.hpp>

#define FMT_HEADER_ONLY
#define FMT_STATIC_THOUSANDS_SEPARATOR ','  // spares the tool the C++ library's locales, half its size
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace comm {

namespace {

// ------------------------------------------------------------ JSON

/// As JSON has texts.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

using Out = std::back_insert_iterator<std::string>;

/// The items with commas and one per line between brackets.
template <class Items, class Each>
void add_list(std::string& out, const char* name, const Items& items, Each each) {
  if (items.empty()) return;
  fmt::format_to(Out(out), ",\n   \"{}\": [", name);
  const char* before = "\n    ";
  for (const auto& item : items) {
    out += before;
    each(item);
    before = ",\n    ";
  }
  out += ']';
}

/// Pairs of a limit, which no message's size reaches, and a number of messages.
std::string sizes_text(const Sizes& sizes) {
  std::string text;
  for (const auto& [bin, messages] : sizes)
    fmt::format_to(Out(text), "{}[{},{}]", text.empty() ? "" : ",", std::uint64_t{1} << bin, messages);
  return "[" + text + "]";
}

void add_moment(std::string& out, const Moment& moment) {
  const std::string number = moment.number == Moment::end ? "\"end\"" : std::to_string(moment.number);
  fmt::format_to(Out(out), "[{},{}.{:06},{}", number, moment.microseconds / 1'000'000, moment.microseconds % 1'000'000,
                 moment.ranks);
  for (const Volume& sum : moment.sums) fmt::format_to(Out(out), ",{},{}", sum.messages, sum.bytes);
  out += ']';
}

void add_phase(std::string& out, const Phase& phase) {
  fmt::format_to(Out(out), "  {{\"name\": {}", quoted(phase.name));
  for (std::size_t kind = 0; kind < flow_kinds; ++kind)
    add_list(out, flow_names[kind].data(), phase.flows[kind], [&](const Flow& flow) {
      fmt::format_to(Out(out), "[{},{},{},{},{}]", flow.from, flow.to, flow.messages, flow.bytes,
                     sizes_text(flow.sizes));
    });
  add_list(out, "coll_shared", phase.shares, [&](const Share& share) {
    fmt::format_to(Out(out), "[{},\"{}\",{},{},{},{}]", share.communicator,
                   reach_names[static_cast<std::size_t>(share.reach)], share.rank, share.messages, share.bytes,
                   sizes_text(share.sizes));
  });
  add_list(out, "collectives", phase.calls, [&](const Calls& calls) {
    fmt::format_to(Out(out), "[{},{},{},{},{},{},{},{}]", calls.communicator, calls.rank, calls.one_to_all.messages,
                   calls.one_to_all.bytes, calls.all_to_one.messages, calls.all_to_one.bytes, calls.all_to_all.messages,
                   calls.all_to_all.bytes);
  });
  add_list(out, "operations", phase.operations, [&](const OperationCalls& calls) {
    fmt::format_to(Out(out), "[{},\"{}\",{},{},{}]", calls.communicator,
                   operation_names[static_cast<std::size_t>(calls.what)], calls.rank, calls.messages, calls.bytes);
  });
  add_list(out, "files", phase.files, [&](const Files& files) {
    fmt::format_to(Out(out), "[{},{},{},{},{}]", files.rank, files.read.messages, files.read.bytes,
                   files.written.messages, files.written.bytes);
  });
  out += '}';
}

}  // namespace

std::string format_json(const Summary& summary) {
  std::string out = "{\n \"format\": \"cairn-comm 1\"";
  if (!summary.run.empty()) fmt::format_to(Out(out), ",\n \"run\": {}", quoted(summary.run));
  fmt::format_to(Out(out), ",\n \"program\": {},\n \"ranks\": {}", quoted(summary.program), summary.ranks);
  if (summary.rank >= 0) fmt::format_to(Out(out), ",\n \"rank\": {}", summary.rank);
  if (!summary.ended_by.empty()) fmt::format_to(Out(out), ",\n \"ended_by\": {}", quoted(summary.ended_by));
  fmt::format_to(Out(out), ",\n \"saturated\": {},\n \"lost\": {}", summary.saturated, summary.lost);
  if (const Volume& tools = summary.of_tools; tools.messages != 0)
    fmt::format_to(Out(out), ",\n \"tools\": {{\"messages\": {}, \"bytes\": {}}}", tools.messages, tools.bytes);
  add_list(out, "nodes", summary.nodes, [&](const Node& node) {
    fmt::format_to(Out(out), R"({{"name": {}, "ranks": "{}"}})", quoted(node.name), ranks_text(node.ranks));
  });
  add_list(out, "communicators", summary.communicators, [&](const Communicator& one) {
    fmt::format_to(Out(out), R"({{"name": {}, "members": "{}", "remote": "{}", "number": {}}})", quoted(one.name),
                   one.members, one.remote, one.number);
  });
  if (!summary.moments.empty() && summary.moments.front().number != Moment::end)
    add_list(out, "moments", summary.moments, [&](const Moment& one) { add_moment(out, one); });
  out += ",\n \"phases\": [";
  const char* before = "\n";
  for (const Phase& phase : summary.phases) {
    out += before;
    add_phase(out, phase);
    before = ",\n";
  }
  return out + "\n ]\n}\n";
}

// ------------------------------------------------------------ Open MPI's text

namespace {

constexpr std::size_t monitoring_bins = 66;

std::string bins_text(const Sizes& sizes) {
  std::array<std::uint64_t, monitoring_bins> bins{};
  for (const auto& [bin, messages] : sizes) bins[bin] = messages;
  return fmt::format("{}", fmt::join(bins, ","));
}

std::string row_text(char letter, int from, int to, const Volume& volume) {
  return fmt::format("{}\t{}\t{}\t{} bytes\t{} msgs sent", letter, from, to, volume.bytes, volume.messages);
}

void add_communicators(std::string& out, const Summary& summary) {
  std::map<std::uint32_t, Calls> sums;
  for (const Phase& phase : summary.phases)
    for (const Calls& calls : phase.calls) {
      Calls& sum = sums[calls.communicator];
      sum.one_to_all.add(calls.one_to_all);
      sum.all_to_one.add(calls.all_to_one);
      sum.all_to_all.add(calls.all_to_all);
    }
  for (std::uint32_t number = 0; number < summary.communicators.size(); ++number) {
    const Communicator& one = summary.communicators[number];
    const Calls& sum = sums[number];
    std::vector<int> ranks = ranks_of(one.members);
    for (const int rank : ranks_of(one.remote)) ranks.push_back(rank);
    fmt::format_to(Out(out), "D\t{}\tprocs: {}\n", one.name, fmt::join(ranks, ","));
    fmt::format_to(Out(out), "O2A\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.one_to_all.bytes,
                   sum.one_to_all.messages);
    fmt::format_to(Out(out), "A2O\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.all_to_one.bytes,
                   sum.all_to_one.messages);
    fmt::format_to(Out(out), "A2A\t{}\t{} bytes\t{} msgs sent\n", summary.rank, sum.all_to_all.bytes,
                   sum.all_to_all.messages);
  }
}

}  // namespace

std::string format_prof(const Summary& summary) {
  std::string out = "# POINT TO POINT\n";
  for (const Flow& flow : over_phases(summary, p2p))
    out += row_text('E', summary.rank, flow.to, flow) + "\t" + bins_text(flow.sizes) + "\n";
  out += "# OSC\n";
  for (const Flow& flow : over_phases(summary, put)) out += row_text('S', summary.rank, flow.to, flow) + "\n";
  for (const Flow& flow : over_phases(summary, fetched)) out += row_text('R', summary.rank, flow.from, flow) + "\n";
  out += "# COLLECTIVES\n";
  for (const auto& [to, volume] : row_of(summary, coll)) out += row_text('C', summary.rank, to, volume) + "\n";
  add_communicators(out, summary);
  return out;
}

// ------------------------------------------------------------ for people

namespace {

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  constexpr const char* units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1000;
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < std::size(units)) value /= 1000, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

std::string volume_text(const char* what, const Volume& volume) {
  return fmt::format("  {:<16}{:>14} messages {:>12}\n", what, volume.messages, human_bytes(volume.bytes));
}

}  // namespace

bool sums_fit(const Summary& summary) {
  Volume sum;
  for (const Volume& one : sums_by_kind(summary)) sum.add(one);
  return !summary.saturated && sum.bytes != UINT64_MAX;
}

std::string format_text(const Summary& summary, unsigned top) {
  std::string out =
      fmt::format("cairn {}: {} on {} rank{}\n", summary.tool, summary.program.substr(summary.program.rfind('/') + 1),
                  summary.ranks, summary.ranks == 1 ? "" : "s");
  const KindSums sums = sums_by_kind(summary);
  for (const auto& [kind, name] :
       {std::pair(sum_p2p, "point-to-point"), {sum_osc, "one-sided"}, {sum_coll, "collective"}})
    out += volume_text(name, sums[kind]);
  if (summary.of_tools.messages != 0)
    out += fmt::format("  not among these: {} messages and collective calls of tools above for themselves, {}\n",
                       summary.of_tools.messages, human_bytes(summary.of_tools.bytes));
  std::vector<Flow> messages = over_phases(summary, p2p);
  std::ranges::stable_sort(messages, std::greater<>(), &Flow::bytes);
  for (std::size_t i = 0; i < std::min<std::size_t>(top, messages.size()); ++i)
    out += volume_text(fmt::format("{} to {}", messages[i].from, messages[i].to).c_str(), messages[i]);
  return out;
}

}  // namespace comm
