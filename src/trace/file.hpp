// SPDX-License-Identifier: BSD-3-Clause
// file.hpp - a trace file as it is read: nothing here trusts what it says
//
// What is small is read at once; records block by block, so that memory does not grow with the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/file_bytes.hpp"
#include "trace/blocks.hpp"
#include "trace/format.hpp"

namespace cairn::trace {

class File {
 public:
  /// Throws Problem: no trace of ours, another version, unreadable. What is damaged ends the file there: `damage`.
  explicit File(const std::string& path) : File(path, FileBytes(path)) {}
  /// What the file would hold. `name`: for messages.
  static File holding(std::string bytes, const std::string& name) {
    return {name, FileBytes::holding(std::move(bytes))};
  }

  const std::string& path() const { return path_; }
  const Process& process() const { return process_; }
  const Definitions& definitions() const { return definitions_; }
  /// Null: it ends without saying so, as when its process was killed.
  const End* end() const { return end_ ? &*end_ : nullptr; }
  /// "" or why the file was read only so far.
  const std::string& damage() const { return damage_; }
  std::uint64_t bytes() const { return file_.size(); }

  struct Block {
    BlockHead head;
    std::uint64_t at = 0;  // of the stored content
  };
  const std::vector<Block>& records() const { return records_; }
  /// Throws Damaged.
  std::vector<Record> read(const Block& block) const;

  /// Of a record; null: unknown.
  const Function* function(const Record& record) const {
    return record.function < process_.functions.size() ? &process_.functions[record.function] : nullptr;
  }
  const Object* object(const Record& record) const {
    return record.object != 0 && record.object < definitions_.objects.size() ? &definitions_.objects[record.object]
                                                                             : nullptr;
  }
  bool is(const Record& record, bool (*what)(const Function&)) const {
    const Function* const its = function(record);
    return its != nullptr && what(*its);
  }
  bool is_with_nobody(const Record& record) const {
    return (record.flags & page::has_peer) != 0 && record.peer == process_.proc_null;
  }
  /// 0: unknown.
  std::uint64_t bytes(const Record& record) const;

  /// On CLOCK_MONOTONIC, by the moments of the clock blocks around it; where the job has several clocks, on that of its
  /// first process, as far as they were compared.
  std::int64_t nanoseconds(std::uint64_t ticks) const;
  /// On which clock: moments of files with the same name can be compared.
  std::string clock() const;
  /// Added to its moments, they are the time of day.
  std::int64_t time_of_day_ns() const;
  const Moment& first_moment() const { return moments_.front(); }
  /// When the process was at its end, or at least a second before.
  const Moment& last_moment() const { return moments_.back(); }
  /// None: the job has one clock, or they were not compared. Two: at the start and at the end.
  const std::vector<Comparison>& comparisons() const { return comparisons_; }

 private:
  File(const std::string& path, FileBytes bytes);
  void read_blocks();
  void take(const Block& block);
  void take(const Comparison& comparison);
  std::int64_t own_nanoseconds(std::uint64_t ticks) const;
  std::int64_t offset_at(std::int64_t ns) const;
  std::string stored(std::uint64_t at, std::uint64_t size) const;

  std::string path_;
  FileBytes file_;
  Process process_;
  Definitions definitions_;
  std::optional<End> end_;
  std::vector<Moment> moments_;
  std::vector<Comparison> comparisons_;
  std::vector<Block> records_;
  std::string damage_;
};

/// The records of one thread, one after the other.
class Cursor {
 public:
  Cursor(const File& file, std::uint32_t thread) : file_(&file), thread_(thread) { load(); }

  /// Null at the end.
  const Record* now() const { return at_ < block_.size() ? &block_[at_] : nullptr; }
  /// Its number among the thread's, from 1.
  std::uint64_t number() const { return first_ + at_ + 1; }
  std::uint32_t thread() const { return thread_; }
  void step() {
    if (++at_ == block_.size()) load();
  }
  /// "" or why it ended too early.
  const std::string& damage() const { return damage_; }

 private:
  void load();

  const File* file_;
  std::uint32_t thread_;
  std::size_t next_ = 0;  // among the file's blocks
  std::vector<Record> block_;
  std::size_t at_ = 0;
  std::uint64_t first_ = 0;
  std::string damage_;
};

/// The records of all threads of a process: calls in the order in which they begin, each followed by its details.
class Records {
 public:
  explicit Records(const File& file);

  /// Null at the end.
  const Record* now() const { return current_ == nullptr ? nullptr : current_->now(); }
  std::uint64_t number() const { return current_->number(); }
  std::uint32_t thread() const { return current_->thread(); }
  void step();
  std::string damage() const;

 private:
  void choose();

  std::vector<Cursor> cursors_;
  Cursor* current_ = nullptr;
};

/// Those of a folder that have a trace's name, by rank.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace cairn::trace
