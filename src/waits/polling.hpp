// SPDX-License-Identifier: BSD-3-Clause
// polling.hpp - tests that follow one another in vain: a wait, if the thread does nothing else meanwhile, or sleeps
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "trace/file.hpp"

namespace cairn::waits {

/// Of one thread. What is asked for may change from test to test: a program may wait for several things by turns.
class Polling {
 public:
  using Record = trace::Record;

  /// Tests that the program makes now and then while it works.
  static bool is_between_work(const trace::File& file, const Record& call) {
    if (call.number == 0 || is_asleep(call) || !file.is(call, trace::is_test)) return false;
    const std::int64_t whole = file.nanoseconds(call.exit) - file.nanoseconds(call.entry);
    return is_work(whole - in_tests(file, call), call.number, whole);
  }

  /// As far as is known: the thread may still do something else.
  bool is_waiting() const { return !asked_.empty() && !is_between_work_; }
  std::int64_t since() const { return since_; }
  const Record& last() const { return last_; }

  /// A series of equal tests, all in vain; those of several series in turn overlap. `seems_work`: is_between_work, which
  /// takes the other series for work.
  void ask(const trace::File& file, std::int64_t begin, const Record& call, bool seems_work) {
    const bool overlaps = !asked_.empty() && begin < until_;
    if (!overlaps && (!is_waiting() || !take_gap(begin))) {
      asked_.clear();
      since_ = polled_since_ = begin;
      asked_ns_ = pauses_ = away_ = 0;
    }
    pauses_ += std::int64_t{call.number} + 1;
    asked_ns_ += in_tests(file, call);
    is_asleep_ = is_asleep(call);
    until_ = std::max(until_, file.nanoseconds(call.exit));
    is_between_work_ = !overlaps && seems_work;
    last_ = call;
    const Question question = question_of(file, call);
    if (asked_.size() < most && std::ranges::find(asked_, question) == asked_.end()) asked_.push_back(question);
  }

  /// The thread makes another call, and polls no longer. Returns since when it has waited for what that call returns.
  std::int64_t start_of(const trace::File& file, std::int64_t begin, const Record& call) {
    std::int64_t start = begin;
    if (is_waiting() && has_asked_for(question_of(file, call)) && take_gap(begin)) {
      const std::int64_t whole = begin - since_ - away_;
      if (is_asleep_ || !is_work(whole - asked_ns_, pauses_, whole)) start = since_;
    }
    asked_.clear();
    return start;
  }

 private:
  /// A request, or what a message is found by.
  using Question = std::tuple<std::uint64_t, std::uint16_t, std::uint32_t, std::int32_t, std::int32_t>;

  static constexpr std::int64_t work_for_certain = 100'000;  // ns between two tests
  static constexpr std::size_t most = 64;                    // questions; so each is found quickly

  /// What tools do for each test lies between two, too, so it must be most of the time, or more than tools ever take.
  static bool is_work(std::int64_t between, std::int64_t pauses, std::int64_t whole) {
    constexpr std::int64_t least_work = 1'000;
    return between >= (2 * between < whole ? work_for_certain : least_work) * pauses;
  }
  static bool is_asleep(const Record& call) { return (call.flags & page::asleep) != 0; }
  static std::int64_t in_tests(const trace::File& file, const Record& call) {
    return file.nanoseconds(call.exit) - file.nanoseconds(call.entry + trace::between_tests(call));
  }

  /// Until the next test. Whether it is part of the same wait: if it is long, it is work where hardly any polling came
  /// before it; after long polling, the thread had no processor.
  bool take_gap(std::int64_t begin) {
    constexpr std::int64_t hardly_any = 16;
    const std::int64_t gap = begin - until_;
    if (gap < work_for_certain) return true;
    if (hardly_any * (until_ - polled_since_) < gap) return false;
    away_ += gap;
    polled_since_ = begin;
    return true;
  }
  static Question question_of(const trace::File& file, const Record& call) {
    if (call.other != 0) return {call.other, 0, 0, 0, 0};
    return {0, waits_for_message(file, call) ? std::uint16_t{0} : call.function, call.object, call.peer, call.tag};
  }
  /// Whichever function asks for it, as MPI_Iprobe does before MPI_Recv.
  static bool waits_for_message(const trace::File& file, const Record& call) {
    const trace::Function* const function = file.function(call);
    if (function == nullptr || (call.flags & page::has_peer) == 0 || (call.flags & page::nonblocking) != 0)
      return false;
    using page::Kind;
    return function->kind == Kind::test || function->kind == Kind::probe || function->kind == Kind::receive;
  }

  bool has_asked_for(const Question& question) const { return std::ranges::find(asked_, question) != asked_.end(); }

  std::int64_t since_ = 0;
  std::int64_t polled_since_ = 0;  // the last long gap
  std::int64_t until_ = 0;         // end of the last test
  std::int64_t asked_ns_ = 0;      // in tests
  std::int64_t pauses_ = 0;        // after each of them
  std::int64_t away_ = 0;          // in long gaps
  bool is_between_work_ = false;   // the last series
  bool is_asleep_ = false;         // likewise
  Record last_{};
  std::vector<Question> asked_;  // empty: the last call was no test in vain
};

}  // namespace cairn::waits
