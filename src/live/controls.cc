// SPDX-License-Identifier: BSD-3-Clause
// controls.cc - reading what can be set, writing orders, hearing the answers

#include "live/controls.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"
#include "formats/policy_board.hpp"
#include "formats/ranks.hpp"
#include "formats/text.hpp"
#include "live/board_reader.hpp"

namespace cairn::live {

namespace steer = formats::steer;

namespace {

/// "0-2", of those that `is_so(answer)`.
std::string ranks_that(const auto& answers, auto is_so) {
  std::vector<int> ranks;
  for (const auto& [rank, answer] : answers)
    if (is_so(answer)) ranks.push_back(rank);
  return formats::ranks_text(ranks);
}

}  // namespace

/// Somebody else may have given an order of the same number.
void Controls::hear_answers(Box box, int rank, const Letters& letters) {
  for (Change& change : changes_) {
    const auto found = change.answers.find(rank);
    if (found == change.answers.end() || found->second.is_there) continue;
    Answer& answer = found->second;
    if (answer.order.box != box || answer.order.number > letters.answered) continue;
    answer.is_there = true;
    if (answer.order.number != letters.answered || answer.order.control != letters.control ||
        answer.order.value != letters.value) {
      answer.text = "another order came before it";
      continue;
    }
    answer.is_set = letters.is_set;
    answer.text = letters.answer;
  }
}

void Controls::hear(Box box, const where::Process& process, bool is_here, const Letters& letters) {
  Mailbox& known = boxes(box)[process.rank];
  known.page = process.path;
  known.is_here = is_here;
  known.asked = letters.asked;
  known.answered = letters.answered;
  if (known.under_way && known.asked >= known.under_way->number) known.under_way.reset();
  hear_answers(box, process.rank, letters);
}

/// The rank will answer no more.
void Controls::leave(Box box, int rank) {
  boxes(box).erase(rank);
  for (Change& change : changes_) {
    const auto found = change.answers.find(rank);
    if (found == change.answers.end() || found->second.order.box != box || found->second.is_there) continue;
    found->second.is_there = true;
    found->second.text = "it ended, or finalized MPI, before it reached a safe point";
  }
}

void Controls::end() {
  for (const Box box : {Box::setting, Box::policy})
    while (!boxes(box).empty()) leave(box, boxes(box).begin()->first);
}

void Controls::read_policy_box(const where::Process& process) {
  const BoardReader reader(process, board::policy);
  if (!reader.is_there()) leave(Box::policy, process.rank);
  reader.for_each([&](std::uint32_t what, std::uint64_t /*number*/, std::span<const char> content) {
    if (const std::optional<Letters> letters = letters_in(Box::policy, what, content))
      hear(Box::policy, process, !process.boards.contains(board::policy), *letters);
  });
}

void Controls::read(const where::Process& process) {
  const int rank = process.rank;
  const BoardReader reader(process, board::controls);
  if (!reader.is_there()) leave(Box::setting, rank);
  std::uint32_t count = 0;
  reader.for_each([&](std::uint32_t what, std::uint64_t /*number*/, std::span<const char> content) {
    if (const std::optional<Letters> letters = letters_in(Box::setting, what, content))
      hear(Box::setting, process, !process.boards.contains(board::controls), *letters);
    if (what != static_cast<std::uint32_t>(steer::Published::control) ||
        content.size() <= sizeof(steer::ControlFigures))
      return;
    steer::ControlFigures figures{};
    std::memcpy(static_cast<void*>(&figures), content.data(), sizeof figures);
    content = content.subspan(sizeof figures);
    const std::uint32_t number = count++;
    const std::string name = next_text(content);
    if (all_.size() >= most_controls && !all_.contains(name)) return;
    Control& control = all_[name];
    for (std::string* const text : {&control.type, &control.scope, &control.text, &control.values})
      *text = next_text(content);
    control.only_together = figures.only_together != 0;
    if (const std::optional<std::string> value = steer::value_in(figures)) control.value[rank] = *value;
    control.numbers[rank] = number;
  });
}

void Controls::look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems,
                    bool all_heard) {
  size_ = size;
  time_ = time;
  std::set<int> seen;
  for (const where::Process& process : job.processes) try {
      seen.insert(process.rank);
      read(process);
      read_policy_box(process);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
  for (const Box box : {Box::setting, Box::policy})
    for (const int rank : all_ranks())
      if (all_heard && boxes(box).contains(rank) && !seen.contains(rank)) leave(box, rank);
}

// ------------------------------------------------------------ orders

/// Of one rank.
std::string Controls::why_not(Box box, int rank, const char* tool) const {
  const auto mailbox = boxes(box).find(rank);
  if (mailbox == boxes(box).end())
    return formats::cat({"rank ", rank, " is not here, or without the tool '", tool, "'"});
  if (mailbox->second.under_way || mailbox->second.asked != mailbox->second.answered)
    return formats::cat({"rank ", rank, " has not answered the previous order: it has reached no safe point since"});
  return "";
}

std::string Controls::why_not(const Control& control, const std::string& value, const std::vector<int>& ranks) const {
  if (!can_be_ordered(value, Box::setting)) return "a value is a line of at most 255 characters";
  if (ranks.empty()) return "there are no such ranks";
  if (control.only_together && static_cast<int>(ranks.size()) != size_)
    return "it must be the same on all " + formats::plural(static_cast<std::uint64_t>(size_), "rank");
  for (const int rank : ranks) {
    if (!control.numbers.contains(rank))
      return formats::cat({"rank ", rank, " is not here, or without the tool 'steer'"});
    if (std::string why = why_not(Box::setting, rank, "steer"); !why.empty()) return why;
  }
  return "";
}

Controls::Answer Controls::ask(Box box, int rank, std::uint32_t control, const std::string& value) {
  Mailbox& mailbox = boxes(box)[rank];
  const Order order{
      folder_of(mailbox.page), std::string(file_of(mailbox.page)), mailbox.asked + 1, control, value, box};
  if (!mailbox.is_here) mailbox.under_way = order;
  else if (!give(mailbox.page, order)) return {order, true, false, "the order could not be written"};
  else mailbox.asked = order.number;
  return {order, false, false, ""};
}

std::map<std::string, std::string> Controls::orders_under_way() const {
  std::map<std::string, std::string> lines;
  for (const Mailboxes& all : mailboxes_)
    for (const auto& [rank, mailbox] : all)
      if (mailbox.under_way) lines[mailbox.under_way->host] += line_of(*mailbox.under_way);
  return lines;
}

std::vector<int> Controls::all_ranks() const {
  std::vector<int> ranks(static_cast<std::size_t>(std::max(size_, 0)));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

void Controls::add(Change change) {
  changes_.push_back(std::move(change));
  if (changes_.size() > most_changes) changes_.pop_front();
}

std::string Controls::order(const std::string& name, const std::string& value, const std::string& ranks) {
  const auto found = all_.find(name);
  if (found == all_.end()) return "there is no control variable '" + name + "' that can be set";
  std::vector<int> wanted = all_ranks();
  if (!ranks.empty()) {
    const std::optional<std::vector<int>> chosen = formats::given_ranks(ranks, size_);
    if (!chosen) return "there are no such ranks";
    std::erase_if(wanted, [&](int rank) { return std::ranges::find(*chosen, rank) == chosen->end(); });
  }
  if (std::string why = why_not(found->second, value, wanted); !why.empty()) return why;
  Change change{time_, name, value, {}};
  for (const int rank : wanted) change.answers[rank] = ask(Box::setting, rank, found->second.numbers[rank], value);
  add(std::move(change));
  return "";
}

std::string Controls::give_policy(const std::string& name, const std::string& text) {
  const std::string value = name + "\n" + text;
  if (!can_be_ordered(name, Box::setting)) return "the name of a policy is a line of at most 255 characters";
  constexpr std::size_t most = formats::policy::Mailbox::value_room - formats::steer::value_room - 1;
  if (text.size() > most || !can_be_ordered(value, Box::policy))
    return formats::cat({"a policy has at most ", most, " characters"});
  if (!takes_policies()) return "no policy can be given: the job has no tool 'policy' that waits for one";
  Change change{time_, "policy", name, {}};
  for (const int rank : all_ranks())
    if (std::string why = why_not(Box::policy, rank, "policy"); !why.empty()) return why;
  for (const int rank : all_ranks()) change.answers[rank] = ask(Box::policy, rank, 0, value);
  add(std::move(change));
  return "";
}

// ------------------------------------------------------------ as JSON

void Controls::put(formats::JsonWriter& json, const std::string& name, const Control& control) {
  json.object([&] {
    json("name", name);
    json("type", control.type);
    json("scope", control.scope);
    json("text", control.text);
    json("values", control.values);
    json("only_together", control.only_together);
    std::map<std::string, std::vector<int>> ranks;
    for (const auto& [rank, value] : control.value) ranks[value].push_back(rank);
    json.array("now", ranks, [&](const auto& one) { json.row(one.first, formats::ranks_text(one.second)); });
  });
}

std::string Controls::json() const {
  formats::JsonWriter json(0);
  json.on_one_line([&] {
    json.array([&] {
      for (const auto& one : all_) put(json, one.first, one.second);
    });
  });
  return json.take();
}

void Controls::put_changes(formats::JsonWriter& json) const {
  json.array(changes_, [&](const Change& change) {
    json.object([&] {
      json("time", change.time);
      json("name", change.name);
      json("value", change.value);
      json("waiting", ranks_that(change.answers, [](const Answer& one) { return !one.is_there; }));
      json("set", ranks_that(change.answers, [](const Answer& one) { return one.is_set; }));
      std::map<std::string, std::vector<int>> refused;
      for (const auto& [rank, one] : change.answers)
        if (one.is_there && !one.is_set) refused[one.text].push_back(rank);
      json.array("refused", refused, [&](const auto& one) { json.row(formats::ranks_text(one.second), one.first); });
    });
  });
}

}  // namespace cairn::live
