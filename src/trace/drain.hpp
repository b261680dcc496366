// SPDX-License-Identifier: BSD-3-Clause
// drain.hpp - takes records out of the recorder's rings, before they are overwritten, into the process's trace file
//
// Threads that make calls are not held up: a record that was overwritten before it could be taken is counted as lost.
// One thread at a time may drain. Nothing here calls MPI.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cairn/kit/clock.hpp"
#include "cairn/services/recorder.hpp"
#include "trace/blocks.hpp"
#include "trace/choice.hpp"
#include "trace/known.hpp"
#include "trace/recent.hpp"
#include "trace/record_coder.hpp"

namespace cairn::trace {

class Drain {
 public:
  /// `limit`: of the file, in bytes; 0: none. `write` appends to the file, all or nothing.
  Drain(const cairn::Recorder& recorder, Choice& choice, std::uint64_t limit)
      : recorder_(recorder), choice_(choice), limit_(limit), recent_(choice.last_s(), limit), known_(recorder) {}
  /// Whatever the user allows: moments are off by no more.
  static constexpr double most_error_s = 1;
  /// Moments may be off by as much; 0: they are exact. Before it begins.
  void allow(double error_s) { error_s_ = std::min(error_s, most_error_s); }
  /// Of regions, as the tool in that layer numbers them. Before it begins.
  void name_regions(std::int32_t layer, std::function<std::string(std::uint64_t number)> path) {
    regions_layer_ = layer;
    region_path_ = std::move(path);
  }
  /// Before it begins. `cut` leaves only these parts of the file; false if that cannot be done.
  void when_cut(std::function<bool(const std::vector<Recent::Range>&)> cut) { cut_ = std::move(cut); }

  /// Once MPI has started. False if the file cannot be written.
  bool begin(std::function<bool(const std::string& bytes)> write, const std::string& run);
  /// What is complete so far. False once something could not be written: the file ends there.
  bool drain();
  /// The same, and none of it waits for its block to be full.
  bool save();
  /// Of the process's clock with those of other nodes: once MPI has started, and once more before the end.
  bool compare(const Comparison& comparison);
  /// All there is, and how the process ended ("": well).
  bool finish(const std::string& how);

  /// What comes now is counted only, as beyond the limit. By `write`.
  void end_here() { limit_ = std::max<std::uint64_t>(written_, 1); }

  std::uint64_t lost() const { return end_.lost; }
  std::uint64_t omitted() const { return end_.omitted; }

 private:
  struct Follow {
    const page::Thread* block = nullptr;
    std::int32_t id = 0;
    std::uint64_t next = 0;    // number of the next record to take, from 0
    std::uint64_t number = 0;  // that it gets in the file, where those that are not chosen have none
    std::array<std::pair<std::uint64_t, std::uint64_t>, 64> calls{};  // kept ones: numbers in the ring and in the file
    NamingMoments moments;
    std::uint64_t count = 0;             // of records begun when this draining began
    std::uint64_t left = UINT64_MAX;     // a call that was left without an end, if it is still so the next time
    std::optional<page::Record> region;  // that it has come to, where that is still to be kept
    RecordEncoder encoder;
  };

  std::uint64_t left_out() const;
  bool drain_all(bool to_the_end);
  void find_threads();
  bool take(Follow& thread, std::uint32_t number, bool to_the_end);
  bool is_under_way(Follow& thread, bool to_the_end) const;
  bool may_be_made_again(const Follow& thread, const page::Record& record) const;
  bool is_chosen(Follow& thread, page::Record& record);
  void keep(Follow& thread, page::Record& record);
  void write(Follow& thread, page::Record record);
  void leave_out(Follow& thread, const page::Record& record);
  /// Each tool of a run that wants them has records of its own for the same changes.
  bool is_own_region(const page::Record& record) const {
    return record.function == page::region_changed && record.tag == regions_layer_;
  }
  void note_region(const page::Record& record);
  std::string all_definitions(std::uint64_t since_ns);
  void add_process();
  bool is_test(const page::Record& record) const {
    return record.function < is_test_.size() && is_test_[record.function];
  }
  void skip_to(Follow& thread, std::uint64_t next);
  void flush(Follow& thread, std::uint32_t number);
  void flush_all();
  void add(BlockKind kind, const std::string& content, BlockHead of = {});
  void add_clock();
  void add_first_clock();
  bool is_over_limit() const { return limit_ != 0 && written_ >= limit_ && !recent_.is_wanted(); }
  bool write_down();
  bool write_pending();
  bool let_go();
  const page::Record* ring(const page::Thread& thread) const {
    return reinterpret_cast<const page::Record*>(reinterpret_cast<const char*>(&thread) + page::thread_head);
  }

  const cairn::Recorder& recorder_;
  Choice& choice_;
  cairn::Clock clock_;
  double error_s_ = 0;
  std::uint64_t error_ = 0;   // in ticks
  bool is_choosing_ = false;  // something was left out
  bool is_cut_ = false;       // old records have gone
  std::string said_;          // of what was chosen, in the file
  std::uint64_t limit_;
  Recent recent_;
  std::function<bool(const std::vector<Recent::Range>&)> cut_;
  KnownObjects known_;
  std::function<bool(const std::string&)> write_;
  std::string run_;
  std::mutex lock_;
  std::vector<Follow> threads_;
  std::vector<bool> is_test_;  // by function
  BlockWriter blocks_;
  struct Pending {
    BlockKind kind;
    std::string bytes;
  };
  std::vector<Pending> pending_;  // blocks that are not in the file yet
  std::uint64_t written_ = 0;
  std::uint64_t ring_size_ = 0;
  std::uint64_t flushed_ns_ = 0;
  bool is_flushed_ = false;  // and it is not written yet
  bool is_full_ = false;     // the limit is reached, and what came before it is in the file
  std::int32_t regions_layer_ = -1;
  std::function<std::string(std::uint64_t)> region_path_;
  std::map<std::uint64_t, std::string> regions_;  // that are defined
  bool has_failed_ = false;
  End end_;
};

}  // namespace cairn::trace
