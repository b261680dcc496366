// SPDX-License-Identifier: BSD-3-Clause
// communicators.hpp - identifies communicators in a way that all ranks share, however many there are
//
// Communicators of the same processes in the same order and with the same name are one group of communicators: a
// program that duplicates MPI_COMM_WORLD a million times has one more group, and it holds a million.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>

#include "cairn/kit/handle.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/object_identity.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/ranks.hpp"
#include "formats/ranks.hpp"
#include "shared/table.hpp"

namespace shared {

/// What ranks can compare.
struct CommGroup {
  std::string name;        // from MPI_Comm_set_name; "" if none
  std::string processes;   // world ranks as ranks_text shows them, shortened; the remote ones for an inter-communicator
  std::uint64_t hash = 0;  // of all of them, in order
  int size = 0;
  int remote_size = 0;  // 0 except for inter-communicators
  auto operator<=>(const CommGroup&) const = default;
};

/// The communicator must be valid. Makes local MPI calls.
inline CommGroup describe(MPI_Comm comm, const cairn::Ranks& service) {
  const cairn::OwnWork own;
  constexpr std::size_t longest = 80;  // text of a group's processes
  CommGroup group;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Comm_get_name(comm, name, &length);
  group.name = name;
  const cairn::Members* const members = service.members(comm);
  const int* const worlds = service.worlds(comm);
  if (members == nullptr || worlds == nullptr) return group;
  group.size = members->size;
  group.remote_size = members->remote_size;
  group.processes = cairn::formats::ranks_text({worlds, worlds + members->peers});
  if (group.processes.size() > longest) group.processes.replace(longest, std::string::npos, "...");
  group.hash = cairn::identity::of_members(worlds, members->peers);
  return group;
}

/// Of one process. Safe on any thread.
class Communicators {
 public:
  using Number = std::uint32_t;
  static constexpr Number others = 0;  // beyond `limit`
  static constexpr std::size_t limit = 10'000;

  Communicators(const cairn::Ranks& service, const cairn::Frees& frees) : ranks_(service), frees_(frees), groups_(1) {
    groups_[others].group.name = "(other communicators)";
  }

  /// The number of a communicator's group. The communicator must be valid. Makes local MPI calls the first time, then
  /// looks in a table.
  Number number_of(MPI_Comm comm) {
    Place* const place = places_.find_or_add(cairn::handle_bits(comm));
    if (place == nullptr) return others;
    const Number known = place->load(std::memory_order_acquire);
    return known != 0 ? known - 1 : learn(comm, *place);
  }

  /// To be called when the communicator is freed or renamed.
  void forget(MPI_Comm comm) {
    if (Place* const place = places_.find(cairn::handle_bits(comm))) place->store(0, std::memory_order_release);
    changes_.fetch_add(1, std::memory_order_release);
  }

  /// A thread may cache results of number_of until this changes.
  std::uint32_t changes() const { return changes_.load(std::memory_order_acquire); }

  /// visit(Number, const CommGroup&, how many communicators).
  template <class Visit>
  void for_each(Visit visit) const {
    const std::lock_guard lock(lock_);
    for (Number i = 0; i < groups_.size(); ++i) visit(i, groups_[i].group, groups_[i].communicators);
  }

 private:
  using Place = std::atomic<Number>;  // one more than the number; 0: not known
  struct Known {
    CommGroup group;
    std::uint64_t communicators = 0;
  };

  [[gnu::noinline, gnu::cold]] Number learn(MPI_Comm comm, Place& place) {
    if (frees_.watch_comm(comm) == 0) return others;
    const CommGroup group = describe(comm, ranks_);
    const std::lock_guard lock(lock_);
    const auto known = numbers_.find(group);
    Number number = known == numbers_.end() ? others : known->second;
    if (known == numbers_.end() && groups_.size() < limit) {
      number = static_cast<Number>(groups_.size());
      numbers_[group] = number;
      groups_.push_back({group, 0});
    }
    Number unknown = 0;
    if (place.compare_exchange_strong(unknown, number + 1, std::memory_order_acq_rel)) ++groups_[number].communicators;
    return number;
  }

  const cairn::Ranks& ranks_;
  const cairn::Frees& frees_;
  services::HandleTable<Place, 6> places_;
  std::atomic<std::uint32_t> changes_{0};
  mutable std::mutex lock_;
  std::deque<Known> groups_;
  std::map<CommGroup, Number> numbers_;
};

}  // namespace shared
