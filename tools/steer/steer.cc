// SPDX-License-Identifier: BSD-3-Clause
// steer.cc - sets control variables while the program runs, as `cairn live` asks: the safe points
//
// A rank sets variables in calls that send, receive, wait, test or communicate collectively, before it makes them.

#include <mpi.h>

#include <algorithm>
#include <string>

#include "cairn/kit.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/services/frees.hpp"
#include "cairn/services/tool_calls.hpp"
#include "controls.hpp"

namespace steer {

using cairn::Category;
using cairn::Role;

class Steer {
 public:
  static constexpr std::string_view about =
      "lets 'cairn live' set control variables (MPI_T) and switch tools while the program runs";
  struct Options {
    cairn::EveryNth every{32};
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("every", every, "collective calls on MPI_COMM_WORLD between two agreements of all ranks");
    }
  };
  using Needs = cairn::ServiceList<cairn::ToolCalls>;

  Steer(cairn::Self self, const Options& options) : self_(self), controls_(options.every.n) {}

  template <cairn::Function F>
  static constexpr bool is_joint() {
    return cairn::facts(F).category == Category::collective && cairn::has<F>(Role::comm);
  }
  template <cairn::Function F>
  static constexpr bool is_safe_point() {
    constexpr Category category = cairn::facts(F).category;
    return category == Category::point_to_point || category == Category::probe ||
           category == Category::probe_nonblocking || category == Category::completion ||
           category == Category::completion_nonblocking || is_joint<F>();
  }

  template <cairn::Function F>
  requires(is_safe_point<F>()) auto on(cairn::Call<F>& call) {
    if (cairn::is_tools_call()) [[unlikely]]
      return call.proceed();
    controls_.pass();
    if constexpr (is_joint<F>())
      if (arg<Role::comm>(call) == MPI_COMM_WORLD) controls_.pass_together();
    return call.proceed();
  }

  template <cairn::Function F>
  requires(F == cairn::Function::MPI_Init_ || F == cairn::Function::MPI_Init_thread_) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    if (!start_.is_first(result)) return result;
    if (const std::string problem = controls_.start(self_); !problem.empty())
      self_.warn("nothing can be set: " + problem);
    return result;
  }

  void finish() { controls_.finish(); }

 private:
  cairn::Self self_;
  Controls controls_;
  cairn::MpiStart start_;
};

}  // namespace steer

CAIRN_TOOL(steer::Steer)
