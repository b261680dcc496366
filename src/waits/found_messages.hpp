// SPDX-License-Identifier: BSD-3-Clause
// found_messages.hpp - messages that probes have found and left where they are, until somebody receives them
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "trace/events.hpp"
#include "waits/records.hpp"

namespace cairn::waits {

/// What has found a message.
struct Probed {
  Index call = none;
  std::uint8_t of_any = 0;
  Index earlier = none;  // another one, which has left the message where it was
};

/// Of one process.
class FoundMessages {
 public:
  void add(std::uint32_t thread, const trace::Message& message, const Probed& probe) {
    if (by_thread_.size() <= thread) by_thread_.resize(thread + 1);
    std::vector<Found>& own = by_thread_[thread];
    if (own.size() == most) own.erase(own.begin());
    own.push_back({message.object, message.peer, message.tag, probe});
  }

  /// What has found the message that the thread is about to receive, and where that may ask for several, the first.
  Probed take(std::uint32_t thread, const trace::Message& message, const trace::Process& process) {
    if (thread < by_thread_.size())
      if (const Probed probe = take_from(by_thread_[thread], message, process); probe.call != none) return probe;
    for (std::vector<Found>& other : by_thread_)  // a thread may probe for another one
      if (const Probed probe = take_from(other, message, process); probe.call != none) return probe;
    return {};
  }

  /// visit(call): of each that is left.
  template <class Visit>
  void for_all_calls(Visit visit) {
    for (std::vector<Found>& own : by_thread_)
      for (Found& one : own) visit(one.probe.call);
  }

 private:
  struct Found {
    std::uint32_t object = 0;
    std::int32_t peer = 0;
    std::int32_t tag = 0;
    Probed probe{};

    /// Until one is received, it is the one that is found.
    bool is_of_same(const Found& other) const {
      return object == other.object && peer == other.peer && tag == other.tag;
    }
  };
  static constexpr std::size_t most = 1024;  // of a thread: the latest

  static Probed take_from(std::vector<Found>& all, const trace::Message& message, const trace::Process& process) {
    const auto is_asked_for = [&](const Found& one) {
      return one.object == message.object && process.may_be({message.peer, message.tag}, {one.peer, one.tag});
    };
    const auto found = std::ranges::find_if(all, is_asked_for);
    if (found == all.end()) return {};
    const Found message_found = *found;
    std::erase_if(all, [&](const Found& one) { return one.is_of_same(message_found); });
    return message_found.probe;
  }

  std::vector<std::vector<Found>> by_thread_;
};

}  // namespace cairn::waits
