// SPDX-License-Identifier: BSD-3-Clause
// wishes.cc - asked once, as MPI starts: a rank that does not take part later would make the others wait for ever

#include "wishes.hpp"

#include <array>
#include <new>
#include <span>

#include "cairn/kit/ranks.hpp"
#include "cairn/kit/start.hpp"

namespace reorder {

// Kept apart, as it needs room on the stack.
[[gnu::noinline]] Wishes wishes_of_all(const cairn::Self& self, bool has_file, bool has_topologies) try {
  const cairn::World world(self);
  std::array<int, 3> has = {has_file ? 1 : 0, has_topologies ? 1 : 0, has_topologies ? 0 : 1};
  world.max_everywhere(std::span(has));
  return {has[0] != 0, has[1] != 0, has[2] == 0 && world.size() == cairn::place_in_job(self).size};
} catch (const std::bad_alloc&) {
  return {};
}

}  // namespace reorder
