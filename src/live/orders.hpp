// SPDX-License-Identifier: BSD-3-Clause
// orders.hpp - an order to a rank, on its way to a mailbox on one of the rank's boards (formats/mailbox.hpp): to set a
// control variable (`steer`), or to follow a policy (`policy`)
//
// To a rank on another node it goes as a line of text to the command that sends the node's pages:
//   cairn-order 1 HOST PAGE NUMBER CONTROL VALUE   to the end of the line; a policy: the word `policy` for CONTROL, and
//                                                  in VALUE \n, \r, \t and \\ for what a line cannot have
// The answer comes with the board.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cairn::live {

enum class Box : unsigned char { setting, policy };

struct Order {
  std::string host;           // that its node calls itself
  std::string page;           // name of the rank's page there
  std::uint64_t number = 0;   // of the rank's orders, from 1
  std::uint32_t control = 0;  // which one, from 0 as they lie on the board
  std::string value;
  Box box = Box::setting;
};

/// It fits into the mailbox: a line, or a text without other control characters than breaks and tabs.
bool can_be_ordered(std::string_view value, Box box);

/// What a mailbox holds, as it is read.
struct Letters {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;
  std::uint32_t control = 0;
  bool is_set = false;
  std::string value;
  std::string answer;
};
/// Of an entry of the board of that kind; none: the entry is no mailbox, or damaged.
std::optional<Letters> letters_in(Box box, std::uint32_t what, std::span<const char> content);

std::string line_of(const Order& order);
/// Without a value: it is none, or damaged.
std::optional<Order> order_of(std::string_view line);

/// Onto the board beside this page. False: there is none, it has another version, or this is not the order that comes
/// next: one that has come already, or for which another one is in the way.
bool give(const std::string& page, const Order& order);

}  // namespace cairn::live
