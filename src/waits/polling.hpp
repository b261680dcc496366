// SPDX-License-Identifier: BSD-3-Clause
// polling.hpp - tests that follow one another in vain: a wait, if the thread does nothing else meanwhile
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
    if (call.number == 0 || !file.is(call, trace::is_test)) return false;
    const std::int64_t between = between_tests(file, call);
    return is_work(between, call.number, file.nanoseconds(call.exit) - file.nanoseconds(call.entry));
  }

  bool is_under_way() const { return !asked_.empty(); }
  std::int64_t since() const { return since_; }
  const Record& last() const { return last_; }
  void stop() { asked_.clear(); }

  /// A series of equal tests, all in vain.
  void ask(const trace::File& file, std::int64_t begin, const Record& call) {
    if (is_under_way() && begin - until_ < work_for_certain) {
      pause(begin - until_);
    } else {
      stop();
      since_ = begin;
      paused_ = pauses_ = 0;
    }
    pauses_ += call.number;
    paused_ += between_tests(file, call);
    until_ = file.nanoseconds(call.exit);
    last_ = call;
    const Question question = question_of(call);
    if (asked_.size() < most && std::ranges::find(asked_, question) == asked_.end()) asked_.push_back(question);
  }

  /// The thread makes another call, and polls no longer. Returns since when it has waited for what that call returns.
  std::int64_t start_of(std::int64_t begin, const Record& call) {
    std::int64_t start = begin;
    if (is_under_way() && begin - until_ < work_for_certain && has_asked_for(call)) {
      pause(begin - until_);
      if (!is_work(paused_, pauses_, begin - since_)) start = since_;
    }
    stop();
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
  static std::int64_t between_tests(const trace::File& file, const Record& call) {
    return file.nanoseconds(call.entry + call.count) - file.nanoseconds(call.entry);
  }
  static Question question_of(const Record& call) {
    if (call.other != 0) return {call.other, 0, 0, 0, 0};
    return {0, call.function, call.object, call.peer, call.tag};
  }

  void pause(std::int64_t ns) {
    paused_ += ns;
    ++pauses_;
  }
  bool has_asked_for(const Record& call) const { return std::ranges::find(asked_, question_of(call)) != asked_.end(); }

  std::int64_t since_ = 0;
  std::int64_t until_ = 0;   // end of the last test
  std::int64_t paused_ = 0;  // between tests
  std::int64_t pauses_ = 0;
  Record last_{};
  std::vector<Question> asked_;  // empty: the last call was no test in vain
};

}  // namespace cairn::waits
