// SPDX-License-Identifier: BSD-3-Clause
// file_bytes.hpp - a file of another process, which may write, cut or remove it meanwhile
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace cairn {

/// Opened to be read. By pread, not mapped: a file that is cut meanwhile gives an end, not a signal.
class FileBytes {
 public:
  /// Throws Problem if it cannot be opened; what is no regular file has no bytes.
  explicit FileBytes(const std::string& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// When it was opened.
  std::uint64_t size() const { return size_; }
  /// How many of the bytes from `at` on were there.
  std::size_t read(std::uint64_t at, void* to, std::size_t bytes) const;

 private:
  int file_;
  std::uint64_t size_ = 0;
};

}  // namespace cairn
