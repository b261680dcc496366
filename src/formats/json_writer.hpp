// SPDX-License-Identifier: BSD-3-Clause
// json_writer.hpp - JSON written from front to back
//
//   JsonWriter json(2);                      // two spaces a level
//   json.object([&] {
//     json("ranks", 4);
//     json.object("time_s", [&] { json("total", 1.5); });
//     json.array("functions", functions, [&](const Function& one) { json.object([&] { json("name", one.name); }); });
//   });
//   json.take();
#pragma once

#include <algorithm>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace cairn::formats {

class JsonWriter {
 public:
  explicit JsonWriter(unsigned indent) : indent_(indent) {}

  /// A member of the object that is open: a name and a text, a number, a truth value or nullptr.
  template <class Value>
  void operator()(std::string_view name, const Value& value) {
    this->name(name);
    put(value);
  }
  /// A number of either kind: without a point if it is whole.
  void number(std::string_view name, double value) {
    this->name(name);
    put_number(value);
  }
  template <class Members>
  void object(std::string_view name, Members members) {
    this->name(name);
    object(members);
  }
  template <class Items, class Each>
  void array(std::string_view name, const Items& items, Each each) {
    this->name(name);
    array(items, each);
  }
  template <class Items>
  void values(std::string_view name, const Items& items) {
    array(name, items, [this](const auto& item) { this->put(item); });
  }

  // ---------------------------------------------------------- elements of the array that is open, or the whole

  template <class Members>
  void object(Members members) {
    open('{');
    members();
    close('}');
  }
  template <class Elements>
  void array(Elements elements) {
    open('[');
    elements();
    close(']');
  }
  template <class Items, class Each>
  void array(const Items& items, Each each) {
    array([&] {
      for (const auto& item : items) each(item);
    });
  }
  template <class... Values>
  void put_all(const Values&... values) {
    (put(values), ...);
  }
  /// An array of a few values.
  template <class... Values>
  void row(const Values&... values) {
    array([&] { put_all(values...); });
  }

  void put(std::string_view text);
  void put(const std::string& text) { put(std::string_view(text)); }
  void put(const char* text) { put(std::string_view(text)); }
  void put(double value);
  void put(std::nullptr_t) { put_plain("null"); }
  template <std::integral Value>
  void put(Value value) {
    if constexpr (std::is_same_v<Value, bool>) put_plain(value ? "true" : "false");
    else if constexpr (std::is_signed_v<Value>) put_signed(value);
    else put_unsigned(value);
  }
  void put_number(double value);

  /// The object or array that `value` writes stands on one line.
  template <class Value>
  void on_one_line(Value value) {
    const unsigned before = std::exchange(lines_down_to_, std::min(depth_, lines_down_to_));
    value();
    lines_down_to_ = before;
  }

  /// The name of the member that comes next.
  void name(std::string_view name);

  /// All of it, with a line's end; nothing is left.
  std::string take();

 private:
  void open(char bracket);
  void close(char bracket);
  bool is_on_line() const { return depth_ > lines_down_to_; }
  void before_value();
  void new_line();
  void put_plain(std::string_view text);
  void put_signed(std::int64_t value);
  void put_unsigned(std::uint64_t value);

  std::string text_;
  unsigned indent_;
  unsigned depth_ = 0;
  unsigned lines_down_to_ = UINT_MAX;  // what is deeper stands on one line
  bool is_first_ = true;               // in what is open
  bool has_name_ = false;              // which the value belongs to
};

/// As JSON has numbers: the shortest text that is read as the same double, never without a point or an exponent;
/// "null" for what is no number.
std::string json_number(double value);

/// As JSON has texts, with the quotes. What is no UTF-8 becomes U+FFFD.
void add_json_text(std::string& out, std::string_view text);

}  // namespace cairn::formats
