// SPDX-License-Identifier: BSD-3-Clause
// followed_nodes.cc - keeping commands on other nodes at work

#include "where/followed_nodes.hpp"

#include <algorithm>
#include <chrono>
#include <set>
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

/// Much may come at first.
bool FollowedNodes::Followed::is_young() const {
  return listened - std::max(started, asking->pages().heard()) < duration_of(patience_s);
}

void FollowedNodes::Followed::start(const Question& asked, const PassOn& pass_on) {
  question = asked;
  started = listened = now();
  asking = hosts.front().empty() ? ask_slurm(question) : ask_hosts(question, hosts, pass_on);
}

void FollowedNodes::Followed::start_again(const Question& asked, const PassOn& pass_on) {
  if (sends() || is_young()) return;
  std::rotate(hosts.begin(), hosts.begin() + 1, hosts.end());
  start(asked, pass_on);
}

bool FollowedNodes::Followed::is_fresh(const SentPages::Sender& sender) const {
  if (sender.is_damaged || sender.times == 0) return false;
  if (!sender.has_pages) return true;
  return !asking->is_over() && listened - sender.last < duration_of(std::max(patience_s, 3 * question.every_s));
}

bool FollowedNodes::Followed::sends() const {
  return !asking->is_over() &&
         std::ranges::any_of(asking->pages().senders(), [this](const auto& one) { return is_fresh(one.second); });
}

/// A node that is asked alone may call itself otherwise.
bool FollowedNodes::Followed::has_answered(const std::string& one) const {
  const auto& senders = asking->pages().senders();
  if (one.empty() || (hosts.size() == 1 && one == hosts.front()))
    return std::ranges::any_of(senders, [this](const auto& sender) { return is_fresh(sender.second); });
  const auto sender = senders.find(one);
  return sender != senders.end() && is_fresh(sender->second);
}

bool FollowedNodes::Followed::has_news(AskingUntil begin) const {
  const auto& senders = asking->pages().senders();
  if (asking->is_over() || (senders.empty() && !is_young())) return true;
  return !senders.empty() && std::ranges::all_of(senders, [&](const auto& one) {
    return !one.second.has_pages || !is_fresh(one.second) || one.second.last >= begin;
  });
}

/// Of Slurm's nodes it may be unknown which should answer: then one is enough.
std::vector<std::string> FollowedNodes::Followed::silent_hosts() const {
  std::vector<std::string> silent = asking->hosts();
  if (silent.empty()) silent.emplace_back();
  std::erase_if(silent, [this](const std::string& one) { return has_answered(one); });
  return silent;
}

std::string FollowedNodes::Followed::reason(const std::string& host) const {
  const auto& senders = asking->pages().senders();
  const auto told = senders.find(host);
  if (told != senders.end() ? told->second.is_damaged
                            : std::ranges::any_of(senders, [](const auto& one) { return one.second.is_damaged; }))
    return "what it sends is damaged";
  if (told != senders.end() && !told->second.silence.empty())
    return formats::cat({"from ", hosts.front(), ": ", told->second.silence});
  return asking->reason(patience_s);
}

// ------------------------------------------------------------ all of them

/// In as many parts as are asked from here.
void FollowedNodes::follow(std::vector<std::string> hosts, const Question& question) {
  const std::size_t parts = std::min(hosts.size(), question.fan_out);
  for (std::size_t i = 0; i < parts; ++i) {
    const auto at = [&](std::size_t part) {
      return hosts.begin() + static_cast<std::ptrdiff_t>(part * hosts.size() / parts);
    };
    all_.push_back({{at(i), at(i + 1)}, {at(i), at(i + 1)}, question, limits_.patience_s, nullptr, {}, {}});
    all_.back().start(question, pass_on_);
  }
}

/// Those that others cannot reach, or from which damage came through others.
std::vector<std::string> FollowedNodes::unreached() const {
  std::vector<std::string> hosts;
  for (const Followed& one : all_)
    for (const auto& [host, sender] : one.asking->pages().senders())
      if (one.hosts.size() > 1 && (sender.is_damaged || !sender.silence.empty())) hosts.push_back(host);
  std::erase_if(hosts, [this](const std::string& host) {
    return std::ranges::any_of(all_, [&](const Followed& one) { return one.hosts == std::vector{host}; });
  });
  return hosts;
}

void FollowedNodes::ask(const Question& question) {
  std::vector<std::string> hosts;
  if (is_of_slurm(question)) hosts.emplace_back();
  else
    for (const auto& [host, ranks] : question.nodes) hosts.push_back(host);
  const auto has_ranks = [&](const Followed& one) {
    return std::ranges::any_of(one.hosts, [&](const auto& host) { return std::ranges::binary_search(hosts, host); });
  };
  std::erase_if(all_, [&](const Followed& one) { return one.asking->is_over() && !has_ranks(one); });
  for (Followed& one : all_)
    if (has_ranks(one)) one.start_again(question, pass_on_);
  std::set<std::string> followed;
  for (const Followed& one : all_) followed.insert(one.hosts.begin(), one.hosts.end());
  std::erase_if(hosts, [&](const std::string& host) { return followed.contains(host); });
  left_out_nodes_ = left_out_ranks_ = 0;
  const std::size_t room = limits_.most_nodes - std::min(limits_.most_nodes, followed.size());
  for (; hosts.size() > room; hosts.pop_back()) {
    ++left_out_nodes_;
    if (const auto node = question.nodes.find(hosts.back()); node != question.nodes.end())
      left_out_ranks_ += node->second.size();
  }
  follow(std::move(hosts), question);
  for (const std::string& host : unreached())
    if (all_.size() < limits_.most_asked) follow({host}, question);
}

std::vector<Asking*> FollowedNodes::asked() const {
  std::vector<Asking*> all;
  for (const Followed& one : all_) all.push_back(one.asking.get());
  return all;
}

void FollowedNodes::wait(double seconds) {
  const AskingUntil begin = now();
  const std::vector<Asking*> all = asked();
  while (read_more(all, begin + duration_of(seconds))) {
  }
  std::this_thread::sleep_until(begin + duration_of(seconds));  // where nothing can come
  const auto have_news = [&] {
    return std::ranges::all_of(all_, [&](const Followed& one) { return one.has_news(begin); });
  };
  while (!have_news() && read_more(all, begin + duration_of(1.5 * seconds))) {
  }
  note_listening();
}

/// What has come while nobody took it, is no silence.
void FollowedNodes::note_listening() {
  for (Followed& one : all_) one.listened = now();
}

void FollowedNodes::pass_on_until(AskingUntil until, const AlsoWaitedFor& also) {
  const std::vector<Asking*> all = asked();
  while (read_more(all, until, also)) {
  }
  note_listening();
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

/// It may still answer.
bool FollowedNodes::Followed::is_expected(const std::string& host) const {
  if (!is_asked(host) || asking->is_over() || !is_young()) return false;
  const auto sender = asking->pages().senders().find(host);
  return sender == asking->pages().senders().end() || sender->second.silence.empty();
}

std::map<std::string, std::string> FollowedNodes::silent() const {
  std::map<std::string, std::string> hosts;
  for (const Followed& one : all_)
    for (const std::string& host : one.silent_hosts()) {
      const auto expects_it = [&](const Followed& other) { return other.is_expected(host); };
      if (one.is_expected(host) || has_answered(host) || std::ranges::any_of(all_, expects_it)) continue;
      hosts[host.empty() ? one.question.launcher : host] = one.reason(host);
    }
  return hosts;
}

std::string FollowedNodes::left_out() const {
  if (left_out_nodes_ == 0) return "";
  return formats::cat({formats::plural(left_out_nodes_, "node"), " with ", formats::plural(left_out_ranks_, "rank"),
                       left_out_nodes_ == 1 ? " is" : " are", " not seen: no more than ", limits_.most_nodes,
                       " nodes are followed"});
}

bool FollowedNodes::has_answered(const std::string& host) const {
  return std::ranges::any_of(all_, [&](const Followed& one) { return one.is_asked(host) && one.has_answered(host); });
}

bool FollowedNodes::all_have_answered() const {
  return std::ranges::all_of(all_, [this](const Followed& one) {
    const std::vector<std::string> hosts = one.silent_hosts();
    return std::ranges::all_of(hosts, [this](const std::string& host) { return has_answered(host); });
  });
}

bool FollowedNodes::are_over() const {
  return std::ranges::all_of(all_, [](const Followed& one) { return one.asking->is_over(); });
}

}  // namespace cairn::where
