// SPDX-License-Identifier: BSD-3-Clause
// regions.hpp - the region of the program that a thread is in, from cairn/region.h and levels of MPI_Pcontrol
//
//   struct Recorded {                              // per thread, see per_thread.hpp
//     cairn::Regions::Thread regions;
//     void thread_ended() { regions = {}; }        // regions that a thread leaves open end with it
//     …
//   };
//   int on(cairn::Call<cairn::Function::MPI_Pcontrol_>& call) {
//     regions_.hear(call, recorded_.mine().regions);
//     return call.proceed();
//   }
//   … regions_.current(mine.regions) …             // in any handler: a small number
//   … regions_.path(number) …                      // at the end: "solve/halo"
//
// A program names regions with cairn/region.h. Outside of them, all threads are in the level of the last MPI_Pcontrol:
// "MPI_Pcontrol(3)", or in no region at level 1, where every program begins (MPI-4.1 section 15.2.4). A
// region that begins at another level is nested in it: "MPI_Pcontrol(3)/solve". Level 2 asks tools to write what they
// have, and begins nothing.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/kit/call.hpp"
#include "cairn/region.h"

namespace cairn {

inline constexpr int flush_level = 2;  // "profile buffers are flushed" (MPI-4.1 section 15.2.4)

/// Numbers regions in the order in which this process first enters them. Safe on any thread.
class Regions {
 public:
  using Number = std::uint32_t;
  static constexpr Number outside = 0;  // level 1, no open region
  static constexpr Number others = 1;   // regions beyond `limit`
  static constexpr Number limit = 4096;
  static constexpr std::size_t longest_name = 200;

  /// A thread's open regions; stored by the tool with its other data per thread.
  class Thread {
   private:
    friend Regions;
    struct Known {
      Number parent = outside;
      Number number = outside;
      const std::string* name = nullptr;
    };
    Number innermost_ = outside;
    std::vector<Number> open_;
    std::array<Known, 32> known_{};  // recently used: found without the lock
  };

  Regions() : parts_{{outside, ""}, {outside, "(other regions)"}} {}

  /// Interprets a call of MPI_Pcontrol.
  void hear(const Call<Function::MPI_Pcontrol_>& call, Thread& thread) {
    const int level = arg<Role::level>(call);
    const auto* const name = reinterpret_cast<const char*>(call.more().words[0]);
    if (level == CAIRN_REGION_BEGIN && name != nullptr) begin(name_of(name), thread);
    else if (level == CAIRN_REGION_END) end(name, thread);
    else if (level != flush_level) level_.store(part_of_level(level), std::memory_order_relaxed);
  }

  /// Outside of regions, all threads are in this part from now on; "": in none.
  void lie_in(std::string_view name) {
    level_.store(name.empty() ? outside : find_or_add(outside, name), std::memory_order_relaxed);
  }

  Number current(const Thread& thread) const {
    return thread.innermost_ != outside ? thread.innermost_ : level_.load(std::memory_order_relaxed);
  }

  /// "" for `outside`.
  std::string path(Number number) const {
    const std::lock_guard lock(lock_);
    std::string path;
    for (; number != outside; number = parts_[number].parent)
      path = parts_[number].name + (path.empty() ? "" : "/") + path;
    return path;
  }

 private:
  struct Part {
    Number parent;
    std::string name;
  };

  static std::string_view name_of(const char* name) { return {name, strnlen(name, longest_name)}; }

  void begin(std::string_view name, Thread& thread) {
    thread.innermost_ = find(current(thread), name, thread);
    thread.open_.push_back(thread.innermost_);
  }

  /// An end without a beginning is ignored.
  void end(const char* name, Thread& thread) {
    std::vector<Number>& open = thread.open_;
    std::size_t from = open.size();
    while (from > 0 && name != nullptr && !may_be(open[from - 1], name_of(name))) --from;
    if (from == 0) return;
    open.resize(from - 1);
    thread.innermost_ = open.empty() ? outside : open.back();
  }

  Number part_of_level(int level) {
    if (level == 1) return outside;
    return find_or_add(outside, "MPI_Pcontrol(" + std::to_string(level) + ")");
  }

  /// "key=" is any value of the key.
  bool may_be(Number number, std::string_view name) const {
    if (number == others) return true;
    const std::string& known = part(number).name;
    return known == name || (name.ends_with('=') && known.starts_with(name));
  }

  /// Without the lock for what the thread has met before: parts stay where they are.
  Number find(Number parent, std::string_view name, Thread& thread) {
    const std::size_t hash = std::hash<std::string_view>()(name) + parent;
    Thread::Known& known = thread.known_[hash % thread.known_.size()];
    if (known.name == nullptr || known.parent != parent || *known.name != name) {
      const Number number = find_or_add(parent, name);
      if (number == others) return others;
      known = {parent, number, &part(number).name};
    }
    return known.number;
  }

  Number find_or_add(Number parent, std::string_view name) {
    const std::lock_guard lock(lock_);
    const std::pair key(parent, std::string(name));
    if (const auto known = numbers_.find(key); known != numbers_.end()) return known->second;
    if (parts_.size() >= limit) return others;
    const auto number = static_cast<Number>(parts_.size());
    numbers_[key] = number;
    parts_.push_back({parent, key.second});
    return number;
  }

  const Part& part(Number number) const {
    const std::lock_guard lock(lock_);
    return parts_[number];
  }

  mutable std::mutex lock_;
  std::deque<Part> parts_;
  std::map<std::pair<Number, std::string>, Number> numbers_;
  std::atomic<Number> level_{outside};
};

}  // namespace cairn
