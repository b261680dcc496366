// SPDX-License-Identifier: BSD-3-Clause
// reserve.hpp - heap that is set aside in MPI_Init for the end of the run, when a limit may leave no memory to gather
// in
//
// The blocks are small enough to lie in the heap, where they stay when they are freed: what the C library asks the
// system for would be refused. Nothing is written into them, so that they take address space and hardly any memory.
#pragma once

#include <array>
#include <cstdlib>

namespace cairn::engine {

class Reserve {
 public:
  void take() {
    for (void*& block : blocks_) block = std::malloc(block_size);
    last_ = std::malloc(1);  // lies behind them, so that they do not go back to the system
  }
  void give_back() {
    for (void*& block : blocks_) {
      std::free(block);
      block = nullptr;
    }
  }

 private:
  static constexpr std::size_t block_size = 64 * 1024;

  std::array<void*, 64> blocks_{};
  void* last_ = nullptr;
};

}  // namespace cairn::engine
