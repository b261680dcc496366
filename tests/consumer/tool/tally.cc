// SPDX-License-Identifier: BSD-3-Clause
// tally.cc - a tool as an outside author writes one: counts the messages and what they are sent to.

#include <mpi.h>

#include <cstdio>

#include "cairn/kit.hpp"

class Tally {
 public:
  static constexpr std::string_view about = "counts messages";
  explicit Tally(cairn::Self self) : self_(self) {}

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    ++calls_;
    if constexpr (call.category == cairn::Category::point_to_point && cairn::has<F>(cairn::Role::dest))
      sends_ += arg<cairn::Role::dest>(call) != MPI_PROC_NULL ? 1 : 0;
    return call.proceed();
  }

  void finish() {
    std::fprintf(stderr, "tally %u at level %u: %lu sends, %lu calls\n", self_.instance(), self_.level(), sends_,
                 calls_ + 1);
  }

 private:
  cairn::Self self_;
  unsigned long sends_ = 0;
  unsigned long calls_ = 0;
};

CAIRN_TOOL(Tally)
