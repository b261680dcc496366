// SPDX-License-Identifier: BSD-3-Clause
// kept.hpp - the calls of a process, compressed: in memory, and where that is full in a file beside the results
#pragma once

#include <cstdint>
#include <string>

#include "cairn/kit/self.hpp"
#include "trace/file.hpp"

namespace waits_tool {

class Kept {
 public:
  /// Bytes; `memory` 0: without limit.
  Kept(cairn::Self self, std::uint64_t memory, std::uint64_t disk)
      : self_(self), memory_(memory), disk_(memory == 0 ? 0 : disk) {}

  /// What there is room for in all; 0: there is no limit.
  std::uint64_t limit() const { return memory_ == 0 ? 0 : memory_ + disk_; }
  /// `file`: in the run's folder; the process's own.
  void use(std::string file) { file_ = std::move(file); }
  /// False: the file cannot be written. What it was to hold stays in memory.
  bool add(const std::string& bytes) {
    if (is_lost_) return true;
    in_memory_ += bytes;
    if (disk_ == 0 || in_memory_.size() <= memory_) return true;
    if (!self_.add(file_, in_memory_)) {
      disk_ = 0;
      if (!has_file_) self_.remove(file_);
      return false;
    }
    has_file_ = true;
    in_memory_.clear();
    return true;
  }
  bool is_empty() const { return in_memory_.empty() && !has_file_; }
  /// All that was added; it is read block by block. As long as this and the file are there. Throws cairn::Problem if
  /// somebody has removed the file.
  cairn::trace::File open() const {
    if (!has_file_) return cairn::trace::File::holding(in_memory_, "waits");
    cairn::trace::File file(self_.output_folder() + ("/" + file_));
    file.append(in_memory_);
    return file;
  }
  /// All of it is no more then, if there is a file, and nothing more is kept: whoever survives what was to be its end
  /// has no records.
  void remove_file() {
    if (!has_file_) return;
    self_.remove(file_);
    has_file_ = false;
    is_lost_ = true;
    in_memory_.clear();
  }

 private:
  cairn::Self self_;
  std::uint64_t memory_;
  std::uint64_t disk_;
  std::string file_;
  bool has_file_ = false;
  bool is_lost_ = false;
  std::string in_memory_;
};

}  // namespace waits_tool
