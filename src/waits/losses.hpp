// SPDX-License-Identifier: BSD-3-Clause
// losses.hpp - which calls of a trace are not known, because records came too fast or beyond a limit
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/events.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// From when on not all calls are known, because records came too fast, or end before the run does. Messages are counted, so
/// nothing can be said of those after it.
class Losses : public trace::EventSink {
 public:
  explicit Losses(const trace::File& file) {
    const trace::End* const end = file.end();
    if (end != nullptr && end->lost == 0 && end->omitted == 0) return;
    is_choosing_ = !file.process().choice.empty();
    trace::Player(file, *this).play();
    known_until_ = end == nullptr || end->omitted != 0 ? std::min(until_, last_) : until_;
  }

  std::int64_t until() const { return until_; }  // no_end: nothing was lost
  /// The same, or the end of the last call that a limit of memory, or the lack of it, has left. Of a thread that was quiet then, nothing
  /// is missing.
  std::int64_t known_until() const { return known_until_; }
  std::uint64_t count() const { return count_; }
  std::uint64_t calls() const { return calls_; }  // as a Reducer enters them

  void enter(std::uint32_t thread, std::int64_t /*ns*/, const trace::Record& call) override {
    if (depths_.size() <= thread) depths_.resize(thread + 1);
    if (++depths_[thread] == 1 && (call.flags & page::in_vain) == 0) ++calls_;
  }
  void leave(std::uint32_t thread, std::int64_t ns, const trace::Record& call) override {
    if (--depths_[thread] == 0 && (call.flags & page::in_vain) == 0) last_ = last_ == no_end ? ns : std::max(last_, ns);
    if (begin_ == 0) begin_ = ns;
  }
  void message(std::uint32_t /*thread*/, std::int64_t /*ns*/, const trace::Message& /*message*/) override {}
  /// Of a thread's first calls only that they came after MPI had started is known. Where calls are chosen, the first
  /// ones need not be in the trace.
  void gap(std::uint32_t /*thread*/, std::int64_t ns, std::uint64_t count) override {
    const bool is_start = ns == INT64_MIN;
    if (is_start && is_choosing_) return;
    count_ += count;
    until_ = std::min(until_, is_start ? begin_ : ns);
  }

 private:
  bool is_choosing_ = false;
  std::vector<unsigned> depths_;
  std::int64_t begin_ = 0;
  std::int64_t until_ = no_end;
  std::int64_t last_ = no_end;
  std::int64_t known_until_ = no_end;
  std::uint64_t count_ = 0;
  std::uint64_t calls_ = 0;
};

}  // namespace cairn::waits
