// SPDX-License-Identifier: BSD-3-Clause
// bytes.hpp - numbers and texts as bytes: 7 bits of a number in each, the lowest first
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cairn::trace {

/// Content that no writer of ours has made.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

inline std::uint64_t zigzag(std::uint64_t difference) { return difference << 1U ^ (0 - (difference >> 63U)); }
inline std::uint64_t unzigzag(std::uint64_t number) { return number >> 1U ^ (0 - (number & 1U)); }

inline void put(std::string& out, std::uint64_t number) {
  for (; number >= 0x80U; number >>= 7U) out += static_cast<char>(number | 0x80U);
  out += static_cast<char>(number);
}
/// Of a number that is often small, of either sign.
inline void put_signed(std::string& out, std::uint64_t difference) { put(out, zigzag(difference)); }
inline void put_signed(std::string& out, std::int32_t number) {
  put_signed(out, static_cast<std::uint64_t>(static_cast<std::int64_t>(number)));
}
inline void put_text(std::string& out, std::string_view text) {
  put(out, text.size());
  out += text;
}

/// Fixed width, the lowest byte first.
template <class Number>
void put_fixed(std::string& out, Number number) {
  for (std::size_t i = 0; i < sizeof number; ++i) out += static_cast<char>(number >> (8 * i));
}

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  std::size_t left() const { return rest_.size(); }

  bool is_over() const { return rest_.empty(); }

  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1).front());
      number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return number;
    }
    throw Damaged("a number does not end");
  }
  std::uint64_t difference() { return unzigzag(number()); }
  std::int32_t small() { return static_cast<std::int32_t>(difference()); }
  std::string_view text() { return take(number()); }
  template <class Number>
  Number fixed() {
    Number number = 0;
    const std::string_view bytes = take(sizeof number);
    for (std::size_t i = 0; i < sizeof number; ++i)
      number = static_cast<Number>(number | static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8 * i));
    return number;
  }

 private:
  std::string_view take(std::uint64_t size) {
    if (size > rest_.size()) throw Damaged("it ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace cairn::trace
