// SPDX-License-Identifier: BSD-3-Clause
// usage.cc - counts the calls of each MPI function, and tells of a job in one line: for a site's own statistics

#include <mpi.h>
#include <time.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "cairn/kit.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/ranks.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/turn.hpp"
#include "cairn/services/tool_calls.hpp"
#include "line.hpp"

namespace usage {

using Counts = std::array<std::uint64_t, cairn::function_count>;

class Usage {
 public:
  static constexpr std::string_view about = "tells which MPI functions a job has called, in one line: for whole sites";
  struct Options {
    std::string_view to;
    bool quiet = false;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("to", to, "the file that gets the line, or a socket such as /dev/log; default: it is shown");
      visit("quiet", quiet, "on: no warning if the line cannot be written");
    }
  };
  using Needs = cairn::ServiceList<cairn::ToolCalls>;

  Usage(cairn::Self self, const Options& options)
      : self_(self), to_(options.to), is_quiet_(options.quiet), begin_s_(now_s()) {}

  template <cairn::Function F>
  auto on(cairn::Call<F>& call) {
    if (!cairn::is_tools_call()) [[likely]]
      ++counts_.mine()[static_cast<std::size_t>(F)];
    if constexpr (cairn::finalizes_session<F>()) return finalize_session(call);
    else if constexpr (cairn::starts_mpi<F>() && cairn::has<F>(cairn::Role::new_session)) return init_session(call);
    else return call.proceed();
  }

  /// finish() has been called by the time this comes back, unless the ranks cannot meet, or meet when the last session
  /// ends.
  auto on(cairn::Call<cairn::Function::MPI_Finalize_>& call) {
    alone_s_ = now_s() - begin_s_;
    const int result = call.proceed();
    has_finalized_ = true;
    if (open_sessions_ == 0) finish_untold();
    return result;
  }

  /// On every rank, before MPI_Finalize.
  void finish() {
    is_told_ = true;
    const double own_s = now_s() - begin_s_;  // without the time that the ranks need here
    if (members() == nullptr) return finish_unknown(own_s);
    const cairn::World world(self_);
    std::vector<std::uint64_t> all = own_counts();
    world.sum(std::span<std::uint64_t>(all));
    const double run_s = world.max(own_s);
    if (world.rank() == 0) tell(all, members()->world_size, world.size(), run_s);
  }

 private:
  template <class Call>
  int init_session(Call& call) {
    const int result = call.proceed();
    if (result == MPI_SUCCESS) ++open_sessions_;
    return result;
  }

  template <class Call>
  int finalize_session(Call& call) {
    const int result = call.proceed();
    if (result == MPI_SUCCESS && --open_sessions_ == 0 && has_finalized_) finish_untold();
    return result;
  }

  void finish_untold() {
    if (!is_told_) cairn::kit::finish_own_work<&Usage::finish_alone, Usage>(this);
  }

  static double now_s() {
    struct timespec now {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  static std::string library() {
    std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
    int length = 0;
    return PMPI_Get_library_version(text.data(), &length) == MPI_SUCCESS ? short_name(text.c_str()) : "";
  }

  const cairn::JobMembers* members() const {
    const auto* const job = self_.find<cairn::Job>();
    return job == nullptr ? nullptr : job->members(&self_.raw());
  }

  std::vector<std::uint64_t> own_counts() {
    std::vector<std::uint64_t> all(cairn::function_count);
    counts_.for_each([&](const Counts& of_thread) {
      for (std::size_t i = 0; i < all.size(); ++i) all[i] += of_thread[i];
    });
    return all;
  }

  /// One line per job, so only that of the first rank.
  void finish_alone() {
    is_told_ = true;
    const cairn::JobMembers* const all = members();
    if (all != nullptr && all->in_world[all->rank] == 0) tell(own_counts(), all->world_size, 1, alone_s_);
  }

  /// A PMPI tool in front of Cairn has called PMPI_Init.
  void finish_unknown(double own_s) {
    int rank = 0;
    int size = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) tell(own_counts(), size, 1, own_s);
  }

  void tell(const std::vector<std::uint64_t>& all, int ranks, int counted, double run_s) const {
    Job job{self_.program(), library(), ranks, counted, run_s, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (all[i] != 0) job.calls.emplace_back(cairn::function_facts[i].name, all[i]);
    const std::string line = line_of(std::move(job));
    if (to_.empty()) return self_.print(line + "\n");
    const int error = deliver(to_, line);
    if (error != 0 && !is_quiet_) self_.warn("its line cannot be written to '" + to_ + "': " + std::strerror(error));
  }

  cairn::Self self_;
  std::string to_;
  bool is_quiet_;
  double begin_s_;
  bool is_told_ = false;
  bool has_finalized_ = false;
  double alone_s_ = 0;  // until MPI_Finalize
  std::atomic<int> open_sessions_{0};
  cairn::PerThread<Counts> counts_;
};

}  // namespace usage

CAIRN_TOOL(usage::Usage)
