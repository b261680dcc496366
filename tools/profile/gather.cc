// SPDX-License-Identifier: BSD-3-Clause
// gather.cc - the ranks' rows meet in a tree, and the names come in on rank 0

#include "gather.hpp"

#include <mpi.h>

#include <algorithm>

#include "cairn/kit/ranks.hpp"

namespace profile {

namespace {

/// One rank's own times, in seconds.
struct Times {
  double run;
  double mpi;
  double start;

  explicit Times(const RankFigures& figures)
      : run(run_clock.seconds(ticks_now() - run_clock.started_ticks())),
        mpi(run_clock.seconds(figures.ticks())),
        start(run_clock.seconds(figures.ticks_in(cairn::Function::MPI_Init_) +
                                figures.ticks_in(cairn::Function::MPI_Init_thread_))) {}
  double own() const { return std::max(0.0, run - mpi); }
};

OverRanks over_ranks(const cairn::World& world, double value) {
  const double total = world.sum(value);
  return {total, total / world.size(), world.min(value), world.max(value), {}};
}

OverRanks of_one(double value) { return {value, value, value, value, {}}; }

Figures ticks_alone(std::uint64_t ticks) {
  Figures figures;
  figures.ticks = ticks;
  return figures;
}

void add_rank_times(Rows& rows, const RankFigures& figures, int rank) {
  const auto add_time = [&](const std::string& name, std::uint64_t ticks) {
    add(rows, KeyWriter(RowKind::rank_time).put(name).put(rank).key(), row_of(ticks_alone(ticks), rank));
  };
  add_time("", figures.ticks());
  figures.for_each_function([&](cairn::Function function, const Figures& of_function) {
    add_time(cairn::facts(function).name, of_function.ticks);
  });
}

}  // namespace

Summary gather(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
               Summary heading) {
  const cairn::World world;
  const Times times(figures);
  heading.run_time = over_ranks(world, times.run);
  heading.mpi_time = over_ranks(world, times.mpi);
  heading.start_time = over_ranks(world, times.start);
  heading.own_time = over_ranks(world, times.own());
  heading.merged_calls = world.sum(heading.merged_calls);
  heading.threads = world.max(heading.threads);

  Rows rows = figures.rows(world.rank());
  if (options.by_rank) add_rank_times(rows, figures, world.rank());
  world.merge([&] { return pack(rows); }, [&](const std::string& other) { unpack(rows, other); });
  if (world.rank() != 0) return heading;
  heading.ranks = world.size();
  fill(heading, rows, symbols, options.threshold, options.order);
  return heading;
}

Summary summarize(const RankFigures& figures, const cairn::Symbols* symbols, const GatherOptions& options,
                  Summary heading, int rank) {
  const Times times(figures);
  heading.run_time = of_one(times.run);
  heading.mpi_time = of_one(times.mpi);
  heading.start_time = of_one(times.start);
  heading.own_time = of_one(times.own());
  heading.ranks = 1;
  fill(heading, figures.rows(rank), symbols, options.threshold, options.order);
  return heading;
}

}  // namespace profile
