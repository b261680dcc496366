// SPDX-License-Identifier: BSD-3-Clause
// recent.hpp - which blocks of a trace that has only the last seconds are still needed
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "trace/format.hpp"

namespace cairn::trace {

class Recent {
 public:
  /// A part of the file: where, and how long.
  using Range = std::pair<std::uint64_t, std::uint64_t>;

  /// `seconds`: 0: all, whatever it is. `most`: bytes; 0: any number.
  Recent(double seconds, std::uint64_t most) : keeps_ns_(static_cast<std::uint64_t>(1e9 * seconds)), most_(most) {}

  bool is_wanted() const { return keeps_ns_ != 0; }
  /// That has been appended to the file.
  void add(BlockKind kind, std::uint64_t bytes, std::uint64_t now_ns);
  /// What follows defines all that is needed: earlier definitions go with the next cut.
  void begin_definitions() { definitions_from_ = blocks_.size(); }
  /// Records that were written before may go.
  std::uint64_t keeps_since(std::uint64_t now_ns) const { return now_ns > keeps_ns_ ? now_ns - keeps_ns_ : 0; }
  /// Whether enough may go, so that the file's being written anew is rare.
  bool is_due(std::uint64_t now_ns) const;
  /// Whether all stays.
  bool keeps_all(std::uint64_t now_ns) const;
  /// What stays, in the order of the file; from now on that is the file. Records that ended long ago go, and the oldest
  /// if there are still too many.
  std::vector<Range> cut(std::uint64_t now_ns);

 private:
  std::uint64_t room() const { return most_ == 0 ? UINT64_MAX : most_ / 4 * 3; }

  struct Block {
    BlockKind kind;
    std::uint64_t bytes;
    std::uint64_t ns;
  };

  std::uint64_t keeps_ns_;
  std::uint64_t most_;
  std::uint64_t bytes_ = 0;
  std::vector<Block> blocks_;
  std::size_t definitions_from_ = 0;  // among them
};

}  // namespace cairn::trace
