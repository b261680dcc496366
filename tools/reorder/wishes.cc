// SPDX-License-Identifier: BSD-3-Clause
// wishes.cc - asked once, in MPI_Init: a rank that does not take part later would make the others wait for ever

#include "wishes.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <span>
#include <vector>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/ranks.hpp"

namespace reorder {

namespace {

int size_of(MPI_Group group) {
  int size = 0;
  PMPI_Group_size(group, &size);
  return size;
}

int size_of_world() {
  const cairn::OwnWork own;
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

}  // namespace

// Kept apart, as it needs room on the stack.
[[gnu::noinline]] Wishes wishes_of_all(const cairn::Self& self, bool has_file, bool has_topologies) try {
  const cairn::World world(self);
  std::array<int, 3> has = {has_file ? 1 : 0, has_topologies ? 1 : 0, has_topologies ? 0 : 1};
  world.max_everywhere(std::span(has));
  return {has[0] != 0, has[1] != 0, has[2] == 0 && world.size() == size_of_world()};
} catch (const std::bad_alloc&) {
  return {};
}

bool lies_in_world(MPI_Comm comm) {
  const cairn::OwnWork own;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  std::vector<int> ranks(static_cast<std::size_t>(size_of(group)));
  std::vector<int> processes(ranks.size(), MPI_UNDEFINED);
  std::iota(ranks.begin(), ranks.end(), 0);
  PMPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), world, processes.data());
  PMPI_Group_free(&world);
  PMPI_Group_free(&group);
  return std::ranges::find(processes, MPI_UNDEFINED) == processes.end();
}

}  // namespace reorder
