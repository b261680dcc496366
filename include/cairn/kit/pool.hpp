// SPDX-License-Identifier: BSD-3-Clause
// pool.hpp - a lock-free pool of memory pieces, and stacks of such pieces
//
// Pieces are reused, so memory use follows the largest number of pieces in use at the same time. Memory
// is never returned to the system, and pieces do not move. Each operation is one compare-and-swap.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <new>

namespace cairn {

/// From 1; 0 means none.
using PoolIndex = std::uint32_t;

/// Base of all pieces, used by the pool and the stacks.
struct PoolPiece {
  std::atomic<PoolIndex> next{0};
  PoolIndex number = 0;
};

/// `Piece` derives from PoolPiece.
template <class Piece>
class Pool {
 public:
  /// The top of the stack with a counter of changes, so that a piece that was popped and pushed again is noticed (ABA).
  class Stack {
   public:
    void push(Piece& piece) {
      std::uint64_t top = top_.load(std::memory_order_relaxed);
      do piece.next.store(static_cast<PoolIndex>(top), std::memory_order_relaxed);
      while (!top_.compare_exchange_weak(top, changed(top, piece.number), std::memory_order_release,
                                         std::memory_order_relaxed));
    }
    /// Null if the stack is empty.
    Piece* pop(Pool& pool) {
      std::uint64_t top = top_.load(std::memory_order_acquire);
      while (static_cast<PoolIndex>(top) != 0) {
        Piece& piece = pool.piece(static_cast<PoolIndex>(top));
        const PoolIndex next = piece.next.load(std::memory_order_relaxed);
        if (top_.compare_exchange_weak(top, changed(top, next), std::memory_order_acquire)) return &piece;
      }
      return nullptr;
    }

   private:
    static std::uint64_t changed(std::uint64_t top, PoolIndex index) { return ((top >> 32U) + 1) << 32U | index; }
    std::atomic<std::uint64_t> top_{0};
  };

  /// Null when out of memory.
  Piece* take() {
    Piece* const piece = free_.pop(*this);
    return piece != nullptr ? piece : make();
  }
  void give_back(Piece& piece) { free_.push(piece); }

 private:
  // An index consists of the number of a block, from 1, and that of a piece in it; block b holds 32 << b pieces.
  static constexpr unsigned piece_bits = 27;
  static constexpr unsigned block_count = 22;
  static constexpr std::uint32_t size_of(unsigned block) { return 32U << block; }

  Piece& piece(PoolIndex index) {
    const PoolIndex of_block = index & ((PoolIndex{1} << piece_bits) - 1);
    return blocks_[index >> piece_bits].load(std::memory_order_acquire)[of_block];
  }

  [[gnu::noinline, gnu::cold]] Piece* make() {
    const std::uint32_t counted = next_.fetch_add(1, std::memory_order_relaxed);  // from size_of(1) on
    const auto block = static_cast<unsigned>(std::bit_width(counted / size_of(0))) - 1;
    if (block > block_count) return nullptr;
    if (blocks_[block].load(std::memory_order_acquire) == nullptr && !add_block(block)) return nullptr;
    const PoolIndex index = block << piece_bits | (counted - size_of(block));
    Piece& made = piece(index);
    made.number = index;
    return &made;
  }

  bool add_block(unsigned block) {
    std::unique_ptr<Piece[]> made(new (std::nothrow) Piece[size_of(block)]());
    Piece* expected = nullptr;
    if (made == nullptr) return blocks_[block].load(std::memory_order_acquire) != nullptr;
    if (blocks_[block].compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) made.release();
    return true;
  }

  std::array<std::atomic<Piece*>, block_count + 1> blocks_{};  // the first is unused
  std::atomic<std::uint32_t> next_{size_of(1)};
  Stack free_;
};

}  // namespace cairn
