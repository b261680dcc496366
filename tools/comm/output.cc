// SPDX-License-Identifier: BSD-3-Clause
// output.cc - writing a summary

#include "output.hpp"

#include <algorithm>
#include <map>

#include "formats/numbers.hpp"
#include "formats/text.hpp"

namespace comm {

using namespace cairn::formats;

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
  std::string out = cat({"cairn ", summary.tool, ": ", harmless(file_of(summary.program)), " on ",
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
