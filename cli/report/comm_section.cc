// SPDX-License-Identifier: BSD-3-Clause
// comm_section.cc - comm.json as a section: facts and what matters

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/file_bytes.hpp"
#include "base/text.hpp"
#include "cli/report/comm_parts.hpp"
#include "cli/report/entries.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/ranks.hpp"
#include "formats/readers.hpp"

namespace cairn::report {

namespace {

using comm::Data;
using comm::kinds;
using comm::total_of;
using comm::Volume;
using comm::Whole;

std::vector<Fact> facts_of(const Data& data, const Whole& whole) {
  std::vector<Fact> facts = {{"program", "program", Kind::text, data.program, false},
                             {"ranks", "ranks", Kind::number, data.ranks, false}};
  for (std::size_t i = 0; i < kinds; ++i) {
    const std::string key = comm::kind_keys[i];
    facts.push_back(
        {key + "_bytes", std::string(comm::kind_names[i]) + " bytes", Kind::bytes, whole.sums[i].bytes, true});
    facts.push_back({key + "_messages", std::string(comm::kind_names[i]) + " messages", Kind::count,
                     whole.sums[i].messages, false});
  }
  facts.push_back({"between_nodes_bytes", "bytes between nodes", Kind::bytes, whole.between_nodes.bytes, true});
  facts.push_back({"within_nodes_bytes", "bytes within nodes", Kind::bytes, whole.within_nodes.bytes, false});
  if (whole.unknown_nodes.bytes > 0)
    facts.push_back({"unknown_nodes_bytes", "bytes from or to ranks on unknown nodes", Kind::bytes,
                     whole.unknown_nodes.bytes, true, true});
  return facts;
}

std::string share(double part, double of) { return percent(of > 0 ? part / of : 0); }

void find_volume(const Whole& whole, std::vector<Line>& lines) {
  const Volume total = total_of(whole.sums);
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kinds; ++i)
    if (whole.sums[i].messages > 0)
      parts.push_back(fmt::format("{} {} in {} messages", comm::kind_names[i], bytes(whole.sums[i].bytes),
                                  count(static_cast<std::uint64_t>(whole.sums[i].messages))));
  lines.push_back(
      {bytes(total.bytes), "sent from rank to rank", parts.empty() ? "No messages." : join(parts, ", ") + "."});
}

void find_unknown_nodes(const Data& data, const Whole& whole, std::vector<Line>& lines) {
  if (whole.unknown_nodes.messages <= 0) return;
  const std::vector<int> ranks = data.ranks_without_node();
  lines.push_back({bytes(whole.unknown_nodes.bytes), "may have gone from one node to another, or not",
                   fmt::format("They went from or to {}: neither comm nor run.json tells on which node.",
                               formats::named_ranks(ranks))});
}

void find_nodes(const Data& data, const Whole& whole, std::vector<Line>& lines) {
  find_unknown_nodes(data, whole, lines);
  if (data.nodes.size() < 2) return;
  const double all = whole.between_nodes.bytes + whole.within_nodes.bytes;
  lines.push_back(
      {share(whole.between_nodes.bytes, all), "of the bytes go from one node to another",
       fmt::format("{} between {} nodes, {} within them. Placing ranks that exchange much data on one node reduces it.",
                   bytes(whole.between_nodes.bytes), data.nodes.size(), bytes(whole.within_nodes.bytes))});
}

/// What the figures do not have.
void find_missing(const Data& data, const std::vector<formats::Part>& ends, std::vector<Line>& lines) {
  if (data.has_lost) lines.push_back({"not all", "is counted", "Some rank had no memory for more."});
  if (data.is_saturated)
    lines.push_back(
        {"2^64", "bytes or more are in some sum",
         "It did not fit, and stayed at the greatest number: there are more bytes than these figures tell."});
  std::vector<int> killed;
  for (const formats::Part& end : ends)
    if (end.is_of_killed()) killed.push_back(end.rank);
  std::ranges::sort(killed);
  if (!killed.empty())
    lines.push_back({"no phases", "and no names of communicators are known of " + formats::named_ranks(killed),
                     "What comm had there is from memory that outlived the process: it counts as outside of regions, "
                     "collective calls as those of communicators without a name, and sizes of messages are missing."});
}

void find_of_tools(const Data& data, std::vector<Line>& lines) {
  if (data.of_tools.messages > 0)
    lines.push_back(
        {bytes(data.of_tools.bytes), "sent by tools for themselves",
         fmt::format("{} messages and collective calls of tools above comm; they are not in the sums above.",
                     count(static_cast<std::uint64_t>(data.of_tools.messages)))});
}

/// What stands apart from the sums.
void find_apart(const std::vector<comm::Flow>& flows, const char* subject, const char* sentence,
                std::vector<Line>& lines) {
  const Volume sum = total_of(flows);
  if (sum.messages > 0)
    lines.push_back({bytes(sum.bytes), subject,
                     fmt::format(fmt::runtime(sentence), count(static_cast<std::uint64_t>(sum.messages)))});
}

double bytes_of(const comm::Pairs::value_type& pair) { return total_of(pair.second).bytes; }

/// What the pair with `most` bytes is among them.
std::string place_of_first(const comm::Pairs& pairs, double most) {
  if (pairs.size() == 1) return "the only pair that communicates";
  const auto as_much = static_cast<std::size_t>(std::ranges::count(pairs, most, bytes_of));
  const std::string others = fmt::format("{} pairs communicate", count(pairs.size()));
  if (as_much == 1) return "more than any other pair; " + others;
  return fmt::format("as much as {}; {}", plural(as_much - 1, "other pair"), others);
}

void find_pair(const comm::Pairs& pairs, bool with_shares, double all, std::vector<Line>& lines) {
  if (pairs.empty() || all <= 0) return;
  const auto& [ranks, sums] = *std::ranges::max_element(pairs, {}, bytes_of);
  const Volume most = total_of(sums);
  lines.push_back(
      {share(most.bytes, all), fmt::format("of the bytes go from rank {} to rank {}", ranks.first, ranks.second),
       fmt::format("{} in {}, {}{}.", bytes(most.bytes), plural(static_cast<std::uint64_t>(most.messages), "message"),
                   place_of_first(pairs, most.bytes),
                   with_shares ? "" : ", not counting what collective calls send to all ranks alike")});
}

void find_ranks(const Whole& whole, std::vector<Line>& lines) {
  const auto most = std::ranges::max_element(whole.sent, {}, &Volume::bytes);
  if (most == whole.sent.end() || most->bytes <= 0) return;
  const double mean = std::accumulate(whole.sent.begin(), whole.sent.end(), 0.0,
                                      [](double sum, const Volume& one) { return sum + one.bytes; }) /
                      static_cast<double>(whole.sent.size());
  if (whole.sent.size() > 1 && std::ranges::min(whole.sent, {}, &Volume::bytes).bytes == most->bytes) {
    lines.push_back({bytes(mean), "sent by each rank", "All ranks send the same amount."});
    return;
  }
  lines.push_back({fmt::format("{:.2f}x", most->bytes / mean),
                   fmt::format("the mean, sent by rank {}", most - whole.sent.begin()),
                   fmt::format("{}; the mean over ranks is {}.", bytes(most->bytes), bytes(mean))});
}

/// Bytes of each second between two snapshots.
void find_time(const Data& data, std::vector<Line>& lines) {
  if (data.moments.size() < 2 || data.moments.back().microseconds == 0) return;
  double begin = 0;
  double all = 0;
  double most = 0;
  std::string when;
  for (const comm::Moment& moment : data.moments) {
    const double sent = total_of(moment.sums).bytes;
    const double until = moment.seconds();
    const double rate = until > begin ? sent / (until - begin) : 0;
    if (rate > most) when = fmt::format("From {} to {}", seconds(begin), seconds(until));
    most = std::max(most, rate);
    all += sent;
    begin = until;
  }
  if (most > 0)
    lines.push_back({bytes(most) + "/s", "in the busiest interval between two snapshots",
                     fmt::format("{}; the mean over {} is {}/s.", when, seconds(begin), bytes(all / begin))});
}

std::vector<RankFigures> by_rank(const Whole& whole) {
  std::vector<RankFigures> figures = {{{"sent_bytes", "sent", Kind::bytes, Column::sum, true}, {}},
                                      {{"received_bytes", "received", Kind::bytes, Column::sum, true}, {}}};
  for (const Volume& sent : whole.sent) figures[0].values.push_back(sent.bytes);
  for (const Volume& received : whole.received) figures[1].values.push_back(received.bytes);
  return figures;
}

/// What `cairn place` has drawn of the run.
void add_picture(const std::string& path, const std::string& run, Section& section) {
  constexpr std::size_t most_bytes = 8'000'000;
  const std::string svg = whole_file(path).value_or("");
  const bool is_of_run =
      svg.find(picture_mark_begins) == std::string::npos || svg.find(picture_mark(run)) != std::string::npos;
  if (svg.starts_with("<svg ") && svg.size() <= most_bytes && is_of_run)
    section.charts.push_back({{"type", "picture"}, {"title", "Ranks as cairn place would put them"}, {"svg", svg}});
}

}  // namespace

CommParts::CommParts(comm::Data from)
    : data(std::move(from)),
      whole(whole_of(data)),
      with_shares(tells_shared_pairs(data)),
      pairs(pairs_of(data, with_shares)) {}

void show_comm(comm::Data read, const std::vector<formats::Part>& ends, Section& section) {
  const CommParts parts(std::move(read));
  const auto& [data, whole, with_shares, pairs] = parts;
  section.question = Question::messages;
  section.facts = facts_of(data, whole);
  section.tables = comm_tables(parts);
  section.charts = comm_charts(parts, section.tables);
  section.by_rank = by_rank(whole);
  for (const formats::Part& end : ends) add_end(end, section.lines);
  find_missing(data, ends, section.lines);
  find_volume(whole, section.lines);
  find_of_tools(data, section.lines);
  find_apart(
      data.beside.inner, "sent by the library itself",
      "{} messages that Open MPI makes of collective and one-sided calls, by its own monitoring; they are not in "
      "the sums above.",
      section.lines);
  find_apart(data.beside.modelled, "sent in collective calls, by a model",
             "{} messages, if the library used the algorithms of MPICH 4.0.2; not measured, and not in the sums above.",
             section.lines);
  find_nodes(data, whole, section.lines);
  find_pair(pairs, with_shares, total_of(whole.sums).bytes, section.lines);
  find_ranks(whole, section.lines);
  find_time(data, section.lines);
}

void read_comm(const std::string& folder, const NextFile& next, Section& section) {
  std::vector<formats::Part> ends;
  formats::comm::Summary whole = formats::read_comm(next().value());
  const auto note_end = [&](const formats::comm::Summary& one) { ends.push_back({one.rank, one.ended_by}); };
  note_end(whole);
  while (const std::optional<Json> json = next()) {
    formats::comm::Summary one = formats::read_comm(*json);
    note_end(one);
    merge(whole, std::move(one));
  }
  const std::string run = whole.run;
  show_comm(comm::Data(std::move(whole), comm::Beside(folder)), ends, section);
  add_picture(folder + "/../placement.svg", run, section);
}

}  // namespace cairn::report
