// SPDX-License-Identifier: BSD-3-Clause
// scotch.cc - graphs and machines in Scotch's terms

#include "placer/scotch.hpp"

#include <cstdint>
#include <cstdio>  // for scotch.h

extern "C" {
#include <scotch.h>
}

#include <algorithm>

namespace cairn::placer {

namespace {

using placement::Graph;

static_assert(sizeof(SCOTCH_Num) == sizeof(int));

/// One thread, and numbers from a seed: the same result every time.
class Context {
 public:
  explicit Context(int seed) {
    SCOTCH_contextInit(&context_);
    SCOTCH_contextThreadSpawn(&context_, 1, nullptr);
    SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1);
    SCOTCH_contextRandomSeed(&context_, seed);
    SCOTCH_contextRandomReset(&context_);
  }
  ~Context() { SCOTCH_contextExit(&context_); }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  SCOTCH_Context* get() { return &context_; }

 private:
  SCOTCH_Context context_;
};

/// Maps the graph onto an architecture that `make` describes.
template <class Make>
std::vector<int> map(const Graph& graph, int seed, Make make) {
  Context context(seed);
  SCOTCH_Graph own;
  SCOTCH_Graph bound;
  SCOTCH_Arch machine;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&own);
  SCOTCH_graphInit(&bound);
  SCOTCH_archInit(&machine);
  SCOTCH_stratInit(&strategy);
  std::vector<int> leaves(static_cast<std::size_t>(graph.vertices()));
  const bool done =
      SCOTCH_graphBuild(&own, 0, graph.vertices(), graph.begin.data(), nullptr, nullptr, nullptr,
                        static_cast<int>(graph.partners.size()), graph.partners.data(), graph.weights.data()) == 0 &&
      SCOTCH_contextBindGraph(context.get(), &own, &bound) == 0 && make(&machine) == 0 &&
      SCOTCH_graphMap(&bound, &machine, &strategy, leaves.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&machine);
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&own);
  return done ? leaves : std::vector<int>{};
}

}  // namespace

std::vector<int> map_to_tree(const Graph& graph, const std::vector<int>& children, const std::vector<int>& hops,
                             int seed) {
  return map(graph, seed, [&](SCOTCH_Arch* machine) {
    return SCOTCH_archTleaf(machine, static_cast<int>(children.size()), children.data(), hops.data());
  });
}

std::vector<int> part(const Graph& graph, const std::vector<int>& sizes) {
  const bool are_equal = std::ranges::count(sizes, sizes.front()) == static_cast<std::ptrdiff_t>(sizes.size());
  return map(graph, 1, [&](SCOTCH_Arch* machine) {
    const int count = static_cast<int>(sizes.size());
    return are_equal ? SCOTCH_archCmplt(machine, count) : SCOTCH_archCmpltw(machine, count, sizes.data());
  });
}

}  // namespace cairn::placer
