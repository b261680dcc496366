// SPDX-License-Identifier: BSD-3-Clause
// node_page.hpp - memory that the ranks of a node share, in which each says at the end whether it can gather results, and how
// far its part is
//
// It is mapped as MPI starts: to say so later a rank needs neither rights nor memory nor MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "contracts/job_host.h"

namespace cairn::engine {

class NodePage {
 public:
  /// Of a rank. `elsewhere`: it is not on this node, or cannot open the page.
  enum class Word : std::uint8_t { elsewhere, runs, can_gather, is_another_user, lacks_memory, has_no_first_thread };

  /// Creates it or opens the one that another rank has created. `run`: the run's identity; `rank` of `size` in the job.
  void open(const std::string& run, int rank, int size);
  /// All ranks of the node have opened it: it is gone with the last of them.
  void remove_name();

  bool is_open() const { return entries_ != nullptr; }
  void say(Word word) { own().word.store(word, std::memory_order_release); }
  Word of(int rank) const { return entries_[rank].word.load(std::memory_order_acquire); }
  void tell_part(cairn_part_state state) {
    own().part.store(static_cast<std::uint8_t>(state), std::memory_order_release);
  }
  /// Adds up the other ranks by what they have told.
  void count_parts(int ranks[CAIRN_PART_STATES]) const;

 private:
  struct Entry {
    std::atomic<Word> word;
    std::atomic<std::uint8_t> part;  // a cairn_part_state
  };
  static_assert(sizeof(Entry) == 2 && std::atomic<Word>::is_always_lock_free);

  Entry& own() { return entries_[rank_]; }

  std::string name_;
  int rank_ = 0;
  int size_ = 0;
  Entry* entries_ = nullptr;  // by rank; until the process ends
};

}  // namespace cairn::engine
