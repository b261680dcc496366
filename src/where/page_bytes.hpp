// SPDX-License-Identifier: BSD-3-Clause
// page_bytes.hpp - a page's bytes, of which some may be missing
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/message.hpp"
#include "where/page_reader.hpp"

namespace cairn::where {

/// Bytes of a file, or of a copy. By pread, not mapped: a file that is cut meanwhile gives an end, not a signal.
class PageBytes {
 public:
  explicit PageBytes(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (file_ < 0) throw Problem("'" + path + "' cannot be read: " + std::strerror(errno));
    struct stat about {};
    if (fstat(file_, &about) == 0 && S_ISREG(about.st_mode)) size_ = static_cast<std::uint64_t>(about.st_size);
  }
  explicit PageBytes(const SentPage& page) : copy_(page.bytes.data()), size_(page.bytes.size()) {}
  ~PageBytes() {
    if (file_ >= 0) close(file_);
  }
  PageBytes(const PageBytes&) = delete;
  PageBytes& operator=(const PageBytes&) = delete;

  std::uint64_t size() const { return size_; }

  bool read(std::uint64_t at, void* to, std::size_t bytes) const {
    if (at > size_ || bytes > size_ - at) return false;
    if (copy_ != nullptr && bytes != 0) std::memcpy(to, copy_ + at, bytes);
    if (copy_ != nullptr) return true;
    return pread(file_, to, bytes, static_cast<off_t>(at)) == static_cast<ssize_t>(bytes);
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

 private:
  int file_ = -1;
  const char* copy_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace cairn::where
