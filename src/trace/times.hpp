// SPDX-License-Identifier: BSD-3-Clause
// times.hpp - the moments of a block, each within an error of what it was
//
// Most moments are as long after the moment before as others of their kind were: that is written once for each kind. Of
// those that would be off by more, it is written which they are among those of their kind, and by how many errors they
// differ. What a moment is compared with is the one before as it will be read, so that errors do not add up.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/bytes.hpp"

namespace cairn::trace {

class TimesEncoder {
 public:
  void add(std::uint64_t kind, std::uint64_t ticks);
  struct Columns {
    std::string usual;   // the error, 0: exact; the first moment; of each kind, when it comes first, what is usual
    std::string runs;    // of each kind: how many corrections; as many times how many moments before it need none
    std::string values;  // of each correction
  };
  /// What was added; the next block begins. Where moments go back, all of the block are written as they are.
  Columns take(std::uint64_t error);

 private:
  struct Timed {
    std::uint64_t ticks;
    std::uint32_t kind;
  };

  struct Kind {
    std::uint64_t usual = 0;
    std::uint64_t run = 0;  // moments since the last correction
    std::uint64_t corrections = 0;
    std::string runs, values;
  };

  std::vector<Kind> find_usual(std::uint64_t error, std::string& usual) const;
  static void correct(Kind& kind, std::uint64_t error, std::uint64_t ticks, std::uint64_t& last);

  std::vector<Timed> moments_;
  std::unordered_map<std::uint64_t, std::uint32_t> kinds_;
  std::uint64_t latest_ = 0;
  std::uint64_t read_ = 0;  // the last moment as it will be read
  bool goes_back_ = false;  // as in calls within calls
};

class TimesDecoder {
 public:
  TimesDecoder(Bytes usual, Bytes runs, Bytes values);

  /// Throws Damaged.
  std::uint64_t next(std::uint64_t kind);

 private:
  struct Kind {
    std::uint64_t usual = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> corrections;  // moments before it, difference
    std::size_t next = 0;
  };

  void read(Kind& kind);

  Bytes usual_, runs_, values_;
  std::uint64_t error_;
  std::uint64_t last_;
  bool is_first_ = true;
  std::unordered_map<std::uint64_t, Kind> kinds_;
};

}  // namespace cairn::trace
