// SPDX-License-Identifier: BSD-3-Clause
// field_reader.cc - scalars, members and values of rows

#include "formats/field_reader.hpp"

#include <bit>
#include <cmath>

namespace cairn::formats {

// ------------------------------------------------------------ scalars

namespace {

/// `number` as far as `Integer` goes.
template <class Integer>
Integer whole(double number) {
  constexpr double least = std::numeric_limits<Integer>::min();
  constexpr double beyond = std::is_signed_v<Integer> ? 0x1p63 : 0x1p64;
  if (std::isnan(number)) return 0;
  if (number >= beyond) return std::numeric_limits<Integer>::max();
  return number <= least ? std::numeric_limits<Integer>::min() : static_cast<Integer>(number);
}

}  // namespace

bool FieldReader::read_scalar(const Json& json, std::string& value) {
  if (!json.is_string()) return false;
  value = json.get_ref<const std::string&>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, bool& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, double& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, std::int64_t& value) {
  if (!json.is_number()) return false;
  if (json.is_number_float()) value = whole<std::int64_t>(json.get<double>());
  else if (json.is_number_unsigned())
    value = static_cast<std::int64_t>(std::min<std::uint64_t>(json.get<std::uint64_t>(), INT64_MAX));
  else value = json.get<std::int64_t>();
  return true;
}

bool FieldReader::read_scalar(const Json& json, std::uint64_t& value) {
  if (!json.is_number()) return false;
  if (json.is_number_float()) value = whole<std::uint64_t>(json.get<double>());
  else if (json.is_number_unsigned()) value = json.get<std::uint64_t>();
  else value = static_cast<std::uint64_t>(std::max<std::int64_t>(json.get<std::int64_t>(), 0));
  return true;
}

// ------------------------------------------------------------ members and rows

const Json* FieldReader::find(std::string_view key) const {
  const auto found = json_.find(std::string(key));
  return found == json_.end() ? nullptr : &*found;
}

void FieldReader::ranks(std::string_view key, std::vector<int>& all, bool /*is_there*/) {
  std::string text;
  (*this)(key, text);
  all = ranks_of(text, most_ranks_);
}

const Json& FieldReader::next() {
  if (!json_.is_array() || place_ == json_.size()) throw Damaged();
  return json_[place_++];
}

std::string FieldReader::next_word() {
  std::string word;
  read_next(word);
  return word;
}

bool FieldReader::is_next(std::string_view word) {
  const bool is_it = json_.is_array() && place_ < json_.size() && json_[place_] == word;
  if (is_it) ++place_;
  return is_it;
}

void FieldReader::power_of_two(std::uint8_t& exponent) {
  std::uint64_t power = 0;
  read_next(power);
  if (!std::has_single_bit(power)) throw Damaged();
  exponent = static_cast<std::uint8_t>(std::countr_zero(power));
}

void FieldReader::microseconds(std::uint64_t& value) {
  double seconds = 0;
  read_next(seconds);
  value = whole<std::uint64_t>(std::round(1e6 * seconds));
}

}  // namespace cairn::formats
