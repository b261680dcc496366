// SPDX-License-Identifier: BSD-3-Clause
// pool.hpp - numbered pieces of memory and stacks of them, for any number of threads without locks
//
// What is taken is given back and taken again, so memory follows the largest number of pieces that were out at once;
// it is never returned to the system, and a piece stays where it is. Each operation is one compare-and-swap.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>

namespace cairn {

/// A number from 1; 0 is none.
using PoolIndex = std::uint32_t;

/// `Piece` has a member `std::atomic<PoolIndex> next`, which is the pool's and the stacks' while the piece is not in
/// use.
template <class Piece>
class Pool {
 public:
  /// The top of a stack, and how often it changed: a piece that went and came back is told from one that stayed.
  class Stack {
   public:
    void push(Pool& pool, PoolIndex index) {
      std::uint64_t top = top_.load(std::memory_order_relaxed);
      do pool[index].next.store(static_cast<PoolIndex>(top), std::memory_order_relaxed);
      while (
          !top_.compare_exchange_weak(top, changed(top, index), std::memory_order_release, std::memory_order_relaxed));
    }
    /// 0: the stack is empty.
    PoolIndex pop(Pool& pool) {
      std::uint64_t top = top_.load(std::memory_order_acquire);
      while (static_cast<PoolIndex>(top) != 0) {
        const PoolIndex next = pool[static_cast<PoolIndex>(top)].next.load(std::memory_order_relaxed);
        if (top_.compare_exchange_weak(top, changed(top, next), std::memory_order_acquire)) break;
      }
      return static_cast<PoolIndex>(top);
    }
    PoolIndex top() const { return static_cast<PoolIndex>(top_.load(std::memory_order_acquire)); }

   private:
    static std::uint64_t changed(std::uint64_t top, PoolIndex index) { return ((top >> 32U) + 1) << 32U | index; }
    std::atomic<std::uint64_t> top_{0};
  };

  /// 0: memory is out.
  PoolIndex take() {
    const PoolIndex index = free_.pop(*this);
    return index != 0 ? index : make();
  }
  void give_back(PoolIndex index) { free_.push(*this, index); }

  Piece& operator[](PoolIndex index) {
    const unsigned block = block_of(index);
    return blocks_[block].load(std::memory_order_acquire)[index - (first_size << block)];
  }

 private:
  static constexpr std::uint32_t first_size = 64;  // block b holds 64 << b pieces, from number 64 << b
  static constexpr unsigned block_count = 25;
  static unsigned block_of(PoolIndex index) { return static_cast<unsigned>(std::bit_width(index / first_size)) - 1; }

  [[gnu::noinline]] PoolIndex make() {
    const PoolIndex index = next_.fetch_add(1, std::memory_order_relaxed);
    const unsigned block = block_of(index);
    if (block >= block_count) return 0;
    if (blocks_[block].load(std::memory_order_acquire) == nullptr && !add_block(block)) return 0;
    return index;
  }

  bool add_block(unsigned block) {
    std::unique_ptr<Piece[]> made(new (std::nothrow) Piece[std::size_t{first_size} << block]());
    Piece* expected = nullptr;
    if (made == nullptr) return blocks_[block].load(std::memory_order_acquire) != nullptr;
    if (blocks_[block].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) made.release();
    return true;
  }

  std::array<std::atomic<Piece*>, block_count> blocks_{};
  std::atomic<PoolIndex> next_{first_size};
  Stack free_;
};

}  // namespace cairn
