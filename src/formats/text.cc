// SPDX-License-Identifier: BSD-3-Clause
// text.cc - joining and padding

#include "formats/text.hpp"

#include "formats/numbers.hpp"

namespace cairn::formats {

namespace {

std::size_t width_of(std::string_view text) {
  std::size_t characters = 0;
  for (const char c : text)
    if ((static_cast<unsigned char>(c) & 0xc0U) != 0x80U) ++characters;
  return characters;
}

std::string spaces(std::string_view beside, std::size_t width) {
  const std::size_t used = width_of(beside);
  return std::string(used < width ? width - used : 0, ' ');
}

}  // namespace

std::string cat(std::initializer_list<Piece> pieces) {
  std::size_t size = 0;
  for (const Piece& piece : pieces) size += piece.text().size();
  std::string out;
  out.reserve(size);
  add(out, pieces);
  return out;
}

void add(std::string& out, std::initializer_list<Piece> pieces) {
  for (const Piece& piece : pieces) out += piece.text();
}

std::string left(const Piece& text, std::size_t width) { return cat({text.text(), spaces(text.text(), width)}); }

std::string right(const Piece& text, std::size_t width) { return cat({spaces(text.text(), width), text.text()}); }

std::string plural(std::uint64_t number, std::string_view noun) {
  return cat({number, " ", noun, number == 1 ? "" : "s"});
}

std::string name_or(const std::string& name, std::string_view unnamed) {
  if (name.empty()) return std::string(unnamed);
  std::string_view bare = name;
  while (bare.size() > 1 && bare.starts_with('\'') && bare.ends_with('\'')) bare = bare.substr(1, bare.size() - 2);
  return bare == unnamed ? cat({"'", name, "'"}) : name;
}

std::string place_text(const SourcePosition& place) {
  if (!place.file.empty()) return cat({file_of(place.file), ":", place.line, " ", place.caller});
  if (place.object.empty()) return place.caller;
  if (!place.caller.empty()) return cat({place.caller, " in ", file_of(place.object)});
  return cat({file_of(place.object), "+", hexadecimal(place.offset)});
}

}  // namespace cairn::formats
