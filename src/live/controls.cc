// SPDX-License-Identifier: BSD-3-Clause
// controls.cc - reading what can be set, writing orders, hearing the answers

#include "live/controls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>

#include "base/message.hpp"
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

void Controls::hear(int rank, const steer::Mailbox& mailbox) {
  for (Change& change : changes_) {
    const auto found = change.answers.find(rank);
    if (found == change.answers.end() || found->second.is_there ||
        found->second.order != mailbox.answered.load(std::memory_order_acquire))
      continue;
    found->second.is_there = true;
    found->second.is_set = mailbox.outcome == steer::Outcome::set;
    found->second.text = steer::text_in(mailbox.answer);
  }
}

void Controls::read(const std::string& path, int rank) {
  const BoardReader reader(path);
  if (!reader.is_there()) mailboxes_.erase(rank);
  std::uint32_t count = 0;
  reader.for_each([&](std::uint32_t what, std::uint64_t /*number*/, std::span<const char> content) {
    if (what == static_cast<std::uint32_t>(steer::Published::mailbox) && content.size() >= sizeof(steer::Mailbox)) {
      alignas(steer::Mailbox) char raw[sizeof(steer::Mailbox)];
      std::memcpy(raw, content.data(), sizeof raw);
      const auto& mailbox = *reinterpret_cast<const steer::Mailbox*>(raw);
      mailboxes_[rank] = {path, reader.place_of(content), mailbox.asked.load(), mailbox.answered.load()};
      hear(rank, mailbox);
    }
    if (what != static_cast<std::uint32_t>(steer::Published::control) ||
        content.size() <= sizeof(steer::ControlFigures))
      return;
    steer::ControlFigures figures;
    std::memcpy(&figures, content.data(), sizeof figures);
    content = content.subspan(sizeof figures);
    const std::uint32_t number = count++;
    const std::string name = next_text(content);
    if (all_.size() >= most_controls && !all_.contains(name)) return;
    Control& control = all_[name];
    for (std::string* const text : {&control.type, &control.scope, &control.text, &control.values})
      *text = next_text(content);
    control.only_together = figures.only_together != 0;
    control.value[rank] = steer::text_in(figures.value);
    control.numbers[rank] = number;
  });
}

void Controls::look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems) {
  size_ = size;
  time_ = time;
  for (const where::Process& process : job.processes) try {
      read(board::beside(process.path, board::controls), process.rank);
    } catch (const Problem& problem) {
      problems.emplace_back(problem.what());
    }
}

// ------------------------------------------------------------ orders

std::string Controls::why_not(const Control& control, const std::string& value, const std::vector<int>& ranks) const {
  const bool is_plain = std::ranges::all_of(value, [](char c) { return static_cast<unsigned char>(c) >= ' '; });
  if (value.size() >= steer::value_room || !is_plain) return "a value is a line of at most 255 characters";
  if (ranks.empty()) return "there are no such ranks";
  if (control.only_together && static_cast<int>(ranks.size()) != size_)
    return "it must be the same on all " + formats::plural(static_cast<std::uint64_t>(size_), "rank");
  for (const int rank : ranks) {
    const auto mailbox = mailboxes_.find(rank);
    if (mailbox == mailboxes_.end() || !control.numbers.contains(rank))
      return "rank " + std::to_string(rank) + " is not here, or without the tool 'steer'";
    if (mailbox->second.asked != mailbox->second.answered)
      return "rank " + std::to_string(rank) + " has not answered the order before: it has come to no safe point since";
  }
  return "";
}

/// `asked` comes last.
bool Controls::write(Mailbox& mailbox, std::uint32_t number, const std::string& value) const {
  const int file = open(mailbox.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const auto put = [&](std::size_t at, const void* bytes, std::size_t size) {
    return pwrite(file, bytes, size, static_cast<off_t>(mailbox.at + at)) == static_cast<ssize_t>(size);
  };
  const std::uint64_t order = mailbox.asked + 1;
  const bool is_written = put(offsetof(steer::Mailbox, control), &number, sizeof number) &&
                          put(offsetof(steer::Mailbox, value), value.c_str(), value.size() + 1) &&
                          put(offsetof(steer::Mailbox, asked), &order, sizeof order);
  close(file);
  if (is_written) mailbox.asked = order;
  return is_written;
}

std::string Controls::order(const std::string& name, const std::string& value, const std::string& ranks) {
  const auto found = all_.find(name);
  if (found == all_.end()) return "there is no control variable '" + name + "' that can be set";
  std::vector<int> wanted(static_cast<std::size_t>(std::max(size_, 0)));
  std::iota(wanted.begin(), wanted.end(), 0);
  if (!ranks.empty()) {
    const std::vector<int> chosen = formats::ranks_of(ranks, size_);
    std::erase_if(wanted, [&](int rank) { return std::ranges::find(chosen, rank) == chosen.end(); });
  }
  if (std::string why = why_not(found->second, value, wanted); !why.empty()) return why;
  Change change{time_, name, value, {}};
  for (const int rank : wanted) {
    Mailbox& mailbox = mailboxes_[rank];
    const bool is_asked = write(mailbox, found->second.numbers[rank], value);
    change.answers[rank] = {mailbox.asked, !is_asked, false, is_asked ? "" : "the order could not be written"};
  }
  changes_.push_back(std::move(change));
  if (changes_.size() > most_changes) changes_.pop_front();
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
