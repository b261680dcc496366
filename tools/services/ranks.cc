// SPDX-License-Identifier: BSD-3-Clause
// ranks.cc - the members of communicators, worked out at the first question and remembered until they are freed

#include <mpi.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/ranks.hpp"
#include "table.hpp"

namespace services {

using cairn::Members;

namespace {

struct Known : Members {
  std::vector<int> own_worlds;  // empty: the world's own order
};

using Place = std::atomic<const Known*>;

HandleTable<Place, 6> places;

bool has_world() {
  int running = 0;
  PMPI_Initialized(&running);
  return running != 0;
}

/// 0, 1, … for every communicator whose processes are the world's in their order.
const int* world_order(std::size_t size) {
  static const std::vector<int> order = [&] {
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }();
  return order.data();
}

std::vector<int> worlds_of(MPI_Group group, int size) {
  std::vector<int> worlds(static_cast<std::size_t>(size), Members::outside);
  if (!has_world()) return worlds;
  std::vector<int> ranks(worlds.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(group, size, ranks.data(), world, worlds.data());
  PMPI_Group_free(&world);
  for (int& rank : worlds)
    if (rank < 0) rank = Members::outside;
  return worlds;
}

bool is_world_order(const std::vector<int>& worlds) {
  int size = 0;
  if (has_world()) PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (worlds.size() != static_cast<std::size_t>(size)) return false;
  for (std::size_t i = 0; i < worlds.size(); ++i)
    if (worlds[i] != static_cast<int>(i)) return false;
  return true;
}

std::unique_ptr<Known> work_out(MPI_Comm comm) {
  auto known = std::make_unique<Known>();
  int between_groups = 0;
  PMPI_Comm_rank(comm, &known->rank);
  PMPI_Comm_size(comm, &known->size);
  PMPI_Comm_test_inter(comm, &between_groups);
  MPI_Group group = MPI_GROUP_NULL;
  if (between_groups != 0) {
    PMPI_Comm_remote_size(comm, &known->remote_size);
    PMPI_Comm_remote_group(comm, &group);
  } else {
    PMPI_Comm_group(comm, &group);
  }
  known->peers = between_groups != 0 ? known->remote_size : known->size;
  known->own_worlds = worlds_of(group, known->peers);
  PMPI_Group_free(&group);
  if (is_world_order(known->own_worlds)) known->own_worlds = {};
  known->worlds =
      known->own_worlds.empty() ? world_order(static_cast<std::size_t>(known->peers)) : known->own_worlds.data();
  return known;
}

[[gnu::noinline, gnu::cold]] const Members* ask(MPI_Comm comm, Place& place) try {
  std::unique_ptr<Known> made = work_out(comm);
  const Known* other = nullptr;
  if (!place.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)) return other;
  return made.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

const Members* members(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  Place* const place = places.find_or_add(cairn::handle_bits(comm));
  if (place == nullptr) return nullptr;
  const Known* const known = place->load(std::memory_order_acquire);
  return known != nullptr ? known : ask(comm, *place);
}

}  // namespace

class Ranks {
 public:
  static constexpr std::string_view about = "service: world ranks of communicators; used by other tools";

  explicit Ranks(cairn::Self self) {
    static constexpr cairn::Ranks offer{members};
    self.publish(offer);
  }

  /// The handle may come back for another communicator as soon as the call has freed it, so the answer goes before.
  template <cairn::Function F>
  requires(cairn::has<F>(cairn::Role::comm_inout)) int on(cairn::Call<F>& call) {
    const MPI_Comm* const comm = call.template get<cairn::Role::comm_inout>();
    Place* const place = comm == nullptr ? nullptr : places.find(cairn::handle_bits(*comm));
    const std::unique_ptr<const Known> known(place == nullptr ? nullptr : place->exchange(nullptr));
    return call.proceed();
  }
};

}  // namespace services

CAIRN_TOOL(services::Ranks)
