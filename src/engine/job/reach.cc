// SPDX-License-Identifier: BSD-3-Clause
// reach.cc - what keeps a rank from sending, and waiting for what the others say

#include "job/reach.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "base/processes.hpp"

namespace cairn::engine {

namespace {

/// MPICH 4.0.2 crashes in a collective call of a process that can map no further memory.
bool has_memory() {
#ifdef MPICH
  constexpr std::size_t enough = std::size_t{16} << 20U;
  void* const probe = mmap(nullptr, enough, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return probe != MAP_FAILED && munmap(probe, enough) == 0;
#else
  return true;
#endif
}

/// Libraries read large messages of a process on the same node by its number, which is that of its first thread.
bool has_first_thread() { return gettid() == getpid() || cairn::facts_of_task("self").state != 'Z'; }

std::string text_of(NodePage::Word word, const char* where) {
  using enum NodePage::Word;
  if (word == is_another_user)
    return std::string("the program changed its user or group after MPI started") + where +
           ", and other users cannot use MPI's shared memory";
  if (word == lacks_memory)
    return std::string("the program has reached its limit of memory") + where + ", and MPICH crashes without any";
  if (word == has_no_first_thread)
    return std::string("the program's first thread has ended") + where +
           ", and other processes cannot read the memory of such a program";
  return "";
}

}  // namespace

Reach::Rights Reach::Rights::now() { return {getuid(), geteuid(), getgid(), getegid()}; }

/// Another user than in MPI_Init may not enter the others' shared memory, which ends the process (UCX) or is a message
/// on standard error (Open MPI).
Reach::Word Reach::own_word() const {
  if (rights_ != Rights::now()) return Word::is_another_user;
  if (!has_first_thread()) return Word::has_no_first_thread;
  return has_memory() ? Word::can_gather : Word::lacks_memory;
}

void Reach::answer() {
  if (own_ != Word::runs) return;
  own_ = own_word();
  if (page_.is_open()) page_.say(own_);
}

std::string Reach::why_apart(World& world) {
  answer();
  if (own_ != Word::can_gather) return text_of(own_, "");
  if (!is_on_one_node()) return "";
  Word word = common_word();
  for (; word == Word::runs; word = common_word()) world.let_progress();
  return text_of(word, " on some ranks");
}

bool Reach::is_on_one_node() const {
  if (!page_.is_open()) return false;
  const std::vector<int> ranks = list(ranks_);
  return std::ranges::none_of(ranks, [this](int rank) { return page_.of(rank) == Word::elsewhere; });
}

/// `runs`: not known yet. A rank that cannot gather decides for all, and what a rank has said stays.
Reach::Word Reach::common_word() const {
  Word common = Word::can_gather;
  for (const RankRange& range : ranks_)
    for (int rank = range.first; rank <= range.last; ++rank) {
      const Word word = page_.of(rank);
      if (word == Word::is_another_user || word == Word::lacks_memory || word == Word::has_no_first_thread) return word;
      if (word == Word::runs) common = word;
    }
  return common;
}

}  // namespace cairn::engine
