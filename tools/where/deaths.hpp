// SPDX-License-Identifier: BSD-3-Clause
// deaths.hpp - seeing which process of the job on this node is the first to die
//
// A launcher may kill all ranks as soon as one has died, and what is killed leaves no word of it. So two processes of
// each node have a thread that sleeps until another one begins to end, and then writes down which. That is told by a
// word in the other's page (page::Life), before the system frees its memory and closes its files, which is when the
// launcher hears of it.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <vector>

#include "cairn/services/recorder.hpp"

namespace where_tool {

class Deaths {
 public:
  explicit Deaths(const cairn::Recorder& recorder) : recorder_(recorder) {}
  Deaths(const Deaths&) = delete;
  Deaths& operator=(const Deaths&) = delete;

  /// Once MPI_Init has returned: then all processes of the job on this node have a page. It does nothing in most of them,
  /// and where the system cannot wait for several words (Linux before 5.16).
  void begin();
  /// Before the program may end.
  void end();

 private:
  using Page = cairn::page::PageHeader;

  static void* run(void* self);
  void look_for_others();
  void wait();
  bool sleep();
  std::vector<std::int32_t> dead();
  std::uint32_t& life_of(Page& page) const { return page.lives[witness_].word; }

  const cairn::Recorder& recorder_;
  std::size_t witness_ = 0;    // of the two
  std::vector<Page*> others_;  // their pages, which stay mapped
  std::uint32_t watched_ = 0;  // of these, by the last look
  unsigned looks_ = 0;
  std::atomic<std::uint32_t> is_over_{0};
  pthread_t thread_{};
  bool runs_ = false;
};

}  // namespace where_tool
