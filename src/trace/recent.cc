// SPDX-License-Identifier: BSD-3-Clause
// recent.cc - dropping records by their age, and the clock's moments that only they needed

#include "trace/recent.hpp"

#include <algorithm>

namespace cairn::trace {

void Recent::add(BlockKind kind, std::uint64_t bytes, std::uint64_t now_ns) {
  if (!is_wanted()) return;
  blocks_.push_back({kind, bytes, now_ns});
  bytes_ += bytes;
}

bool Recent::is_due(std::uint64_t now_ns) const {
  if (!is_wanted()) return false;
  const auto oldest = std::ranges::find(blocks_, BlockKind::records, &Block::kind);
  if (oldest == blocks_.end()) return false;
  return oldest->ns + keeps_ns_ + keeps_ns_ / 2 < now_ns || (most_ != 0 && bytes_ > most_);
}

bool Recent::keeps_all(std::uint64_t now_ns) const {
  const auto oldest = std::ranges::find(blocks_, BlockKind::records, &Block::kind);
  return oldest == blocks_.end() || (oldest->ns + keeps_ns_ >= now_ns && bytes_ <= room());
}

std::vector<Recent::Range> Recent::cut(std::uint64_t now_ns) {
  std::vector<bool> stays(blocks_.size(), true);
  for (std::size_t i = 0; i < definitions_from_; ++i)
    if (blocks_[i].kind == BlockKind::definitions) {
      stays[i] = false;
      bytes_ -= blocks_[i].bytes;
    }
  definitions_from_ = 0;
  std::size_t clock = blocks_.size();  // the last one before what stays
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Block& block = blocks_[i];
    if (block.kind == BlockKind::clock && i + 1 < blocks_.size()) {
      if (clock != blocks_.size()) {
        stays[clock] = false;
        bytes_ -= blocks_[clock].bytes;
      }
      clock = i;
    }
    if (block.kind != BlockKind::records) continue;
    if (block.ns + keeps_ns_ >= now_ns && bytes_ <= room()) break;
    stays[i] = false;
    bytes_ -= block.bytes;
  }
  std::vector<Range> ranges;
  std::vector<Block> left;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < blocks_.size(); at += blocks_[i++].bytes) {
    if (!stays[i]) continue;
    left.push_back(blocks_[i]);
    if (!ranges.empty() && ranges.back().first + ranges.back().second == at) ranges.back().second += blocks_[i].bytes;
    else ranges.emplace_back(at, blocks_[i].bytes);
  }
  blocks_ = std::move(left);
  return ranges;
}

}  // namespace cairn::trace
