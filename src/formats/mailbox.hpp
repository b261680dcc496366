// SPDX-License-Identifier: BSD-3-Clause
// mailbox.hpp - where a running process is told what to do, on a tool's board (cairn/board.hpp)
//
// A collector of the same user writes an order: `control` and `value`, then `asked`, one above the latest `answered`.
// The rank carries it out when it is at a safe point and writes `answer` and `outcome`, then `answered`.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace cairn::formats {

enum class Outcome : std::uint32_t { set, refused };

inline constexpr std::size_t answer_room = 256;

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

/// An order as it was at one moment.
struct OrderCopy {
  std::uint64_t number = 0;
  std::uint32_t control = 0;
  std::string value;
};

/// For the rank. Other processes may write at any time, so what has been checked must not be read from there again: the
/// fence keeps the compiler from doing it.
template <std::size_t room>
OrderCopy copy_of_order(const MailboxOf<room>& mailbox) {
  OrderCopy copy;
  copy.number = mailbox.asked.load(std::memory_order_acquire);
  copy.control = mailbox.control;
  copy.value.assign(mailbox.value, room);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  copy.value.resize(std::min(copy.value.find('\0'), room));
  return copy;
}

}  // namespace cairn::formats
