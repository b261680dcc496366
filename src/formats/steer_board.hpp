// SPDX-License-Identifier: BSD-3-Clause
// steer_board.hpp - control variables of a running process and orders to set them, as they lie on the board of `steer`
// (cairn/board.hpp)
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "formats/mailbox.hpp"

namespace cairn::formats::steer {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  mailbox = 1,  // Mailbox; there is one
  control,      // ControlFigures; then name, type, scope, description and the names of values (", "), each with a 0
};

inline constexpr std::size_t value_room = 256;
using formats::Outcome;

using Mailbox = MailboxOf<value_room>;  // `control`: which one, from 0 as they lie on the board
static_assert(sizeof(Mailbox) == 24 + 2 * value_room);

struct ControlFigures {
  std::uint32_t only_together;         // the value must be the same on all ranks
  std::atomic<std::uint32_t> written;  // how often, once it is
  char value[value_room];              // as it was read last: by turns, and when it was set here
  std::atomic<std::uint32_t> begun;    // to be written; another number than `written`: it is half written

  /// By one thread at a time.
  void put(std::string_view text) {
    begun.store(begun.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    put_text(value, text);
    written.store(begun.load(std::memory_order_relaxed), std::memory_order_release);
  }
};
static_assert(sizeof(ControlFigures) == 12 + value_room);

/// The value in a copy that was made from front to back, as files are read. None: it was half written.
inline std::optional<std::string> value_in(const ControlFigures& copied) {
  if (copied.written.load(std::memory_order_relaxed) != copied.begun.load(std::memory_order_relaxed)) return {};
  return text_in(copied.value);
}

}  // namespace cairn::formats::steer
