// SPDX-License-Identifier: BSD-3-Clause
// node_page.cc - a file in shared memory that has a name only while MPI starts

#include "job/node_page.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file_room.hpp"

namespace cairn::engine {

namespace {

constexpr const char* layout = ".2";  // of an entry: another Cairn's ranks have a page of their own

}  // namespace

void NodePage::open(const std::string& run, int rank, int size) {
  name_ = "/dev/shm/cairn-" + run + layout;
  rank_ = rank;
  size_ = size;
  const std::size_t length = static_cast<std::size_t>(size) * sizeof(Entry);
  const int file = ::open(name_.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return;
  if (allocate_room(file, 0, length) == 0)
    if (void* const memory = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0); memory != MAP_FAILED)
      entries_ = static_cast<Entry*>(memory);
  close(file);
  if (is_open()) say(Word::runs);
}

void NodePage::remove_name() {
  if (is_open()) unlink(name_.c_str());
}

void NodePage::count_parts(int ranks[CAIRN_PART_STATES]) const {
  for (int rank = 0; rank < size_; ++rank)
    if (const auto state = entries_[rank].part.load(std::memory_order_acquire);
        rank != rank_ && state < CAIRN_PART_STATES)
      ++ranks[state];
}

}  // namespace cairn::engine
