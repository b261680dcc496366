// SPDX-License-Identifier: BSD-3-Clause
// published.cc - writing rules and events to the board

#include "published.hpp"

#include <chrono>
#include <cstring>

#include "journal.hpp"

namespace policy {

namespace {

using Kind = cairn::formats::policy::Published;

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// An entry with figures and texts; null if there is no room.
template <class Figures>
Figures* add_entry(shared::Board& board, Kind what, std::initializer_list<std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text.substr(0, text.find('\0'))).append(1, '\0');
  return static_cast<Figures*>(
      board.add(static_cast<std::uint32_t>(what), 0, sizeof(Figures) + all.size(), [&](void* room) {
        auto* const made = new (room) Figures{};
        std::memcpy(static_cast<void*>(made + 1), all.data(), all.size());
      }));
}

}  // namespace

void Published::begin_policy(const std::string& file, bool dry_run) {
  board_.add(static_cast<std::uint32_t>(Kind::policy), dry_run ? 1 : 0, file.size() + 1,
             [&](void* room) { std::memcpy(room, file.c_str(), file.size() + 1); });
}

Published::Mailbox* Published::add_mailbox() {
  return static_cast<Mailbox*>(board_.add(static_cast<std::uint32_t>(Kind::mailbox), 0, sizeof(Mailbox),
                                          [](void* room) { new (room) Mailbox{}; }));
}

Published::LookFigures* Published::add_rule(const std::string& title) {
  return add_entry<LookFigures>(board_, Kind::rule, {title});
}

void Published::show(LookFigures& shown, const cairn::formats::policy::RuleFigures& figures) {
  shown.looks.store(figures.looks, std::memory_order_relaxed);
  shown.held.store(figures.held, std::memory_order_relaxed);
  shown.acted.store(figures.acted, std::memory_order_relaxed);
  shown.taken_back.store(figures.taken_back, std::memory_order_relaxed);
}

void Published::add(const cairn::formats::policy::Event& event) {
  if (!board_.is_there()) return;
  const double now = seconds_since_1970();
  const auto [place, is_new] = events_.try_emplace(key_of(event), nullptr);
  if (is_new && events_.size() <= Journal::most_events) {
    place->second = add_entry<EventFigures>(board_, Kind::event,
                                            {event.rule, event.kind, event.variable, event.from, event.to, event.text});
    if (place->second != nullptr) place->second->first = now;
  } else if (is_new) {
    events_.erase(place);
    return;
  }
  if (place->second == nullptr) return;
  place->second->last.store(now, std::memory_order_relaxed);
  place->second->times.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace policy
