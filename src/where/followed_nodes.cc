// SPDX-License-Identifier: BSD-3-Clause
// followed_nodes.cc - keeping commands on other nodes at work

#include "where/followed_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "base/message.hpp"
#include "formats/text.hpp"

namespace cairn::where {

namespace {

AskingUntil now() { return std::chrono::steady_clock::now(); }

AskingUntil::duration duration_of(double seconds) {
  return std::chrono::duration_cast<AskingUntil::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

// ------------------------------------------------------------ one of them

bool FollowedNodes::Followed::is_young() const { return now() - started < duration_of(patience_s); }

void FollowedNodes::Followed::start(const Question& asked) {
  question = asked;
  started = now();
  asking = host.empty() ? ask_slurm(question) : ask_host(question, host);
}

void FollowedNodes::Followed::start_again(const Question& asked) {
  const auto& senders = asking->pages().senders();
  const bool sends =
      !asking->is_over() && std::ranges::any_of(senders, [this](const auto& one) { return is_fresh(one.second); });
  if (!sends && !is_young()) start(asked);
}

bool FollowedNodes::Followed::is_fresh(const SentPages::Sender& sender) const {
  if (sender.is_damaged || sender.times == 0) return false;
  if (sender.pages.empty()) return true;
  return !asking->is_over() && now() - sender.last < duration_of(std::max(patience_s, 3 * question.every_s));
}

bool FollowedNodes::Followed::has_answered(const std::string& one) const {
  return std::ranges::any_of(asking->pages().senders(), [&](const auto& sender) {
    return (!host.empty() || one.empty() || sender.first == one) && is_fresh(sender.second);
  });
}

bool FollowedNodes::Followed::has_news(AskingUntil begin) const {
  const auto& senders = asking->pages().senders();
  if (asking->is_over() || (senders.empty() && !is_young())) return true;
  return !senders.empty() && std::ranges::all_of(senders, [&](const auto& one) {
    return one.second.pages.empty() || !is_fresh(one.second) || one.second.last >= begin;
  });
}

/// Of Slurm's nodes it may be unknown which should answer: then one is enough.
std::vector<std::string> FollowedNodes::Followed::silent_hosts() const {
  std::vector<std::string> hosts = asking->hosts();
  if (hosts.empty()) hosts.emplace_back();
  std::erase_if(hosts, [this](const std::string& one) { return has_answered(one); });
  return hosts;
}

std::string FollowedNodes::Followed::reason() const {
  const bool is_damaged =
      std::ranges::any_of(asking->pages().senders(), [](const auto& one) { return one.second.is_damaged; });
  return is_damaged ? "what it sends is damaged" : asking->reason(patience_s);
}

// ------------------------------------------------------------ all of them

void FollowedNodes::ask(const Question& question) {
  std::vector<std::string> hosts;
  if (is_of_slurm(question)) hosts.emplace_back();
  else
    for (const auto& [host, ranks] : question.nodes) hosts.push_back(host);
  std::erase_if(all_, [&](const Followed& one) {  // it has no ranks any more
    return one.asking->is_over() && std::ranges::find(hosts, one.host) == hosts.end();
  });
  left_out_nodes_ = left_out_ranks_ = 0;
  for (const std::string& host : hosts) {
    if (const auto known = std::ranges::find(all_, host, &Followed::host); known != all_.end()) {
      known->start_again(question);
    } else if (all_.size() < most_) {
      all_.push_back({host, question, patience_s_, nullptr, {}});
      all_.back().start(question);
    } else {
      ++left_out_nodes_;
      if (const auto node = question.nodes.find(host); node != question.nodes.end())
        left_out_ranks_ += node->second.size();
    }
  }
}

void FollowedNodes::wait(double seconds) {
  const AskingUntil begin = now();
  std::vector<Asking*> asked;
  for (Followed& one : all_) asked.push_back(one.asking.get());
  while (read_more(asked, begin + duration_of(seconds))) {
  }
  std::this_thread::sleep_until(begin + duration_of(seconds));  // where nothing can come
  const auto have_news = [&] {
    return std::ranges::all_of(all_, [&](const Followed& one) { return one.has_news(begin); });
  };
  while (!have_news() && read_more(asked, begin + duration_of(1.5 * seconds))) {
  }
}

void FollowedNodes::give(const std::string& host, const std::string& text) {
  for (const Followed& one : all_)
    if (one.asking->pages().senders().contains(host)) one.asking->give(text);
}

std::vector<Process> FollowedNodes::processes(std::vector<std::string>& damaged) const {
  std::vector<Process> processes;
  PageReader reader;
  const auto read = [&](const SentPage& page) {
    try {
      processes.push_back(reader.read(page));
    } catch (const Problem& problem) {
      damaged.push_back(problem.what());
    }
  };
  for (const Followed& one : all_)
    for (const auto& [name, sender] : one.asking->pages().senders())
      if (one.is_fresh(sender)) std::ranges::for_each(sender.pages, read);
  return processes;
}

std::map<std::string, std::string> FollowedNodes::silent() const {
  std::map<std::string, std::string> hosts;
  for (const Followed& one : all_) {
    if (!one.asking->is_over() && one.is_young()) continue;
    for (const std::string& host : one.silent_hosts())
      hosts[host.empty() ? one.question.launcher : host] = one.reason();
  }
  return hosts;
}

std::string FollowedNodes::left_out() const {
  if (left_out_nodes_ == 0) return "";
  return formats::cat({formats::plural(left_out_nodes_, "node"), " with ", formats::plural(left_out_ranks_, "rank"),
                       left_out_nodes_ == 1 ? " is" : " are", " not seen: no more than ", most_,
                       " nodes are followed"});
}

bool FollowedNodes::all_have_answered() const {
  return std::ranges::all_of(all_, [](const Followed& one) { return one.silent_hosts().empty(); });
}

}  // namespace cairn::where
