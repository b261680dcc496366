// SPDX-License-Identifier: BSD-3-Clause
// policies.cc - reading rules and events, and joining those of all ranks

#include "live/policies.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>
#include <utility>

#include "base/message.hpp"
#include "formats/policy_board.hpp"
#include "formats/ranks.hpp"
#include "live/board_reader.hpp"

namespace cairn::live {

namespace policy = formats::policy;

namespace {

/// Off the front of an entry. False: it is too short.
template <class Figures>
bool take(std::span<const char>& content, Figures& figures) {
  if (content.size() <= sizeof figures) return false;
  std::memcpy(static_cast<void*>(&figures), content.data(), sizeof figures);
  content = content.subspan(sizeof figures);
  return true;
}

/// What makes events of several ranks one.
auto key_of(const policy::Event& event) {
  return std::tie(event.rule, event.kind, event.variable, event.from, event.to, event.text);
}

}  // namespace

Policies::Rank Policies::read(const where::Process& process) {
  Rank rank;
  const BoardReader reader(process, board::policy);
  reader.for_each([&](std::uint32_t what, std::uint64_t number, std::span<const char> content) {
    if (what == static_cast<std::uint32_t>(policy::Published::policy)) {
      rank.file = next_text(content);
      rank.dry_run = number != 0;
      rank.rules.clear();  // of the one before it
    }
    policy::LookFigures looks{};
    if (what == static_cast<std::uint32_t>(policy::Published::rule) && take(content, looks))
      rank.rules.push_back({next_text(content), looks.looks, looks.held, looks.acted, looks.taken_back, 0});
    policy::EventFigures figures{};
    if (what != static_cast<std::uint32_t>(policy::Published::event) || !take(content, figures)) return;
    Event event;
    for (std::string* const text : {&event.rule, &event.kind, &event.variable, &event.from, &event.to, &event.text})
      *text = next_text(content);
    event.first_s = figures.first;
    event.last_s = figures.last;
    event.times = figures.times;
    rank.events.push_back(std::move(event));
  });
  return rank;
}

/// Of a rank that has ended stays what was seen.
void Policies::look(const where::JobPages& job, std::vector<std::string>& problems) {
  for (const where::Process& process : job.processes) try {
      if (Rank rank = read(process); !rank.file.empty()) ranks_[process.rank] = std::move(rank);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
}

/// All ranks follow the same policy.
std::vector<policy::RuleFigures> Policies::rules() const {
  std::vector<policy::RuleFigures> sums;
  for (const auto& [number, rank] : ranks_)
    for (std::size_t i = 0; i < rank.rules.size(); ++i) {
      if (i == sums.size()) sums.push_back({rank.rules[i].title});
      sums[i].looks += rank.rules[i].looks;
      sums[i].held += rank.rules[i].held;
      sums[i].acted += rank.rules[i].acted;
      sums[i].taken_back += rank.rules[i].taken_back;
    }
  return sums;
}

std::vector<policy::Event> Policies::latest_events() const {
  std::map<decltype(key_of(std::declval<const Event&>())), Event> joined;
  for (const auto& [number, rank] : ranks_)
    for (const Event& event : rank.events) {
      Event& one = joined.try_emplace(key_of(event), event).first->second;
      if (!one.ranks.empty()) {
        one.first_s = std::min(one.first_s, event.first_s);
        one.last_s = std::max(one.last_s, event.last_s);
        one.times += event.times;
      }
      if (one.ranks.empty() || one.ranks.back() != number) one.ranks.push_back(number);
    }
  std::vector<Event> events;
  for (auto& [key, event] : joined) events.push_back(std::move(event));
  std::ranges::sort(events, std::greater(), &Event::last_s);
  events.resize(std::min(events.size(), most_events));
  return events;
}

void Policies::put(formats::JsonWriter& json) const {
  json.object([&] {
    json("file", ranks_.begin()->second.file);
    json("dry_run", ranks_.begin()->second.dry_run);
    json.array("rules", rules(), [&](const policy::RuleFigures& rule) {
      json.object([&] {
        json("title", rule.title);
        json("looks", rule.looks);
        json("held", rule.held);
        json("acted", rule.acted);
        json("taken_back", rule.taken_back);
      });
    });
    json.array("events", latest_events(), [&](const Event& event) {
      std::vector<int> ranks = event.ranks;
      std::ranges::sort(ranks);
      json.object([&] {
        json("first", event.first_s);
        json("last", event.last_s);
        json("times", event.times);
        json("ranks", formats::ranks_text(ranks));
        json("rule", event.rule);
        json("what", policy::words_of(event));
      });
    });
  });
}

}  // namespace cairn::live
