// SPDX-License-Identifier: BSD-3-Clause
// flat_table.hpp - finding things by a number, in a few instructions: a handler's table of what it has met
//
//   Site& site = *sites_.find_or_add(key, [&] { return &known_.emplace_back(key); });   // pointers stay as they are
//
// Open addressing with linear probing, at most half full. One thread at a time; only add() allocates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace cairn {

/// Spreads a key: the upper bits of the product depend on all of its bits. 2^64 over the golden ratio.
constexpr std::uint64_t spread(std::uint64_t key) { return key * 0x9E3779B97F4A7C15U; }

/// Pointers to `Item` by a key, which is not 0.
template <class Item>
class FlatTable {
 public:
  /// `slots`: to begin with, a power of two.
  explicit FlatTable(std::size_t slots) : slots_(slots), mask_(slots - 1) {}

  /// The item of that key. If it is new, `make()` gives the pointer to keep, or null for none.
  template <class Make>
  Item* find_or_add(std::uint64_t key, Make make) {
    for (std::size_t i = place_of(key);; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.key == key) [[likely]]
        return slot.item;
      if (slot.key == 0) return make();
    }
  }

  /// Of a key that is not there. May throw std::bad_alloc, and then nothing has changed.
  void add(std::uint64_t key, Item* item) {
    if (2 * (count_ + 1) > slots_.size()) grow();
    put({key, item});
    ++count_;
  }

  std::size_t size() const { return count_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    Item* item = nullptr;
  };

  std::size_t place_of(std::uint64_t key) const { return static_cast<std::size_t>(spread(key) >> 40U) & mask_; }

  void put(const Slot& slot) {
    std::size_t i = place_of(slot.key);
    while (slots_[i].key != 0) i = (i + 1) & mask_;
    slots_[i] = slot;
  }

  [[gnu::noinline, gnu::cold]] void grow() {
    std::vector<Slot> before(2 * slots_.size());
    before.swap(slots_);
    mask_ = slots_.size() - 1;
    for (const Slot& slot : before)
      if (slot.key != 0) put(slot);
  }

  std::vector<Slot> slots_;
  std::size_t mask_;
  std::size_t count_ = 0;
};

}  // namespace cairn
