// SPDX-License-Identifier: BSD-3-Clause
// file_bytes.hpp - files as bytes: whole, or part by part while another process writes, cuts or removes them
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace cairn {

/// Also of a pipe or of /proc. Without a value if it cannot be read; errno has the reason.
std::optional<std::string> whole_file(const std::string& path);

/// Opened to be read. By pread, not mapped: a file that is cut meanwhile gives an end, not a signal.
class FileBytes {
 public:
  /// Throws Problem if it cannot be opened; what is no regular file has no bytes.
  explicit FileBytes(const std::string& path);
  /// Of what is in memory.
  static FileBytes holding(std::string bytes) { return FileBytes(std::move(bytes), -1); }
  /// As if they were at its end.
  void append(const std::string& bytes);
  ~FileBytes();
  FileBytes(FileBytes&& other) noexcept
      : file_(std::exchange(other.file_, -1)),
        of_file_(other.of_file_),
        held_(std::move(other.held_)),
        size_(other.size_) {}
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// When it was opened, and with what was appended.
  std::uint64_t size() const { return size_; }
  /// How many of the bytes from `at` on were there.
  std::size_t read(std::uint64_t at, void* to, std::size_t bytes) const;

 private:
  FileBytes(std::string bytes, int file) : file_(file), held_(std::move(bytes)), size_(held_.size()) {}

  int file_;                   // -1: none
  std::uint64_t of_file_ = 0;  // bytes
  std::string held_;           // those after them
  std::uint64_t size_ = 0;
};

}  // namespace cairn
