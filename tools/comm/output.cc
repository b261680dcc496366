// SPDX-License-Identifier: BSD-3-Clause
// output.cc - writing a summary

#include "output.hpp"

#include <algorithm>
#include <map>

#include "formats/json_writer.hpp"
#include "formats/numbers.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace comm {

using namespace cairn::formats;

namespace {

// ------------------------------------------------------------ JSON

/// Nothing for no items; one per line.
template <class Items, class Each>
void write_list(JsonWriter& json, std::string_view name, const Items& items, Each each) {
  if (items.empty()) return;
  json.array(name, items, [&](const auto& item) { json.on_one_line([&] { each(item); }); });
}

/// The last value of a row: pairs of a limit, which no message's size reaches, and a number of messages.
void write_sizes(JsonWriter& json, const Sizes& sizes) {
  json.array(sizes, [&](const auto& size) { json.row(std::uint64_t{1} << size.first, size.second); });
}

void write_flow(JsonWriter& json, const Flow& flow) {
  json.array([&] {
    json.put_all(flow.from, flow.to, flow.messages, flow.bytes);
    write_sizes(json, flow.sizes);
  });
}

void write_share(JsonWriter& json, const Share& share) {
  json.array([&] {
    json.put_all(share.communicator, reach_names[static_cast<std::size_t>(share.reach)], share.rank, share.messages,
                 share.bytes);
    write_sizes(json, share.sizes);
  });
}

void write_calls(JsonWriter& json, const Calls& calls) {
  json.row(calls.communicator, calls.rank, calls.one_to_all.messages, calls.one_to_all.bytes, calls.all_to_one.messages,
           calls.all_to_one.bytes, calls.all_to_all.messages, calls.all_to_all.bytes);
}

void write_operation(JsonWriter& json, const OperationCalls& calls) {
  json.row(calls.communicator, operation_names[static_cast<std::size_t>(calls.what)], calls.rank, calls.messages,
           calls.bytes);
}

void write_files(JsonWriter& json, const Files& files) {
  json.row(files.rank, files.read.messages, files.read.bytes, files.written.messages, files.written.bytes);
}

void write_moment(JsonWriter& json, const Moment& moment) {
  json.array([&] {
    if (moment.number == Moment::end) json.put("end");
    else json.put(moment.number);
    json.put_all(static_cast<double>(moment.microseconds) / 1e6, moment.ranks);
    for (const Volume& sum : moment.sums) json.put_all(sum.messages, sum.bytes);
  });
}

void write_phase(JsonWriter& json, const Phase& phase) {
  json.object([&] {
    json("name", phase.name);
    for (std::size_t kind = 0; kind < flow_kinds; ++kind)
      write_list(json, flow_names[kind], phase.flows[kind], [&](const Flow& flow) { write_flow(json, flow); });
    write_list(json, "coll_shared", phase.shares, [&](const Share& share) { write_share(json, share); });
    write_list(json, "collectives", phase.calls, [&](const Calls& calls) { write_calls(json, calls); });
    write_list(json, "operations", phase.operations, [&](const OperationCalls& one) { write_operation(json, one); });
    write_list(json, "files", phase.files, [&](const Files& files) { write_files(json, files); });
  });
}

void write_heading(JsonWriter& json, const Summary& summary) {
  json("format", comm_tag.text());
  if (!summary.run.empty()) json("run", summary.run);
  json("program", summary.program);
  json("ranks", summary.ranks);
  if (summary.rank >= 0) json("rank", summary.rank);
  if (!summary.ended_by.empty()) json("ended_by", summary.ended_by);
  json("saturated", summary.saturated);
  json("lost", summary.lost);
  if (const Volume& tools = summary.of_tools; tools.messages != 0)
    json.object("tools", [&] {
      json("messages", tools.messages);
      json("bytes", tools.bytes);
    });
}

void write_node(JsonWriter& json, const Node& node) {
  json.object([&] {
    json("name", node.name);
    json("ranks", ranks_text(node.ranks));
  });
}

void write_communicator(JsonWriter& json, const Communicator& one) {
  json.object([&] {
    json("name", one.name);
    json("members", one.processes);
    json("remote", one.remote);
    json("number", one.number);
  });
}

}  // namespace

std::string format_json(const Summary& summary) {
  JsonWriter json(1);
  json.object([&] {
    write_heading(json, summary);
    write_list(json, "nodes", summary.nodes, [&](const Node& node) { write_node(json, node); });
    write_list(json, "communicators", summary.communicators,
               [&](const Communicator& one) { write_communicator(json, one); });
    if (!summary.moments.empty() && summary.moments.front().number != Moment::end)
      write_list(json, "moments", summary.moments, [&](const Moment& one) { write_moment(json, one); });
    json.array("phases", summary.phases, [&](const Phase& phase) { write_phase(json, phase); });
  });
  return json.take();
}

// ------------------------------------------------------------ Open MPI's text

namespace {

constexpr std::size_t monitoring_bins = 66;

/// With commas.
std::string joined(const auto& numbers) {
  std::string out;
  for (const auto number : numbers) add(out, {out.empty() ? "" : ",", number});
  return out;
}

std::string bins_text(const Sizes& sizes) {
  std::array<std::uint64_t, monitoring_bins> bins{};
  for (const auto& [bin, messages] : sizes) bins[bin] = messages;
  return joined(bins);
}

std::string volume_row(const Volume& volume) {
  return cat({"\t", volume.bytes, " bytes\t", volume.messages, " msgs sent"});
}

std::string row_text(const char* letter, int from, int to, const Volume& volume) {
  return cat({letter, "\t", from, "\t", to, volume_row(volume)});
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
    std::vector<int> ranks = ranks_of(one.processes);
    for (const int rank : ranks_of(one.remote)) ranks.push_back(rank);
    add(out, {"D\t", one.name, "\tprocs: ", joined(ranks), "\n"});
    add(out, {"O2A\t", summary.rank, volume_row(sum.one_to_all), "\n"});
    add(out, {"A2O\t", summary.rank, volume_row(sum.all_to_one), "\n"});
    add(out, {"A2A\t", summary.rank, volume_row(sum.all_to_all), "\n"});
  }
}

}  // namespace

std::string format_prof(const Summary& summary) {
  std::string out = "# POINT TO POINT\n";
  for (const Flow& flow : over_phases(summary, p2p))
    out += row_text("E", summary.rank, flow.to, flow) + "\t" + bins_text(flow.sizes) + "\n";
  out += "# OSC\n";
  for (const Flow& flow : over_phases(summary, put)) out += row_text("S", summary.rank, flow.to, flow) + "\n";
  for (const Flow& flow : over_phases(summary, fetched)) out += row_text("R", summary.rank, flow.from, flow) + "\n";
  out += "# COLLECTIVES\n";
  for (const auto& [to, volume] : row_of(summary, coll)) out += row_text("C", summary.rank, to, volume) + "\n";
  add_communicators(out, summary);
  return out;
}

// ------------------------------------------------------------ for people

namespace {

std::string volume_text(const Piece& what, const Volume& volume) {
  return cat(
      {"  ", left(what, 16), right(volume.messages, 14), " messages ", right(human_bytes(volume.bytes), 12), "\n"});
}

}  // namespace

bool sums_fit(const Summary& summary) {
  Volume sum;
  for (const Volume& one : sums_by_kind(summary)) sum.add(one);
  return !summary.saturated && sum.bytes != UINT64_MAX;
}

std::string format_text(const Summary& summary, unsigned top) {
  std::string out = cat({"cairn ", summary.tool, ": ", file_of(summary.program), " on ",
                         plural(static_cast<std::uint64_t>(summary.ranks), "rank"), "\n"});
  const KindSums sums = sums_by_kind(summary);
  for (const auto& [kind, name] :
       {std::pair(sum_p2p, "point-to-point"), {sum_osc, "one-sided"}, {sum_coll, "collective"}})
    out += volume_text(name, sums[kind]);
  if (summary.of_tools.messages != 0)
    add(out,
        {"  not among these: ", summary.of_tools.messages,
         " messages and collective calls of tools above for themselves, ", human_bytes(summary.of_tools.bytes), "\n"});
  std::vector<Flow> messages = over_phases(summary, p2p);
  std::ranges::stable_sort(messages, std::greater<>(), &Flow::bytes);
  for (std::size_t i = 0; i < std::min<std::size_t>(top, messages.size()); ++i)
    out += volume_text(cat({messages[i].from, " to ", messages[i].to}), messages[i]);
  return out;
}

}  // namespace comm
