// SPDX-License-Identifier: BSD-3-Clause
// steer_board.hpp - control variables of a running process and orders to set them, as they lie on the board of `steer`
// (cairn/board.hpp)
//
// A collector of the same user writes an order: `control` and `value`, then `asked`, one above the latest `answered`.
// The rank carries it out when it is at a safe point and writes `answer` and `outcome`, then `answered`.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <string>

namespace cairn::formats::steer {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  mailbox = 1,  // Mailbox; there is one
  control,      // ControlFigures; then name, type, scope, description and the names of values (", "), each with a 0
};

inline constexpr std::size_t value_room = 256;
inline std::string text_in(const char (&room)[value_room]) { return {room, strnlen(room, sizeof room)}; }

enum class Outcome : std::uint32_t { set, refused };

struct Mailbox {
  std::atomic<std::uint64_t> asked;     // number of the latest order, from 1
  std::atomic<std::uint64_t> answered;  // of the latest that was carried out or refused
  std::uint32_t control;                // which one, from 0 as they lie on the board
  Outcome outcome;
  char value[value_room];   // that it is to have
  char answer[value_room];  // that it has, or why not
};
static_assert(sizeof(Mailbox) == 24 + 2 * value_room);

struct ControlFigures {
  std::uint32_t only_together;  // the value must be the same on all ranks
  std::uint32_t reserved;
  char value[value_room];  // as it was read at the start, or when it was set here
};
static_assert(sizeof(ControlFigures) == 8 + value_room);

}  // namespace cairn::formats::steer
