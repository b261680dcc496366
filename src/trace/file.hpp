// SPDX-License-Identifier: BSD-3-Clause
// file.hpp - a trace file as it is read: nothing here trusts what it says
//
// What is small is read at once; records block by block, so that memory does not grow with the trace. A block that is
// damaged is left out, whoever comes upon it; `damages` has all that were found so far.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_bytes.hpp"
#include "trace/blocks.hpp"
#include "trace/common.hpp"
#include "trace/format.hpp"

namespace cairn::trace {

/// A part of a file that cannot be read.
struct Damage {
  std::string why;
  std::string lost;  // "16384 records of thread 0 are left out"
};

class File {
 public:
  /// Throws Problem: no trace of ours, another version, unreadable, or what it has in common with others is not there.
  /// `common`: what a trace of the same folder has in common with others, or null.
  explicit File(const std::string& path, std::shared_ptr<const Common> common = nullptr)
      : File(path, FileBytes(path), std::move(common)) {}
  /// What the file would hold. `name`: for messages.
  static File holding(std::string bytes, const std::string& name) {
    return {name, FileBytes::holding(std::move(bytes)), nullptr};
  }

  /// Blocks that its process did not come to write.
  void append(const std::string& blocks);

  const std::string& path() const { return path_; }
  const Process& process() const { return process_; }
  const Definitions& definitions() const { return definitions_; }
  /// Null: it ends without saying so, as when its process was killed.
  const End* end() const { return end_ ? &*end_ : nullptr; }
  /// By where they begin: what was found when the file was opened, and where its records were read since.
  const std::map<std::uint64_t, Damage>& damages() const { return damages_; }
  /// The file cannot be read from some place to its end.
  bool is_damaged_at_end() const { return is_damaged_at_end_; }
  std::uint64_t bytes() const { return file_.size(); }
  /// What it has in common with other traces, and what that takes on disk; null: it is whole by itself.
  const std::shared_ptr<const Common>& common() const { return common_; }

  struct Block {
    BlockHead head;
    std::uint64_t at = 0;  // of the stored content
  };
  /// Its definitions have numbers, as those of all later layouts.
  bool has_numbers() const { return version_ >= first_with_numbers; }
  /// Calls `take` with head and content of each block that its process has written, in their order, but for that which
  /// names what it has in common with others; until that returns false. Throws Damaged.
  template <class Take>
  void for_each_block(Take take) const {
    for (std::uint64_t at = head_size; at < written_;) {
      const Block block{head_of(stored(at, BlockHead::size)), at + BlockHead::size};
      if (block.head.kind != BlockKind::uses_common && !take(block.head, content(block))) return;
      at = block.at + block.head.stored;
    }
  }
  const std::vector<Block>& records() const { return records_; }
  /// None if it is damaged, which is noted.
  std::vector<Record> read(const Block& block) const;

  /// Of a record; null: unknown.
  const Function* function(const Record& record) const {
    return record.function < process_.functions.size() ? &process_.functions[record.function] : nullptr;
  }
  const Object* object(const Record& record) const { return definitions_.objects.find(record.object); }
  /// "" outside of all; null: it is not known, as where it is of another tool.
  const std::string* region(const Record& detail) const {
    const auto found = definitions_.regions.find({detail.tag, detail.count});
    return found == definitions_.regions.end() ? nullptr : &found->second;
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
  /// Whether it has elements of a datatype that the trace does not know.
  bool has_unknown_bytes(const Record& call) const;

  /// On CLOCK_MONOTONIC, by the moments of the clock blocks around it; where the job has several clocks, on that of its
  /// first process, as far as they were compared.
  std::int64_t nanoseconds(std::uint64_t ticks) const;
  /// On which clock: moments of files with the same name can be compared.
  std::string clock() const;
  /// Added to its moments, they are the time of day.
  std::int64_t time_of_day_ns() const;
  const std::vector<Moment>& moments() const { return moments_; }
  /// When the process was at its end, or at least a second before.
  const Moment& last_moment() const { return moments_.back(); }
  /// None: the job has one clock, or they were not compared. Two: at the start and at the end.
  const std::vector<Comparison>& comparisons() const { return comparisons_; }
  /// Moments and comparisons that do not fit to those before: clocks that have run backwards or leapt. They are not used.
  std::uint64_t wrong_moments() const { return wrong_moments_; }

 private:
  File(const std::string& path, FileBytes bytes, std::shared_ptr<const Common> of_others);
  void read_blocks(std::uint64_t from);
  std::optional<Block> block_at(std::uint64_t at) const;
  bool is_followed(const Block& block) const;
  std::uint64_t next_block(std::uint64_t from) const;
  void take_or_note(const Block& block);
  void take(const Block& block);
  void take_common(const Block& block);
  void take(const Moment& moment);
  void take(const Comparison& comparison);
  void note(const Block& block, const std::string& why) const;
  std::int64_t own_nanoseconds(std::uint64_t ticks) const;
  std::int64_t offset_at(std::int64_t ns) const;
  std::string stored(std::uint64_t at, std::uint64_t size) const;
  std::string content(const Block& block) const;

  std::string path_;
  FileBytes file_;
  std::uint64_t written_ = file_.size();  // without what was appended
  Process process_;
  Definitions definitions_;
  std::shared_ptr<const Common> of_others_, common_;
  std::optional<End> end_;
  std::vector<Moment> moments_;
  std::vector<Comparison> comparisons_;
  std::uint64_t wrong_moments_ = 0;
  std::vector<Block> records_;
  std::uint32_t version_ = version;
  bool are_numbers_known_ = true;  // of what is defined from now on
  bool is_damaged_at_end_ = false;
  mutable std::map<std::uint64_t, Damage> damages_;  // records are read when somebody wants them
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

 private:
  void load();

  const File* file_;
  std::uint32_t thread_;
  std::size_t next_ = 0;  // among the file's blocks
  std::vector<Record> block_;
  std::size_t at_ = 0;
  std::uint64_t first_ = 0;
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

 private:
  void choose();

  std::vector<Cursor> cursors_;
  Cursor* current_ = nullptr;
};

/// Those of a folder that have a trace's name, by rank.
std::vector<std::string> files_in(const std::string& folder);

}  // namespace cairn::trace
