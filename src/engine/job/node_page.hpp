// SPDX-License-Identifier: BSD-3-Clause
// node_page.hpp - memory that the ranks of a node share, in which each says at the end whether it can gather results
//
// It is mapped as MPI starts: to say so later a rank needs neither rights nor memory nor MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace cairn::engine {

class NodePage {
 public:
  /// Of a rank. `elsewhere`: it is not on this node, or cannot open the page.
  enum class Word : std::uint8_t { elsewhere, runs, can_gather, is_another_user, lacks_memory };

  /// Creates it or opens the one that another rank has created. `run`: the run's identity; `rank` of `size` in the job.
  void open(const std::string& run, int rank, int size);
  /// All ranks of the node have opened it: it is gone with the last of them.
  void remove_name();

  bool is_open() const { return words_ != nullptr; }
  void say(Word word) { words_[rank_].store(word, std::memory_order_release); }
  Word of(int rank) const { return words_[rank].load(std::memory_order_acquire); }

 private:
  std::string name_;
  int rank_ = 0;
  std::atomic<Word>* words_ = nullptr;  // by rank; until the process ends
};

}  // namespace cairn::engine
