// SPDX-License-Identifier: BSD-3-Clause
// communicators.cc - asking MPI about communicators and windows, once for each

#include "communicators.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>

#include "cairn/kit/handle.hpp"
#include "cairn/kit/own_work.hpp"
#include "summary.hpp"

namespace comm {

namespace {

/// World ranks of a group's processes; frees the group.
std::vector<int> worlds_of(const cairn::Ranks& ranks, MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> worlds(static_cast<std::size_t>(size));
  ranks.translate(group, size, worlds.data());
  PMPI_Group_free(&group);
  return worlds;
}

std::string name_of(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  return {name, static_cast<std::size_t>(length)};
}

CommKind describe(MPI_Comm comm, const Known& known, const cairn::Ranks& ranks) {
  std::vector<int> peers(known.worlds, known.worlds + known.peers);
  CommKind made{name_of(comm), ranks_text(peers), "", 0, {}, {}};
  if (!known.between) return made;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  const std::vector<int> own = worlds_of(ranks, group);
  made.remote = ranks_text(own);
  if (own < peers) std::swap(made.members, made.remote);  // the same on both sides
  return made;
}

}  // namespace

Known* Communicators::find(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  std::atomic<Known*>* const place = places_.find_or_add(cairn::handle_bits(comm));
  if (place == nullptr) return nullptr;
  Known* const known = place->load(std::memory_order_acquire);
  return known != nullptr ? known : ask(comm, *place);
}

/// Two threads may ask about one communicator at once, but not both in a collective call: the lock settles it.
[[gnu::noinline, gnu::cold]] Known* Communicators::ask(MPI_Comm comm, std::atomic<Known*>& place) try {
  const cairn::OwnWork own;
  const cairn::Members* const members = ranks_.members(comm);
  const int* const worlds = ranks_.worlds(comm);
  if (members == nullptr || worlds == nullptr || frees_.watch_comm(comm) == 0) return nullptr;
  auto made = std::unique_ptr<Known>(
      new Known{0, members->rank, members->size, members->peers, members->remote_size != 0, worlds});
  const CommKind described = describe(comm, *made, ranks_);
  const std::lock_guard lock(lock_);
  if (Known* const other = place.load(std::memory_order_acquire)) return other;
  take_slot(*made, described);
  place.store(made.get(), std::memory_order_release);
  return made.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Communicators::take_slot(Known& known, const CommKind& described) {
  const std::string text = described.members + ' ' + described.remote + ' ' + described.name;
  if (kinds_.size() >= most_kinds && !kind_by_text_.contains(text)) return join_others(known);
  CommKind*& kind = kind_by_text_[text];
  if (kind == nullptr) kind = &kinds_.emplace_back(described);
  ++kind->number;
  if (kind->free_slots.empty()) {
    known.slot = static_cast<int>(by_slot_.size());
    by_slot_.push_back(kind);
    publish_slot(known.slot);
    kind->slots.push_back(known.slot);
    kind->free_slots.reserve(kind->slots.size());
    return;
  }
  known.slot = kind->free_slots.back();
  kind->free_slots.pop_back();
}

void Communicators::join_others(Known& known) {
  if (others_ == nullptr) {
    others_ =
        &kinds_.emplace_back(CommKind{"(other communicators)", "", "", 0, {static_cast<int>(by_slot_.size())}, {}});
    by_slot_.push_back(others_);
  }
  ++others_->number;
  known.slot = others_->slots.front();
  known.is_merged = true;
}

void Communicators::publish(shared::Board& board) {
  const std::lock_guard lock(lock_);
  board_ = &board;
  for (std::size_t slot = 0; slot < by_slot_.size(); ++slot) publish_slot(static_cast<int>(slot));
}

/// With a 0 after each of the two texts.
void Communicators::publish_slot(int slot) const {
  if (board_ == nullptr) return;
  const CommKind& kind = *by_slot_[static_cast<std::size_t>(slot)];
  const std::size_t first = kind.members.size() + 1;
  constexpr auto what = static_cast<std::uint32_t>(cairn::formats::comm::Published::communicator);
  board_->add(what, static_cast<std::uint64_t>(slot), first + kind.remote.size() + 1, [&](void* room) {
    std::memcpy(room, kind.members.c_str(), first);
    std::memcpy(static_cast<char*>(room) + first, kind.remote.c_str(), kind.remote.size() + 1);
  });
}

void Communicators::forget(MPI_Comm comm) {
  std::atomic<Known*>* const place = places_.find(cairn::handle_bits(comm));
  const std::unique_ptr<Known> known(place == nullptr ? nullptr : place->exchange(nullptr));
  if (known == nullptr || known->is_merged) return;
  const std::lock_guard lock(lock_);
  by_slot_[static_cast<std::size_t>(known->slot)]->free_slots.push_back(known->slot);
}

std::vector<int> Communicators::partners(int slot, Reach reach, int rank) {
  const std::lock_guard lock(lock_);
  const CommKind& kind = *by_slot_[static_cast<std::size_t>(slot)];
  Share share;
  share.reach = reach;
  share.rank = rank;
  return comm::partners({kind.name, kind.members, kind.remote, 0}, share);
}

int Windows::world_rank(MPI_Win win, int target) {
  auto* const place = places_.find_or_add(cairn::handle_bits(win));
  if (place == nullptr) return outside;
  const std::vector<int>* known = place->load(std::memory_order_acquire);
  if (known == nullptr) {
    const cairn::OwnWork own;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Win_get_group(win, &group);
    auto made = std::make_unique<std::vector<int>>(worlds_of(ranks_, group));
    if (frees_.watch_win(win) == 0) return (*made)[static_cast<std::size_t>(target)];
    if (place->compare_exchange_strong(known, made.get(), std::memory_order_acq_rel)) known = made.release();
  }
  return (*known)[static_cast<std::size_t>(target)];
}

void Windows::forget(MPI_Win win) {
  if (auto* const place = places_.find(cairn::handle_bits(win))) delete place->exchange(nullptr);
}

}  // namespace comm
