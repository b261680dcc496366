// SPDX-License-Identifier: BSD-3-Clause
// field_writer.hpp - structures as JSON objects, by the keys that they name themselves
//
// A structure of a result file names its keys once, for its writer and for its reader (field_reader.hpp):
//
//   struct Region {
//     std::string path;
//     OverRanks time;
//     static void fields(auto& file, auto& region) {
//       file("region", region.path);
//       file("time_s", region.time);
//     }
//   };
//
// What a table has many of is an array of values by their place, `row(file, one)` instead of `fields`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "formats/json_writer.hpp"
#include "formats/ranks.hpp"

namespace cairn::formats {

template <class Value>
inline constexpr bool is_list = false;
template <class Item>
inline constexpr bool is_list<std::vector<Item>> = true;

template <class Value>
inline constexpr bool is_pair = false;
template <class One, class Other>
inline constexpr bool is_pair<std::pair<One, Other>> = true;

template <class File, class Value>
concept HasFields = requires(File& file, Value& value) {
  std::remove_const_t<Value>::fields(file, value);
};
template <class File, class Value>
concept IsRow = requires(File& file, Value& value) {
  std::remove_const_t<Value>::row(file, value);
};

class FieldWriter {
 public:
  explicit FieldWriter(JsonWriter& json) : json_(json) {}

  /// A member of the object: a scalar, a structure, a pair, or a vector of these.
  template <class Value>
  void operator()(std::string_view key, const Value& value) {
    json_.name(key);
    put(value);
  }
  /// Left out unless `is_there`.
  template <class Value>
  void optional(std::string_view key, const Value& value, bool is_there) {
    if (is_there) (*this)(key, value);
  }
  /// Without a point where it is whole.
  void number(std::string_view key, double value) { json_.number(key, value); }
  /// Computed from other members, for programs that read the file; Cairn's own reader computes it again.
  template <class Value>
  void derived(std::string_view key, const Value& value) {
    (*this)(key, value);
  }
  /// A list with each item on a line of its own; left out where it is empty.
  template <class Items>
  void lines(std::string_view key, const Items& items, bool is_there = true) {
    if (!items.empty() && is_there)
      json_.array(key, items, [&](const auto& item) { json_.on_one_line([&] { put(item); }); });
  }
  /// An object with a member for each pair of a name and a value.
  template <class Pairs>
  void by_name(std::string_view key, const Pairs& pairs, bool is_there = true) {
    if (!is_there) return;
    json_.object(key, [&] {
      for (const auto& [name, value] : pairs) (*this)(name, value);
    });
  }
  /// The members of a structure among those of the one around it.
  template <class Part>
  void inlined(const Part& part) {
    Part::fields(*this, part);
  }

  /// "0-3,7" (ranks.hpp)
  void ranks(std::string_view key, const std::vector<int>& all, bool is_there = true) {
    if (is_there) json_(key, ranks_text(all));
  }

  /// Values of a row, one after the other.
  template <class... Values>
  void values(const Values&... values) {
    (put(values), ...);
  }
  /// At a row's end, if `is_there`.
  template <class Value>
  void last_value(const Value& value, bool is_there) {
    if (is_there) put(value);
  }

  template <class Enum, class Names>
  void word(Enum value, const Names& names) {
    json_.put(names[static_cast<std::size_t>(value)]);
  }
  template <class Number>
  void number_or_word(Number value, Number instead, std::string_view word) {
    if (value == instead) json_.put(word);
    else json_.put(value);
  }
  /// 2^exponent.
  void power_of_two(std::uint8_t exponent) { json_.put(std::uint64_t{1} << exponent); }
  /// As seconds.
  void microseconds(std::uint64_t value) { json_.put(static_cast<double>(value) / 1e6); }

  template <class Value>
  void put(const Value& value) {
    if constexpr (IsRow<FieldWriter, const Value>) json_.array([&] { Value::row(*this, value); });
    else if constexpr (HasFields<FieldWriter, const Value>) json_.object([&] { Value::fields(*this, value); });
    else if constexpr (is_pair<Value>) json_.array([&] { values(value.first, value.second); });
    else if constexpr (is_list<Value>) json_.array(value, [&](const auto& item) { put(item); });
    else json_.put(value);
  }

 private:
  JsonWriter& json_;
};

/// A whole file.
template <class File>
std::string file_text(const File& file, unsigned indent) {
  JsonWriter json(indent);
  FieldWriter(json).put(file);
  return json.take();
}

}  // namespace cairn::formats
