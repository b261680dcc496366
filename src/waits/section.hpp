// SPDX-License-Identifier: BSD-3-Clause
// section.hpp - what is known of a process's calls so far, and taking out of it what lies in a section of the run
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

/// Without time, when and where that call was over.
inline Call standing_for(const Call& call) { return {call.exit, call.exit, call.site, call.region, call.region}; }

/// Until a section is taken, calls are numbered as they come, over all threads.
class Gathered {
 public:
  /// Without calls; those of messages and so on are numbers.
  RankRecords records;

  Index add(std::uint32_t thread, const Call& call);
  /// The calls of a thread, in the order of time. In later sections the first one may stand for earlier ones.
  std::vector<Call>& calls(std::uint32_t thread);
  std::size_t threads() const { return threads_.size(); }
  void name(std::uint32_t thread, std::int32_t id) {
    calls(thread);
    threads_[thread].id = id;
  }
  bool begins_earlier(std::uint32_t thread) const { return threads_[thread].begins_earlier; }
  std::size_t size() const { return places_.size(); }
  const Call& call(Index number) const { return threads_[places_[number].first].calls[places_[number].second]; }

  /// What will be completed by later calls.
  struct Open {
    std::vector<std::size_t> messages;
    std::vector<std::size_t> together;
  };
  /// `kept`: how many calls of each thread lie in the section.
  RankRecords take(const std::vector<std::size_t>& kept, const Open& open);
  /// The whole rest.
  RankRecords take_all();

  /// Where a call, a message or a part is since something was taken. Calls that were taken: what stands for them.
  void renumber(Index& call) const {
    if (call != none) call = after_[call];
  }
  std::size_t message_after(std::size_t place) const { return messages_after_[place]; }
  std::size_t together_after(std::size_t place) const { return together_after_[place]; }

 private:
  struct Thread {
    std::vector<Call> calls;
    bool begins_earlier = false;
    std::int32_t id = 0;
  };
  void number(RankRecords& section, const std::vector<std::size_t>& kept);
  void part_calls(RankRecords& section, const std::vector<std::size_t>& kept);
  void part_messages(RankRecords& section, const std::vector<std::size_t>& open);
  void part_together(RankRecords& section, const std::vector<std::size_t>& open);
  void part_locks(RankRecords& section);
  void part_unknown(RankRecords& section);
  void part_spells(RankRecords& section);

  std::vector<Thread> threads_;
  std::vector<std::pair<std::uint32_t, Index>> places_;  // by number: thread, and place there
  std::vector<Index> into_;                              // by number: place in the section that is being taken
  std::vector<Index> after_;
  std::vector<std::size_t> messages_after_;
  std::vector<std::size_t> together_after_;
};

}  // namespace cairn::waits
