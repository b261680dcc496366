// SPDX-License-Identifier: BSD-3-Clause
// rows.hpp - what travels between ranks: figures over ranks, under keys that mean the same on every rank. No MPI in
// here.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "record.hpp"

namespace profile {

/// A key begins with it; what follows are values and texts of the writer, in the order in which the reader takes them.
enum class RowKind : char {
  function = 'f',         // cairn::Function
  site = 's',             // cairn::Function, then offset and path of each place
  region_calls = 'r',     // path: its calls of MPI
  region_visits = 'v',    // path: how often and how long ranks were in it
  region_function = 'x',  // path, cairn::Function
  communicator = 'c',     // as CommGroup has it
  communicators = 'n',    // the same: how many there were
};

class KeyWriter {
 public:
  explicit KeyWriter(RowKind kind) : key_(1, static_cast<char>(kind)) {}

  template <class Value>
  KeyWriter& put(const Value& value) {
    key_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  KeyWriter& put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    key_ += text;
    return *this;
  }
  const std::string& key() const { return key_; }

 private:
  std::string key_;
};

class KeyReader {
 public:
  explicit KeyReader(std::string_view key) : key_(key) {}

  RowKind kind() const { return static_cast<RowKind>(key_[0]); }
  bool at_end() const { return at_ == key_.size(); }
  template <class Value>
  Value take() {
    Value value;
    std::memcpy(&value, key_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::string take_text() {
    const auto length = take<std::uint32_t>();
    at_ += length;
    return std::string(key_.substr(at_ - length, length));
  }

 private:
  std::string_view key_;
  std::size_t at_ = 1;
};

/// Zeros stand for ranks that have no such row.
struct Row {
  std::uint64_t calls;
  std::uint64_t calls_max;
  std::uint64_t sent;
  std::uint64_t received;
  std::uint64_t in_vain;
  double time;
  double least;
  double most;
  double rank_min;
  double rank_max;
  int rank_of_max;
  int ranks;
  std::uint64_t transfers;
  double under_way;
  double waited;
  Histogram by_time;
  Histogram by_size;
};

using Rows = std::map<std::string, Row>;

/// One rank's.
Row row_of(const Figures& figures, int rank);

/// Adds other ranks' row.
void add(Rows& rows, const std::string& key, const Row& row);

/// As bytes, and back: added to what is there.
std::string pack(const Rows& rows);
void unpack(Rows& rows, std::string_view bytes);

/// Rank and seconds, by function, "" for all of MPI. Of as many ranks as there are, so without what a row has besides.
using RankTimes = std::map<std::string, std::vector<std::pair<int, double>>>;

/// All that travels.
struct Gathered {
  Rows rows;
  RankTimes rank_times;  // if asked for
};
std::string pack(const Gathered& all);
void unpack(Gathered& into, const std::string& bytes);

}  // namespace profile
