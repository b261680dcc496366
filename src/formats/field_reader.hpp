// SPDX-License-Identifier: BSD-3-Clause
// field_reader.hpp - JSON objects as structures, by the keys that these name themselves (field_writer.hpp)
//
// Files may be damaged, or of other versions: a member that is absent or of another kind leaves its value as it is,
// and numbers are brought into the range of their type. A row has all its values, or the file is damaged.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "formats/field_writer.hpp"
#include "formats/readers.hpp"

namespace cairn::formats {

inline constexpr int most_ranks_of_a_job = 1 << 24;

class FieldReader {
 public:
  /// A whole file. Lists of ranks have numbers below `most_ranks` only.
  template <class File>
  static File file(const Json& json, int most_ranks = most_ranks_of_a_job) {
    File whole;
    FieldReader(json, most_ranks).read(json, whole);
    return whole;
  }

  template <class Value>
  void operator()(std::string_view key, Value& value) {
    const Json* const found = find(key);
    if (found != nullptr && read(*found, value)) return;
    if constexpr (requires { value.is_known; }) value.is_known = false;
  }
  template <class Value>
  void optional(std::string_view key, Value& value, bool /*is_there*/) {
    (*this)(key, value);
  }
  void number(std::string_view key, double& value) { (*this)(key, value); }
  template <class Value>
  void derived(std::string_view /*key*/, const Value& /*value*/) {}
  template <class Items>
  void lines(std::string_view key, Items& items, bool /*is_there*/ = true) {
    (*this)(key, items);
  }
  template <class Pairs>
  void by_name(std::string_view key, Pairs& pairs, bool /*is_there*/ = true) {
    const Json* const object = find(key);
    if (object == nullptr || !object->is_object()) return;
    for (const auto& [name, value] : object->items()) {
      typename Pairs::value_type pair;
      pair.first = name;
      if (read(value, pair.second)) pairs.push_back(std::move(pair));
    }
  }
  template <class Part>
  void inlined(Part& part) {
    Part::fields(*this, part);
  }
  void ranks(std::string_view key, std::vector<int>& all, bool is_there = true);

  template <class... Values>
  void values(Values&... values) {
    (read_next(values), ...);
  }
  template <class Value>
  void last_value(Value& value, bool /*is_there*/) {
    if (place_ < json_.size()) read_next(value);
  }
  template <class Enum, class Names>
  void word(Enum& value, const Names& names) {
    const auto found = std::ranges::find(names, next_word());
    if (found == names.end()) throw Damaged();
    value = static_cast<Enum>(found - names.begin());
  }
  template <class Number>
  void number_or_word(Number& value, Number instead, std::string_view word) {
    if (is_next(word)) value = instead;
    else read_next(value);
  }
  void power_of_two(std::uint8_t& exponent);
  void microseconds(std::uint64_t& value);

  /// False if it is of another kind, and then nothing has changed.
  template <class Value>
  bool read(const Json& json, Value& value) const {
    if constexpr (IsRow<FieldReader, Value> || is_pair<Value>) return read_row(json, value);
    else if constexpr (HasFields<FieldReader, Value>) return read_object(json, value);
    else if constexpr (is_list<Value>) return read_list(json, value);
    else return read_scalar(json, value);
  }

 private:
  FieldReader(const Json& json, int most_ranks) : json_(json), most_ranks_(most_ranks) {}

  const Json* find(std::string_view key) const;
  const Json& next();
  std::string next_word();
  bool is_next(std::string_view word);  // and goes beyond it

  template <class Value>
  void read_next(Value& value) {
    if (!read(next(), value)) throw Damaged();
  }

  template <class Value>
  bool read_object(const Json& json, Value& value) const {
    if (!json.is_object()) return false;
    FieldReader reader(json, most_ranks_);
    Value::fields(reader, value);
    return true;
  }

  template <class Value>
  bool read_row(const Json& json, Value& value) const {
    FieldReader reader(json, most_ranks_);
    if constexpr (is_pair<Value>) reader.values(value.first, value.second);
    else Value::row(reader, value);
    return true;
  }

  /// Without the items that are of another kind.
  template <class Items>
  bool read_list(const Json& json, Items& items) const {
    if (!json.is_array()) return false;
    for (const Json& one : json) {
      typename Items::value_type item{};
      if (read(one, item)) items.push_back(std::move(item));
    }
    return true;
  }

  static bool read_scalar(const Json& json, std::string& value);
  static bool read_scalar(const Json& json, bool& value);
  static bool read_scalar(const Json& json, double& value);
  static bool read_scalar(const Json& json, std::int64_t& value);
  static bool read_scalar(const Json& json, std::uint64_t& value);
  template <std::integral Value>
  static bool read_scalar(const Json& json, Value& value) {
    using Limits = std::numeric_limits<Value>;
    std::conditional_t<std::is_signed_v<Value>, std::int64_t, std::uint64_t> wide = 0;
    if (!read_scalar(json, wide)) return false;
    value = static_cast<Value>(std::clamp<decltype(wide)>(wide, Limits::min(), Limits::max()));
    return true;
  }

  const Json& json_;
  int most_ranks_;
  std::size_t place_ = 0;  // in a row
};

}  // namespace cairn::formats
