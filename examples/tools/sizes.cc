// SPDX-License-Identifier: BSD-3-Clause
// sizes.cc - how large the messages are: a histogram over all ranks, in powers of two

#include <mpi.h>

#include <array>
#include <bit>
#include <cstdio>

#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/services/datatypes.hpp"

using cairn::Role;

/// The function sends a message whose size its arguments tell.
template <cairn::Function F>
constexpr bool sends() {
  return cairn::has<F>(Role::dest) && cairn::has<F>(Role::send_count) && cairn::moves_data(cairn::facts(F).category);
}

class Sizes {
 public:
  static constexpr std::string_view about = "a histogram of message sizes";
  using Needs = cairn::ServiceList<cairn::Datatypes>;

  explicit Sizes(cairn::Self self) : self_(self), datatypes_(self.need<cairn::Datatypes>()) {}

  template <cairn::Function F>
  requires(sends<F>()) int on(cairn::Call<F>& call) {
    if (arg<Role::dest>(call) != MPI_PROC_NULL) {
      const auto count = static_cast<std::uint64_t>(arg<Role::send_count>(call));
      const std::uint64_t bytes = count * datatypes_.size(arg<Role::send_datatype>(call));
      ++bins_.mine()[static_cast<std::size_t>(std::bit_width(bytes))];
    }
    return call.proceed();
  }

  void finish() {
    const cairn::World world(self_);
    Bins all{};
    bins_.for_each([&](const Bins& of_thread) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += of_thread[i];
    });
    world.sum(std::span(all));
    if (world.rank() == 0) report(all);
  }

 private:
  using Bins = std::array<std::uint64_t, 65>;  // bin b: sizes of b binary digits

  void report(const Bins& bins) const {
    std::string text = "bytes below       messages\n";
    for (std::size_t i = 0; i < bins.size(); ++i) {
      char line[64];
      std::snprintf(line, sizeof line, "2^%-9zu %14llu\n", i, static_cast<unsigned long long>(bins[i]));
      if (bins[i] != 0) text += line;
    }
    self_.print(text);
    self_.write(self_.file_name("sizes", ".txt"), text);
  }

  cairn::Self self_;
  const cairn::Datatypes& datatypes_;
  cairn::PerThread<Bins> bins_;
};

CAIRN_TOOL(Sizes)
