// SPDX-License-Identifier: BSD-3-Clause
// ranks.cc - the processes of communicators, determined at the first query and cached until they are freed

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <numeric>
#include <vector>

#include "cairn/kit.hpp"
#include "cairn/kit/handle.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/job.hpp"
#include "cairn/services/ranks.hpp"
#include "shared/table.hpp"

namespace services {

namespace {

// ---------------------------------------------------------- neighbors

/// For each dimension the lower neighbor, then the upper one (MPI-4.1 section 8.6).
std::vector<int> grid_neighbors(MPI_Comm comm) {
  int dimensions = 0;
  PMPI_Cartdim_get(comm, &dimensions);
  std::vector<int> ranks;
  for (int i = 0; i < dimensions; ++i) {
    int below = 0;
    int above = 0;
    PMPI_Cart_shift(comm, i, 1, &below, &above);
    ranks.insert(ranks.end(), {below, above});
  }
  return ranks;
}

std::vector<int> graph_neighbors(MPI_Comm comm) {
  int own = 0;
  int count = 0;
  PMPI_Comm_rank(comm, &own);
  PMPI_Graph_neighbors_count(comm, own, &count);
  std::vector<int> ranks(static_cast<std::size_t>(count));
  PMPI_Graph_neighbors(comm, own, count, ranks.data());
  return ranks;
}

struct Topology {
  explicit Topology(MPI_Comm comm) {
    int kind = MPI_UNDEFINED;
    PMPI_Topo_test(comm, &kind);
    if (kind == MPI_CART) in = out = grid_neighbors(comm);
    else if (kind == MPI_GRAPH) in = out = graph_neighbors(comm);
    else if (kind == MPI_DIST_GRAPH) ask_distributed(comm);
    lists = {{static_cast<int>(in.size()), in.data()}, {static_cast<int>(out.size()), out.data()}};
  }

  void ask_distributed(MPI_Comm comm) {
    int sources = 0;
    int destinations = 0;
    int weighted = 0;
    PMPI_Dist_graph_neighbors_count(comm, &sources, &destinations, &weighted);
    in.resize(static_cast<std::size_t>(sources) +
              1);  // no null pointers: libraries write weights even if there are none
    out.resize(static_cast<std::size_t>(destinations) + 1);
    std::vector<int> weights(in.size() + out.size());
    PMPI_Dist_graph_neighbors(comm, sources, in.data(), weights.data(), destinations, out.data(),
                              weights.data() + sources);
    in.pop_back();
    out.pop_back();
  }

  std::vector<int> in;
  std::vector<int> out;
  cairn::Neighbors lists{};
};

/// Of one communicator.
struct Known : cairn::Members {
  explicit Known(MPI_Comm comm) : cairn::Members{} {
    int between_groups = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_test_inter(comm, &between_groups);
    if (between_groups != 0) PMPI_Comm_remote_size(comm, &remote_size);
    peers = between_groups != 0 ? remote_size : size;
  }
  std::atomic<const int*> worlds{nullptr};
  std::unique_ptr<const int[]> own_worlds;  // unless they are in the world's order
  std::atomic<const Topology*> topology{nullptr};

  ~Known() { delete topology.load(std::memory_order_relaxed); }
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
};

using Place = std::atomic<Known*>;

HandleTable<Place, 6> places;

const cairn::Job* job = nullptr;
const cairn::Frees* frees = nullptr;

/// The group of all processes of the job; freed at the end unless it belongs to the service cairn.job.
class World {
 public:
  World() : group_(job == nullptr ? MPI_GROUP_NULL : job->session_world()), is_own_(group_ == MPI_GROUP_NULL) {
    int running = 0;
    if (is_own_) PMPI_Initialized(&running);
    if (running != 0) PMPI_Comm_group(MPI_COMM_WORLD, &group_);
  }
  ~World() {
    if (is_own_ && group_ != MPI_GROUP_NULL) PMPI_Group_free(&group_);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void translate(MPI_Group group, int size, int* worlds) const {
    std::fill_n(worlds, size, cairn::Ranks::outside);
    if (group_ == MPI_GROUP_NULL) return;
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    PMPI_Group_translate_ranks(group, size, ranks.data(), group_, worlds);
    std::replace_if(
        worlds, worlds + size, [](int rank) { return rank < 0; }, cairn::Ranks::outside);
  }
  int size() const {
    int size = 0;
    if (group_ != MPI_GROUP_NULL) PMPI_Group_size(group_, &size);
    return size;
  }

 private:
  MPI_Group group_;
  bool is_own_;
};

/// 0, 1, ..., shared by all communicators that have the world's processes in its order.
const int* world_order(std::size_t size) {
  static const std::vector<int>& order = *new std::vector<int>([&] {
    std::vector<int> numbers(size);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }());
  return order.data();
}

void translate(MPI_Group group, int size, int* worlds) {
  const cairn::OwnWork own;
  World().translate(group, size, worlds);
}

void translate_peers(MPI_Comm comm, const Known& known, int* worlds) {
  MPI_Group group = MPI_GROUP_NULL;
  if (known.remote_size != 0) PMPI_Comm_remote_group(comm, &group);
  else PMPI_Comm_group(comm, &group);
  translate(group, known.peers, worlds);
  PMPI_Group_free(&group);
}

bool is_world_order(const int* worlds, int count) {
  const int size = World().size();
  if (count != size) return false;
  for (int i = 0; i < count; ++i)
    if (worlds[i] != i) return false;
  return true;
}

[[gnu::noinline, gnu::cold]] Known* ask_members(MPI_Comm comm, Place& place) try {
  const cairn::OwnWork own;
  if (frees->watch_comm(comm) == 0) return nullptr;
  auto made = std::make_unique<Known>(comm);
  Known* other = nullptr;
  if (!place.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)) return other;
  return made.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

Known* known_of(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return nullptr;
  Place* const place = places.find_or_add(cairn::handle_bits(comm));
  if (place == nullptr) return nullptr;
  Known* const known = place->load(std::memory_order_acquire);
  return known != nullptr ? known : ask_members(comm, *place);
}

[[gnu::noinline, gnu::cold]] const int* ask_worlds(MPI_Comm comm, Known& known) try {
  const cairn::OwnWork own;
  auto made = std::make_unique<int[]>(static_cast<std::size_t>(known.peers));
  translate_peers(comm, known, made.get());
  const bool is_world = is_world_order(made.get(), known.peers);
  const int* const worlds = is_world ? world_order(static_cast<std::size_t>(known.peers)) : made.get();
  const int* other = nullptr;
  if (!known.worlds.compare_exchange_strong(other, worlds, std::memory_order_acq_rel)) return other;
  if (!is_world) known.own_worlds = std::move(made);
  return worlds;
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// MPI may reuse the handle as soon as the call that frees it has returned.
void forget(void* /*tool*/, MPI_Comm comm) {
  Place* const place = places.find(cairn::handle_bits(comm));
  const std::unique_ptr<const Known> known(place == nullptr ? nullptr : place->exchange(nullptr));
}

const cairn::Members* members(MPI_Comm comm) { return known_of(comm); }

const int* worlds(MPI_Comm comm) {
  Known* const known = known_of(comm);
  if (known == nullptr) return nullptr;
  const int* const worlds = known->worlds.load(std::memory_order_acquire);
  return worlds != nullptr ? worlds : ask_worlds(comm, *known);
}

[[gnu::noinline, gnu::cold]] const Topology* ask_topology(MPI_Comm comm, Known& known) try {
  const cairn::OwnWork own;
  auto made = std::make_unique<const Topology>(comm);
  const Topology* other = nullptr;
  if (!known.topology.compare_exchange_strong(other, made.get(), std::memory_order_acq_rel)) return other;
  return made.release();
} catch (const std::bad_alloc&) {
  return nullptr;
}

const cairn::Neighbors* neighbors(MPI_Comm comm) {
  Known* const known = known_of(comm);
  if (known == nullptr) return nullptr;
  const Topology* const there = known->topology.load(std::memory_order_acquire);
  const Topology* const topology = there != nullptr ? there : ask_topology(comm, *known);
  return topology == nullptr ? nullptr : &topology->lists;
}

}  // namespace

class Ranks {
 public:
  static constexpr bool knows_handles = true;
  static constexpr std::string_view about = "service: world ranks of communicators; used by other tools";
  using Needs = cairn::ServiceList<cairn::Frees>;
  using Offers = cairn::ServiceList<cairn::Ranks>;

  explicit Ranks(cairn::Self self) {
    static constexpr cairn::Ranks offer{members, worlds, neighbors, translate};
    static cairn::FreeListener listener{nullptr, forget, nullptr, nullptr};
    job = self.find<cairn::Job>();
    frees = &self.need<cairn::Frees>();
    frees->listen(&listener);
    self.publish(offer);
  }
};

}  // namespace services

CAIRN_TOOL(services::Ranks)
