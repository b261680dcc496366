// SPDX-License-Identifier: BSD-3-Clause
// mailbox.hpp - where a running process is told what to do, on a tool's board (cairn/board.hpp)
//
// A collector of the same user writes an order: `control` and `value`, then `asked`, one above the latest `answered`.
// The rank carries it out when it is at a safe point and writes `answer` and `outcome`, then `answered`.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace cairn::formats {

enum class Outcome : std::uint32_t { set, refused };

inline constexpr std::size_t answer_room = 256;

template <std::size_t room>
std::string text_in(const char (&text)[room]) {
  return {text, strnlen(text, room)};
}

/// As far as there is room.
template <std::size_t room>
void put_text(char (&to)[room], std::string_view text) {
  to[text.copy(to, room - 1)] = '\0';
}

/// `room`: for what it is told, with a 0.
template <std::size_t room>
struct MailboxOf {
  static constexpr std::size_t value_room = room;
  std::atomic<std::uint64_t> asked;     // number of the latest order, from 1
  std::atomic<std::uint64_t> answered;  // of the latest that was carried out or refused
  std::uint32_t control;                // what it is about, where a mailbox is for several things
  Outcome outcome;
  char value[room];          // that it is to have
  char answer[answer_room];  // that it has, or why not
};

}  // namespace cairn::formats
