// SPDX-License-Identifier: BSD-3-Clause
// policy_board.hpp - what a process's policy does while the program runs, on the board of `policy` (cairn/board.hpp)
#pragma once

#include <atomic>
#include <cstdint>

#include "formats/mailbox.hpp"

namespace cairn::formats::policy {

/// What an entry of the board is.
enum class Published : std::uint32_t {
  policy = 1,  // its file, with a 0; the entry's number is 1 for a dry run; what follows is about it, up to the next
  rule,        // LookFigures; then the title, with a 0
  event,       // EventFigures; then rule, kind, variable, from, to and text (formats/policy.hpp), each with a 0
  mailbox,     // Mailbox; there is one where a policy can be given while the program runs
};

/// Its value: what the policy is called, a line break, and its text.
using Mailbox = MailboxOf<16384>;

struct LookFigures {
  std::atomic<std::uint64_t> looks;
  std::atomic<std::uint64_t> held;
  std::atomic<std::uint64_t> acted;
  std::atomic<std::uint64_t> taken_back;
};
static_assert(sizeof(LookFigures) == 32);

struct EventFigures {
  double first;  // seconds since 1970
  std::atomic<double> last;
  std::atomic<std::uint64_t> times;
};
static_assert(sizeof(EventFigures) == 24);

}  // namespace cairn::formats::policy
