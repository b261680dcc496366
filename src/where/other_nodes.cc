// SPDX-License-Identifier: BSD-3-Clause
// other_nodes.cc - which nodes are to be asked, and asking them once

#include "where/other_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"
#include "formats/ranks.hpp"
#include "where/asking.hpp"

namespace cairn::where {

namespace {

/// Pages are read as they come: a process takes a small part of the room of its page.
void take_pages(const std::string& host, const std::string& bytes, NodeAnswers& answers) {
  PageReader reader;
  SentPages::for_each_page(host, bytes, [&](const SentPage& page) {
    try {
      answers.processes.push_back(reader.read(page));
    } catch (const Problem& problem) {
      answers.damaged.push_back(problem.what());
    }
  });
}

void take_answers(const Asking& asking, const Question& question, NodeAnswers& answers) {
  for (const std::string& host : asking.hosts()) answers.silent.emplace(host, asking.reason(question.limit_s));
  for (const auto& [sender, sent] : asking.pages().senders()) {
    if (sent.is_damaged || sent.times == 0) continue;
    answers.silent.erase(is_of_slurm(question) ? sender : asking.hosts().front());
    take_pages(sender, sent.bytes, answers);
  }
}

/// All at the same time.
void ask_round(const Question& question, const std::vector<std::unique_ptr<Asking>>& all, NodeAnswers& answers) {
  const std::chrono::duration<double> limit(question.limit_s);
  const AskingUntil until = std::chrono::steady_clock::now() + std::chrono::duration_cast<AskingUntil::duration>(limit);
  std::vector<Asking*> asked;
  for (const auto& one : all) asked.push_back(one.get());
  while (read_more(asked, until)) {
  }
  for (const auto& one : all) take_answers(*one, question, answers);
}

/// With the ranks that have no page here.
std::map<std::string, std::vector<int>> nodes_unseen(const JobPages& job) {
  std::set<int> seen;
  for (const Process& process : job.processes) seen.insert(process.rank);
  std::map<std::string, std::vector<int>> nodes = nodes_of(job.nodes());
  for (auto& [host, ranks] : nodes) std::erase_if(ranks, [&](int rank) { return seen.contains(rank); });
  std::erase_if(nodes, [](const auto& node) { return node.second.empty(); });
  return nodes;
}

}  // namespace

std::map<std::string, std::vector<int>> nodes_of(std::string_view text) {
  constexpr int most_ranks = 1 << 24;
  std::map<std::string, std::vector<int>> nodes;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() == 2 && !words[0].empty() && words[0].front() != '-')
      nodes[std::string(words[0])] = formats::ranks_of(words[1], most_ranks);
  }
  return nodes;
}

Question question_about(const JobPages& job) {
  constexpr std::size_t most_records = std::size_t{1} << 22U;  // some hundred megabytes
  const auto ranks = static_cast<std::size_t>(std::max(job.processes.front().size, 1));
  Question question;
  question.launcher = job.launcher();
  question.job = job.name;
  question.history = std::clamp<std::size_t>(most_records / ranks, 64, 4096);
  question.nodes = nodes_unseen(job);
  return question;
}

NodeAnswers ask_nodes(const Question& question) {
  NodeAnswers answers;
  if (is_of_slurm(question)) {
    std::vector<std::unique_ptr<Asking>> one;
    one.push_back(ask_slurm(question));
    ask_round(question, one, answers);
    return answers;
  }
  constexpr std::size_t at_once = 64;
  for (auto node = question.nodes.begin(); node != question.nodes.end();) {
    std::vector<std::unique_ptr<Asking>> round;
    for (; node != question.nodes.end() && round.size() < at_once; ++node)
      round.push_back(ask_host(question, node->first));
    ask_round(question, round, answers);
  }
  return answers;
}

}  // namespace cairn::where
