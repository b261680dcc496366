// SPDX-License-Identifier: BSD-3-Clause
// orders.cc - orders as lines, and writing them where ranks find them

#include "live/orders.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/message.hpp"
#include "formats/policy_board.hpp"
#include "formats/steer_board.hpp"
#include "formats/text.hpp"
#include "live/board_reader.hpp"

namespace cairn::live {

namespace {

constexpr std::string_view sign = "cairn-order 1 ";
constexpr std::string_view policy_word = "policy";

template <class Number>
bool read_number(std::string_view word, Number& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size();
}

/// Takes it off the line, with the blank after it.
std::string_view next_word(std::string_view& line) {
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(std::min(word.size() + 1, line.size()));
  return word;
}

/// visit(a mailbox of its kind's type, and what an entry with one says that it is)
auto with_box(Box box, auto visit) {
  using Setting = formats::steer::Mailbox;
  using Policy = formats::policy::Mailbox;
  if (box == Box::policy)
    return visit(static_cast<Policy*>(nullptr), static_cast<std::uint32_t>(formats::policy::Published::mailbox));
  return visit(static_cast<Setting*>(nullptr), static_cast<std::uint32_t>(formats::steer::Published::mailbox));
}

std::string_view board_of(Box box) { return box == Box::policy ? board::policy : board::controls; }

constexpr std::string_view not_in_lines = "\n\r\t\\";
constexpr std::string_view their_letters = "nrt\\";

std::string escaped(std::string_view text) {
  std::string line;
  for (const char letter : text)
    if (const std::size_t which = not_in_lines.find(letter); which != not_in_lines.npos)
      line.append(1, '\\').append(1, their_letters[which]);
    else line += letter;
  return line;
}

std::optional<std::string> unescaped(std::string_view line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      text += line[i];
      continue;
    }
    const std::size_t which = ++i < line.size() ? their_letters.find(line[i]) : their_letters.npos;
    if (which == their_letters.npos) return std::nullopt;
    text += not_in_lines[which];
  }
  return text;
}

}  // namespace

bool can_be_ordered(std::string_view value, Box box) {
  const bool is_plain = std::ranges::all_of(value, [box](char c) {
    return static_cast<unsigned char>(c) >= ' ' || (box == Box::policy && (c == '\n' || c == '\r' || c == '\t'));
  });
  return is_plain && with_box(box, [&]<class Mailbox>(const Mailbox*, std::uint32_t) {
           return value.size() < Mailbox::value_room;
         });
}

std::string line_of(const Order& order) {
  if (order.box == Box::policy)
    return formats::cat(
        {sign, order.host, " ", order.page, " ", order.number, " ", policy_word, " ", escaped(order.value), "\n"});
  return formats::cat(
      {sign, order.host, " ", order.page, " ", order.number, " ", order.control, " ", order.value, "\n"});
}

std::optional<Order> order_of(std::string_view line) {
  if (!line.starts_with(sign)) return std::nullopt;
  line.remove_prefix(sign.size());
  Order order;
  order.host = next_word(line);
  order.page = next_word(line);
  const std::string_view number = next_word(line);
  const std::string_view control = next_word(line);
  order.box = control == policy_word ? Box::policy : Box::setting;
  const std::optional<std::string> value = order.box == Box::policy ? unescaped(line) : std::string(line);
  const bool is_whole = !order.page.empty() && read_number(number, order.number) &&
                        (order.box == Box::policy || read_number(control, order.control));
  if (!is_whole || !value || !can_be_ordered(*value, order.box)) return std::nullopt;
  order.value = *value;
  return order;
}

std::optional<Letters> letters_in(Box box, std::uint32_t what, std::span<const char> content) {
  return with_box(box, [&]<class Mailbox>(const Mailbox*, std::uint32_t mailbox) -> std::optional<Letters> {
    if (what != mailbox || content.size() < sizeof(Mailbox)) return std::nullopt;
    const auto text_at = [&](std::size_t at, std::size_t room) {
      return std::string(content.data() + at, strnlen(content.data() + at, room));
    };
    const auto number_at = [&]<class Number>(std::size_t at, Number number) {
      std::memcpy(&number, content.data() + at, sizeof number);
      return number;
    };
    return Letters{
        number_at(offsetof(Mailbox, asked), std::uint64_t{}),
        number_at(offsetof(Mailbox, answered), std::uint64_t{}),
        number_at(offsetof(Mailbox, control), std::uint32_t{}),
        number_at(offsetof(Mailbox, outcome), std::uint32_t{}) == static_cast<std::uint32_t>(formats::Outcome::set),
        text_at(offsetof(Mailbox, value), Mailbox::value_room),
        text_at(offsetof(Mailbox, answer), formats::answer_room)};
  });
}

namespace {

/// Where the mailbox is on the board, if this order comes next; 0: it does not.
std::uint64_t place_for(const Order& order, const BoardReader& board) {
  std::uint64_t at = 0;
  board.for_each([&](std::uint32_t what, std::uint64_t /*number*/, std::span<const char> content) {
    const std::optional<Letters> there = letters_in(order.box, what, content);
    if (there && there->asked == there->answered && order.number == there->asked + 1) at = board.place_of(content);
  });
  return at;
}

/// `asked` comes last.
bool write_order(int file, std::uint64_t mailbox, const Order& order) {
  const auto put = [&](std::size_t at, const void* bytes, std::size_t size) {
    return pwrite(file, bytes, size, static_cast<off_t>(mailbox + at)) == static_cast<ssize_t>(size);
  };
  return with_box(order.box, [&]<class Mailbox>(const Mailbox*, std::uint32_t) {
    return put(offsetof(Mailbox, control), &order.control, sizeof order.control) &&
           put(offsetof(Mailbox, value), order.value.c_str(), order.value.size() + 1) &&
           put(offsetof(Mailbox, asked), &order.number, sizeof order.number);
  });
}

}  // namespace

bool give(const std::string& page, const Order& order) try {
  const std::string path = board::beside(page, board_of(order.box));
  const std::uint64_t at = place_for(order, BoardReader(path));
  const int file = at == 0 ? -1 : open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return false;
  const bool is_given = write_order(file, at, order);
  close(file);
  return is_given;
} catch (const Problem&) {
  return false;
}

}  // namespace cairn::live
