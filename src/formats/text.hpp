// SPDX-License-Identifier: BSD-3-Clause
// text.hpp - lines and columns of text, for the tables that tools write
//
//   out += cat({left(name, 28), right(calls, 13), " ", fixed(seconds, 6), "\n"});
#pragma once

#include <array>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace cairn::formats {

/// A text or a whole number, as an argument.
class Piece {
 public:
  Piece(std::string_view text) : text_(text) {}    // NOLINT: it stands for either
  Piece(const std::string& text) : text_(text) {}  // NOLINT
  Piece(const char* text) : text_(text) {}         // NOLINT
  template <std::integral Number>
  Piece(Number number) {  // NOLINT
    text_ = {digits_.data(), std::to_chars(digits_.data(), digits_.data() + digits_.size(), number).ptr};
  }
  Piece(const Piece& other) : text_(other.text_) {}  // of what lives until the end of the expression
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::array<char, 24> digits_;
  std::string_view text_;
};

/// One after the other.
std::string cat(std::initializer_list<Piece> pieces);
void add(std::string& out, std::initializer_list<Piece> pieces);

/// With spaces to a width in characters; what is longer stays whole.
std::string left(const Piece& text, std::size_t width);
std::string right(const Piece& text, std::size_t width);

/// "1 rank", "4 ranks"
std::string plural(std::uint64_t number, std::string_view noun);

using cairn::file_of;
using cairn::harmless;

/// The name, or what stands for none; a name that reads the same is in quotes.
std::string name_or(const std::string& name, std::string_view unnamed);

/// A place in the program as far as its files tell.
struct SourcePosition {
  std::string caller;  // the calling function; "" if unknown
  std::string file;    // ""
  int line = 0;        // 0
  std::string object;  // program or library; "" if even that is unknown
  std::uint64_t offset = 0;

  static void fields(auto& file_fields, auto& place) {
    file_fields("file", place.file);
    file_fields("line", place.line);
    file_fields("caller", place.caller);
    file_fields("object", place.object);
    file_fields("offset", place.offset);
  }
};

/// "halo.c:120 exchange", or what is known in its place: "exchange in app", "app+0x4f"; "" for nothing.
std::string place_text(const SourcePosition& place);

}  // namespace cairn::formats
