// SPDX-License-Identifier: BSD-3-Clause
// table.hpp - a place per handle, found and added by any number of threads without locks
//
// Places are never removed: MPI libraries reuse the numbers and addresses of freed objects, so there are only as many
// different handles as there ever were objects at a time. A table lives as long as its process and frees nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "cairn/kit/flat_table.hpp"

namespace services {

/// A `Place` is zero at first. 2^Bits groups of seven places; further groups are chained when one is full.
template <class Place, unsigned Bits>
class HandleTable {
 public:
  /// Null if the key, which is not 0, was never added.
  Place* find(std::uint64_t key) {
    Place* const place = find_at_once(key);
    return place != nullptr ? place : search(key);
  }
  /// The same in two parts, of which the first finds most keys.
  Place* find_at_once(std::uint64_t key) {
    Group& group = first(key);
    return group.keys[0].load(std::memory_order_acquire) == key ? &group.places[0] : nullptr;
  }
  [[gnu::noinline]] Place* search(std::uint64_t key) {
    for (Group* group = &first(key); group != nullptr; group = group->more.load(std::memory_order_acquire))
      for (std::size_t i = 0; i < group->keys.size(); ++i) {
        const std::uint64_t there = group->keys[i].load(std::memory_order_acquire);
        if (there == key) return &group->places[i];
        if (there == 0) return nullptr;
      }
    return nullptr;
  }

  /// Null if out of memory.
  Place* find_or_add(std::uint64_t key) {
    Place* const place = find(key);
    return place != nullptr ? place : add(key);
  }

 private:
  struct alignas(64) Group {
    std::array<std::atomic<std::uint64_t>, 7> keys{};
    std::array<Place, 7> places{};
    std::atomic<Group*> more{nullptr};
  };

  /// All threads fill a chain in the same order, so none adds a key twice.
  [[gnu::noinline, gnu::cold]] Place* add(std::uint64_t key) {
    for (Group* group = &first(key); group != nullptr; group = next(*group))
      for (std::size_t i = 0; i < group->keys.size(); ++i) {
        std::uint64_t there = group->keys[i].load(std::memory_order_acquire);
        if (there == key) return &group->places[i];
        if (there != 0) continue;
        if (group->keys[i].compare_exchange_strong(there, key, std::memory_order_acq_rel) || there == key)
          return &group->places[i];
      }
    return nullptr;
  }

  Group& first(std::uint64_t key) { return groups_[cairn::spread(key) >> (64 - Bits)]; }

  static Group* next(Group& group) {
    Group* known = group.more.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    auto* made = new (std::nothrow) Group;
    if (made != nullptr && group.more.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
    delete made;
    return known;
  }

  std::array<Group, std::size_t{1} << Bits> groups_{};
};

}  // namespace services
