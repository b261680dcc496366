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
    struct Open {
      Number number = outside;
      const std::string* name = nullptr;  // null: of `others`, whose names are not kept
    };
    struct Known {
      Number parent = outside;
      Open region;
    };
    std::vector<Open> open_;
    std::array<Known, 32> known_{};  // recently used: found without the lock
  };

  Regions() : parts_{{outside, ""}, {outside, "(other regions)"}} {}

  /// Interprets a call of MPI_Pcontrol. Whether other threads may be elsewhere from now on.
  bool hear(const Call<Function::MPI_Pcontrol_>& call, Thread& thread) {
    const int level = arg<Role::level>(call);
    if (level == flush_level) return false;
    const auto* const name = reinterpret_cast<const char*>(call.more().words[0]);
    if (level == CAIRN_REGION_END) end(name, thread);
    else if (level != CAIRN_REGION_BEGIN) return turn_to(part_of_level(level));
    else if (name != nullptr) begin(name_of(name), thread);
    return false;
  }

  /// Outside of regions, all threads are in this part from now on; "": in none.
  void lie_in(std::string_view name) {
    level_.store(name.empty() ? outside : find_or_add(outside, name), std::memory_order_relaxed);
  }

  Number current(const Thread& thread) const {
    return thread.open_.empty() ? level_.load(std::memory_order_relaxed) : thread.open_.back().number;
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

  void begin(std::string_view name, Thread& thread) { thread.open_.push_back(find(current(thread), name, thread)); }

  /// An end without a beginning is ignored.
  void end(const char* name, Thread& thread) {
    std::vector<Thread::Open>& open = thread.open_;
    std::size_t from = open.size();
    if (name != nullptr)
      for (const std::string_view ended = name_of(name); from > 0 && !may_be(open[from - 1], ended);) --from;
    if (from != 0) open.resize(from - 1);
  }

  bool turn_to(Number part) {
    if (level_.load(std::memory_order_relaxed) == part) return false;
    level_.store(part, std::memory_order_relaxed);
    return true;
  }

  Number part_of_level(int level) {
    if (level == 1) return outside;
    return find_or_add(outside, "MPI_Pcontrol(" + std::to_string(level) + ")");
  }

  /// "key=" is any value of the key.
  static bool may_be(const Thread::Open& region, std::string_view name) {
    if (region.name == nullptr) return true;
    return *region.name == name || (name.ends_with('=') && region.name->starts_with(name));
  }

  /// Without the lock for what the thread has met before: parts stay where they are.
  Thread::Open find(Number parent, std::string_view name, Thread& thread) {
    Thread::Known& known = thread.known_[place_of(parent, name) % thread.known_.size()];
    if (known.region.name == nullptr || known.parent != parent || *known.region.name != name) {
      const Number number = find_or_add(parent, name);
      if (number == others) return {others, nullptr};
      known = {parent, {number, &part(number).name}};
    }
    return known.region;
  }

  /// Names that a program uses at a time differ in length or in one of these: "level=1", "level=2".
  static std::size_t place_of(Number parent, std::string_view name) {
    if (name.empty()) return parent;
    const auto letter = [name](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(name[i])); };
    return name.size() + letter(name.size() - 1) + 3 * letter(0) + 5 * letter(name.size() / 2) +
           7 * std::size_t{parent};
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
