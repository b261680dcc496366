// SPDX-License-Identifier: BSD-3-Clause
// board_reader.hpp - what a tool publishes of a process (cairn/board.hpp), read while it writes
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/file_bytes.hpp"
#include "cairn/board.hpp"
#include "where/page_reader.hpp"

namespace cairn::live {

class BoardReader {
 public:
  /// Without entries if there is no such board. Throws Problem: it is one of another version.
  explicit BoardReader(const std::string& path);
  /// The same of a process, also of one on another node whose boards have been sent.
  BoardReader(const where::Process& process, std::string_view ending);

  bool is_there() const { return !bytes_.empty(); }
  /// Entries for which there was no room.
  std::uint64_t lost() const { return lost_; }
  /// Whether all entries that were made can be read.
  bool is_whole() const;
  /// Where an entry's content is in the file.
  std::uint64_t place_of(std::span<const char> content) const {
    return static_cast<std::uint64_t>(content.data() - bytes_.data());
  }

  /// visit(what, number, content) for each entry, as far as they make sense.
  template <class Visit>
  void for_each(Visit visit) const {
    walk(visit);
  }

 private:
  template <class Bytes>
  void read(const Bytes& file, const std::string& path);
  void read_file(const std::string& path);
  /// Where it had to end.
  template <class Visit>
  std::uint64_t walk(Visit visit) const {
    board::Entry entry{};
    std::uint64_t at = sizeof(board::Header);
    for (; at + sizeof entry <= bytes_.size(); at += entry.size) {
      std::memcpy(&entry, bytes_.data() + at, sizeof entry);
      if (entry.size < sizeof entry || entry.size % board::step != 0 || entry.size > bytes_.size() - at) return at;
      if (entry.what != 0)
        visit(entry.what, entry.number,
              std::span<const char>(bytes_.data() + at + sizeof entry, entry.size - sizeof entry));
    }
    return at;
  }

  std::vector<char> bytes_;
  std::uint64_t lost_ = 0;
  std::uint64_t end_ = 0;
};

/// An entry's texts, one after the other; a damaged one ends with the entry.
inline std::string next_text(std::span<const char>& content) {
  std::string text(content.data(), strnlen(content.data(), content.size()));
  content = content.subspan(std::min(text.size() + 1, content.size()));
  return text;
}

}  // namespace cairn::live
