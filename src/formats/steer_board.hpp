// SPDX-License-Identifier: BSD-3-Clause
// steer_board.hpp - control variables of a running process and orders to set them, as they lie on the board of `steer`
// (cairn/board.hpp)
#pragma once

#include <cstdint>

#include "formats/mailbox.hpp"

namespace cairn::formats::steer {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  mailbox = 1,  // Mailbox; there is one
  control,      // ControlFigures; then name, type, scope, description and the names of values (", "), each with a 0
};

inline constexpr std::size_t value_room = 256;
using formats::Outcome;
using formats::text_in;

using Mailbox = MailboxOf<value_room>;  // `control`: which one, from 0 as they lie on the board
static_assert(sizeof(Mailbox) == 24 + 2 * value_room);

struct ControlFigures {
  std::uint32_t only_together;  // the value must be the same on all ranks
  std::uint32_t reserved;
  char value[value_room];  // as it was read last: by turns, and when it was set here
};
static_assert(sizeof(ControlFigures) == 8 + value_room);

}  // namespace cairn::formats::steer
