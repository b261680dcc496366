// SPDX-License-Identifier: BSD-3-Clause
// forgetful.cc - a tool whose finish() has no memory on one rank: before the ranks meet, when it packs, merges or writes
#include <mpi.h>

#include <array>
#include <new>
#include <span>
#include <string>

#include "cairn/kit.hpp"
#include "cairn/kit/ranks.hpp"

class Forgetful {
 public:
  static constexpr std::string_view about = "runs out of memory";
  struct Options {
    unsigned rank = 1;
    std::string_view when = "never";
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("rank", rank, "where");
      visit("when", when, "before, pack, merge or write");
    }
  };

  Forgetful(cairn::Self self, const Options& options) : self_(self), options_(options) {}

  int on(cairn::Call<cairn::Function::MPI_Init_>& call) {
    const int result = call.proceed();
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    return result;
  }

  void finish() {
    const cairn::World world(self_);
    run_out("before");
    std::array<long, 1000> sums{};
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = rank_ + static_cast<long>(i);
    world.sum(std::span(sums));
    std::array<int, 1> greatest = {rank_};
    world.max_everywhere(std::span(greatest));
    const std::uint64_t least = world.least_on_node(static_cast<std::uint64_t>(rank_) + 100);
    std::string all = std::to_string(rank_);
    const auto pack = [&] {
      run_out("pack");
      return all;
    };
    world.merge(pack, [&](const std::string& more) {
      run_out("merge");
      all += more;
    });
    run_out("write");
    if (world.rank() == 0)
      self_.write("forgetful.txt", std::to_string(world.size()) + " " + std::to_string(sums[0]) + " " +
                                       std::to_string(sums[999]) + " " + std::to_string(greatest[0]) + " " +
                                       std::to_string(least) + " " + all);
  }

 private:
  void run_out(std::string_view when) const {
    if (options_.when == when && static_cast<int>(options_.rank) == rank_) throw std::bad_alloc();
  }

  cairn::Self self_;
  Options options_;
  int rank_ = 0;
};

CAIRN_TOOL(Forgetful)
