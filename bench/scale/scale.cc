// SPDX-License-Identifier: BSD-3-Clause
// scale.cc - jobs of any size that never were: their results, their pages, and the tree in which their figures meet
//
//   scale results FOLDER RANKS     results of such a run
//   scale pages FOLDER RANKS       pages of a running job, by node
//   scale send FOLDER HOST COMMAND  what `cairn where` would send there with that command, by one process for all nodes
//   scale node FOLDER RANKS SHAPE  the same, all on one node; who waits for whom: late, half, chain or ring (pages.hpp)
//   scale reduce RANKS             what it costs to put figures together in MPI_Finalize, as JSON
//   scale waits RANKS CALLS        what it costs to analyse as many calls of each rank, in sections of 10 million, as JSON

#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "cairn/kit/packing.hpp"
#include "engine/job/places.hpp"
#include "formats/ranks.hpp"
#include "pages.hpp"
#include "rank_summary.hpp"
#include "records.hpp"
#include "reduction.hpp"
#include "results.hpp"
#include "waits/summary.hpp"
#include "where/jobs.hpp"
#include "where/sent_pages.hpp"

namespace cairn::scale {

namespace {

template <class Own, class Pack, class Add>
void reduce(const char* what, const Job& job, Own own, Pack pack, Add add, const char* separator = ",") {
  Reduction<Own, Pack, Add> reduction(job.ranks, own, pack, add);
  reduction.all();
  const ReductionCost& cost = reduction.cost();
  std::printf(
      "  \"%s\": {\"first_s\": %.6f, \"path_s\": %.6f, \"all_s\": %.6f, \"first_bytes\": %zu, \"largest_bytes\": "
      "%zu}%s\n",
      what, cost.first_s, cost.path_s, cost.all_s, cost.first_bytes, cost.largest_bytes, separator);
}

void reduce_all(const Job& job) {
  std::puts("{");
  reduce(
      "run", job,
      [&](int rank) {
        return engine::Places({Job::node_name(job.node_of(rank)), std::to_string(rank % job.per_node)}, rank);
      },
      [](const engine::Places& own) { return own.to_bytes(); },
      [](engine::Places& into, const std::string& bytes) { into.add(engine::Places::from_bytes(bytes)); });
  const auto take_rows = [](profile::Gathered& into, const std::string& bytes) { unpack(into, bytes); };
  const auto pack_rows = [](const profile::Gathered& own) { return profile::pack(own); };
  reduce(
      "profile", job, [&](int rank) { return rank_figures(job, rank, false); }, pack_rows, take_rows);
  reduce(
      "profile_ranks", job, [&](int rank) { return rank_figures(job, rank, true); }, pack_rows, take_rows);
  reduce(
      "comm", job, [&](int rank) { return rank_summary(job, rank); },
      [](const comm::Summary& own) { return cairn::pack<comm::Summary>(own); },
      [](comm::Summary& into, const std::string& bytes) { merge(into, cairn::unpack<comm::Summary>(bytes)); }, "");
  std::puts("}");
}

double processor_s() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void analyse_waits(const Job& job, std::uint32_t calls) {
  constexpr std::uint32_t in_section = 10'000'000;
  const std::uint32_t all = std::max(1U, calls / 4);
  const std::uint32_t steps = std::max(1U, in_section / 4 / static_cast<unsigned>(job.ranks));
  waits::Analysis analysis(name_place);
  double first_s = 0;
  double own_s = 0;
  std::uint32_t sections = 0;
  for (std::uint32_t step = 0; step < all; step += steps, ++sections) {
    std::vector<waits::RankRecords> section = records(job, {step, std::min(all, step + steps), all});
    const double begin = processor_s();
    analysis.add(std::move(section));
    own_s += processor_s() - begin;
    if (sections == 0) first_s = own_s;
  }
  const double begin = processor_s();
  const formats::waits::Summary summary = analysis.summary();
  const std::string text = file_text(summary);
  own_s += processor_s() - begin;
  std::printf(
      "{\"calls\": %llu, \"sections\": %u, \"first_s\": %.3f, \"own_s\": %.3f, \"json_bytes\": %zu, \"cause_ranks\": "
      "\"%s\", \"cause_share\": %.4f}\n",
      static_cast<unsigned long long>(summary.coverage.calls), sections, first_s, own_s, text.size(),
      summary.causes.empty() ? "" : formats::ranks_text(summary.causes[0].ranks).c_str(),
      summary.causes.empty() ? 0 : summary.causes[0].share);
}

std::string word_after(const std::string& option, const std::string& command) {
  const std::size_t at = command.find(option + " ");
  if (at == command.npos) return "";
  const std::size_t begin = at + option.size() + 1;
  return command.substr(begin, command.find(' ', begin) - begin);
}

void send_for(const std::string& folder, const std::string& host, const std::string& command) {
  const std::string others = word_after("--nodes", command);
  const std::string all = host + (others.empty() ? "" : "," + others);
  const double every_s = std::atof(word_after("--every", command).c_str());
  const auto calls = static_cast<std::size_t>(std::atoi(word_after("--pages", command).c_str()));
  struct Node {
    std::vector<std::string> pages;
    where::PageSender sender;
  };
  std::vector<Node> nodes;
  for (const std::string_view name : split(all, ','))
    nodes.push_back({where::pages_in(folder + "/" + std::string(name)), {std::string(name), calls}});
  for (auto next = std::chrono::steady_clock::now();; std::this_thread::sleep_until(next)) {
    next += std::chrono::milliseconds(static_cast<int>(1000 * every_s));
    for (Node& node : nodes) {
      const std::string lines = node.sender.lines(node.pages);
      if (std::fwrite(lines.data(), 1, lines.size(), stdout) != lines.size()) return;
    }
    if (std::fflush(stdout) != 0) return;
  }
}

int usage() {
  std::fputs(
      "usage: scale results|pages FOLDER RANKS | scale node FOLDER RANKS SHAPE | scale reduce RANKS | scale waits "
      "RANKS CALLS | scale send FOLDER HOST COMMAND\n",
      stderr);
  return 2;
}

int run(int count, char** words) {
  const std::string_view what = count > 1 ? words[1] : "";
  if (what == "send" && count == 5) {
    send_for(words[2], words[3], words[4]);
    return 0;
  }
  const int expected = what == "reduce" ? 3 : what == "node" ? 5 : 4;
  const bool is_first = what == "reduce" || what == "waits";  // after it
  const int ranks = count == expected ? std::atoi(words[is_first ? 2 : 3]) : 0;
  if (ranks < 1) return usage();
  const Job job = what == "node" ? Job(ranks, ranks) : Job(ranks);
  if (what == "results") write_results(job, words[2]);
  else if (what == "pages") write_pages(job, words[2], Shape::late);
  else if (what == "node") write_pages(job, words[2], shape_of(words[4]));
  else if (what == "reduce") reduce_all(job);
  else if (what == "waits") analyse_waits(job, static_cast<std::uint32_t>(std::atoi(words[3])));
  else return usage();
  return 0;
}

}  // namespace

}  // namespace cairn::scale

int main(int count, char** words) try {
  return cairn::scale::run(count, words);
} catch (const std::exception& problem) {
  std::fprintf(stderr, "scale: %s\n", problem.what());
  return 1;
}
