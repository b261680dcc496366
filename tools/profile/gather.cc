// SPDX-License-Identifier: BSD-3-Clause
// gather.cc - the ranks' rows meet in a tree, and the names come in on rank 0

#include "gather.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <span>

namespace profile {

namespace {

/// One rank's own times, in seconds; up to the program's end, not to when the ranks have met here.
struct Times {
  double run;
  double mpi;
  double start;

  Times(const RankFigures& figures, std::uint64_t ended)
      : run(run_clock.seconds(ended - run_clock.started_ticks())),
        mpi(run_clock.seconds(figures.ticks())),
        start(run_clock.seconds(figures.ticks_in(cairn::Function::MPI_Init_) +
                                figures.ticks_in(cairn::Function::MPI_Init_thread_))) {}
  double own() const { return std::max(0.0, run - mpi); }
};

OverRanks over_ranks(const cairn::World& world, double value) {
  const double total = world.sum(value);
  return {total, total / world.size(), world.min(value), world.max(value), {}};
}

/// Whether this rank's value is the greatest.
bool is_most(const cairn::World& world, double value) {
  std::array<double, 1> most = {value};
  world.max_everywhere(std::span(most));
  return most[0] == value;
}

OverRanks of_one(double value) { return {value, value, value, value, {}}; }

/// Other tools may have worked in MPI_Finalize, and this rank may have had no processor for it: that is not the run's.
shared::MachineLoad load_of_run(const GatherOptions& options) {
  shared::MachineLoad load = shared::MachineLoad::now().since(options.load_before);
  const double since_end_s = run_clock.seconds(cairn::ticks_now() - options.ended);
  load.run_delay_s = std::max(0.0, load.run_delay_s - since_end_s);
  return load;
}

}  // namespace

Gathered own_figures(const RankFigures& figures, const GatherOptions& options, int rank) {
  Gathered own{figures.rows(rank), {}};
  if (!options.by_rank) return own;
  const auto add = [&](const std::string& name, std::uint64_t ticks) {
    own.rank_times[name] = {{rank, run_clock.seconds(ticks)}};
  };
  add("", figures.ticks());
  figures.for_each_function([&](cairn::Function function, const Figures& of_function) {
    add(cairn::facts(function).name, of_function.ticks);
  });
  return own;
}

/// Allocates nothing before the rows meet.
void gather(const cairn::World& world, const RankFigures& figures, const GatherOptions& options, Gathered& all,
            Summary& heading) {
  const Times times(figures, options.ended);
  heading.run_time = over_ranks(world, times.run);
  heading.mpi_time = over_ranks(world, times.mpi);
  heading.start_time = over_ranks(world, times.start);
  heading.own_time = over_ranks(world, times.own());
  const bool is_busiest = is_most(world, times.own());
  heading.busiest_rank = world.max(is_busiest ? world.world_rank() : -1);
  const shared::MachineLoad load = load_of_run(options);
  heading.busiest_delay = world.max(is_busiest ? load.run_delay_s : 0.0);
  heading.run_delay = over_ranks(world, load.run_delay_s);
  heading.involuntary_switches = over_ranks(world, load.involuntary_switches);
  heading.of_tools = {world.sum(heading.of_tools.calls), world.sum(heading.of_tools.bytes_sent),
                      world.sum(heading.of_tools.time)};
  heading.merged_calls = world.sum(heading.merged_calls);
  heading.lost_calls = world.sum(heading.lost_calls);
  heading.threads = world.max(heading.threads);

  world.merge([&] { return pack(all); }, [&](const std::string& other) { unpack(all, other); });
  heading.ranks = world.size();
}

Summary summarize(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
                  Summary heading, int rank) {
  const Times times(figures, options.ended);
  heading.run_time = of_one(times.run);
  heading.mpi_time = of_one(times.mpi);
  heading.start_time = of_one(times.start);
  heading.own_time = of_one(times.own());
  heading.busiest_rank = rank;
  const shared::MachineLoad load = load_of_run(options);
  heading.busiest_delay = load.run_delay_s;
  heading.run_delay = of_one(load.run_delay_s);
  heading.involuntary_switches = of_one(load.involuntary_switches);
  heading.ranks = 1;
  fill(heading, {figures.rows(rank), {}}, symbols, options);
  return heading;
}

}  // namespace profile
