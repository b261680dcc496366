// SPDX-License-Identifier: BSD-3-Clause
// size_table.hpp - sizes by handle, read by any number of threads at once; knows no MPI
//
// An entry is one word: the part of the scrambled handle that does not follow from the word's place, a mark, and the
// size. So reading needs neither a lock nor thread-local data. A later handle of the same place replaces the word.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "cairn/kit/flat_table.hpp"

namespace services {

class SizeTable {
  using Word = std::atomic<std::uint64_t>;

 public:
  static constexpr std::uint64_t unknown = ~std::uint64_t{0};

  /// Where a handle's size is. Handles have at most 45 bits: addresses are passed without their lowest three.
  class Place {
   public:
    /// Or `unknown`.
    std::uint64_t size() const {
      const std::uint64_t found = seen_ ^ mark_;
      return found >> size_bits == 0 ? found : unknown;
    }
    /// Does nothing if the word has changed since the place was looked up, as by `forget`, or the size does not fit.
    void remember(std::uint64_t size) {
      if (size >> size_bits == 0) word_->compare_exchange_strong(seen_, mark_ | size, std::memory_order_relaxed);
    }

   private:
    friend SizeTable;
    Place(Word& word, std::uint64_t mark) : word_(&word), mark_(mark), seen_(word.load(std::memory_order_relaxed)) {}

    Word* word_;
    std::uint64_t mark_;  // of a word that holds the handle's size: all but the size
    std::uint64_t seen_;
  };

  /// Multiplying by an odd number modulo a power of two can be undone, so no two handles share both place and mark.
  Place at(std::uint64_t handle) {
    const std::uint64_t mixed = cairn::spread(handle) << (64 - handle_bits);  // the product's low bits on top
    return {words_[mixed >> (64 - place_bits)], mixed << place_bits | is_known};
  }

  /// Leaves a word that was never there before, so that a thread that looked the size up earlier cannot store it now.
  void forget(std::uint64_t handle) {
    const Place place = at(handle);
    if ((place.seen_ & is_known) != 0 && place.size() == unknown) return;  // another handle's
    const std::uint64_t time = times_.fetch_add(1, std::memory_order_relaxed) + 1;
    place.word_->store(time >> size_bits << (size_bits + 1) | (time & (is_known - 1)), std::memory_order_relaxed);
  }

 private:
  static constexpr unsigned handle_bits = 45;  // 12 of the place, 33 at the word's top
  static constexpr unsigned place_bits = 12;
  static constexpr unsigned size_bits = 30;  // at its bottom
  static constexpr std::uint64_t is_known = std::uint64_t{1} << size_bits;

  std::array<Word, std::size_t{1} << place_bits> words_{};
  std::atomic<std::uint64_t> times_{0};
};

}  // namespace services
