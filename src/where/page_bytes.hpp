// SPDX-License-Identifier: BSD-3-Clause
// page_bytes.hpp - a page's bytes, of which some may be missing
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/file_bytes.hpp"
#include "where/page_reader.hpp"

namespace cairn::where {

/// An entry of the layout as plain bytes, so that it can be copied; atomics are read as what they hold.
template <class Entry>
struct Raw {
  alignas(Entry) std::byte bytes[sizeof(Entry)];
  const Entry& operator*() const { return *reinterpret_cast<const Entry*>(bytes); }
  const Entry* operator->() const { return &**this; }
};

/// Bytes of a file, or of a copy.
class PageBytes {
 public:
  explicit PageBytes(const std::string& path) : file_(std::in_place, path), size_(file_->size()) {}
  explicit PageBytes(const SentPage& page) : copy_(page.bytes->data()), size_(page.bytes->size()) {}

  std::uint64_t size() const { return size_; }

  bool read(std::uint64_t at, void* to, std::size_t bytes) const {
    if (at > size_ || bytes > size_ - at) return false;
    if (file_) return file_->read(at, to, bytes) == bytes;
    if (bytes != 0) std::memcpy(to, copy_ + at, bytes);
    return true;
  }
  /// At most `most` entries; fewer where the file ends.
  template <class Entry>
  std::vector<Entry> table(const page::Table& table, std::size_t most) const {
    if (table.at > size_) return {};
    const std::uint64_t there = (size_ - table.at) / sizeof(Entry);
    std::vector<Entry> entries(static_cast<std::size_t>(std::min<std::uint64_t>({table.count, there, most})));
    if (!read(table.at, static_cast<void*>(entries.data()), entries.size() * sizeof(Entry))) entries.clear();
    return entries;
  }
  /// With what it has grown by.
  template <class Entry>
  std::vector<Entry> table(const page::Table& first, const page::MoreOfTable& more, std::size_t most) const {
    std::vector<Entry> entries = table<Entry>(first, most);
    for (std::size_t i = 0; i < page::MoreOfTable::most && entries.size() == (i + 1) * first.count; ++i) {
      const std::uint64_t at = more.at[i].load(std::memory_order_acquire);
      if (at == 0 || entries.empty()) break;
      const std::vector<Entry> part = table<Entry>(page::Table{at, first.count}, most - std::min(most, entries.size()));
      entries.insert(entries.end(), part.begin(), part.end());
    }
    return entries;
  }

 private:
  std::optional<FileBytes> file_;
  const char* copy_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace cairn::where
