// SPDX-License-Identifier: BSD-3-Clause
// gather.cc - reductions over the ranks; the library's own trees do the work

#include <mpi.h>

#include "gather.hpp"

#include <algorithm>

namespace profile {

namespace {

/// The same reduction for every figure of a kind at once.
template <class T>
std::vector<T> reduce(const std::vector<T>& values, MPI_Datatype type, MPI_Op op) {
  std::vector<T> out(values.size());
  PMPI_Reduce(values.data(), out.data(), static_cast<int>(values.size()), type, op, 0, MPI_COMM_WORLD);
  return out;
}

struct Times {
  std::vector<double> total, min, max;

  explicit Times(const std::vector<double>& own)
      : total(reduce(own, MPI_DOUBLE, MPI_SUM)),
        min(reduce(own, MPI_DOUBLE, MPI_MIN)),
        max(reduce(own, MPI_DOUBLE, MPI_MAX)) {}

  OverRanks at(std::size_t i, int ranks) const { return {total[i], total[i] / ranks, min[i], max[i]}; }
};

}  // namespace

Summary gather(const Rows& rows, Summary heading) {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);

  constexpr std::size_t count = cairn::function_count;
  std::vector<std::uint64_t> numbers(2 * count);
  std::vector<double> seconds(count + 2);
  for (std::size_t i = 0; i < count; ++i) {
    numbers[i] = rows[i].calls;
    numbers[count + i] = rows[i].bytes;
    seconds[i] = ticks_to_seconds(rows[i].ticks);
    seconds[count + 1] += seconds[i];
  }
  seconds[count] = ticks_to_seconds(ticks_since_start());
  const auto sums = reduce(numbers, MPI_UINT64_T, MPI_SUM);
  const Times times(seconds);
  if (rank != 0) return heading;

  heading.ranks = ranks;
  heading.run_time = times.at(count, ranks);
  heading.mpi_time = times.at(count + 1, ranks);
  for (std::size_t i = 0; i < count; ++i)
    if (sums[i] != 0)
      heading.functions.push_back({cairn::function_facts[i].name, sums[i], sums[count + i], times.at(i, ranks)});
  std::ranges::stable_sort(heading.functions, std::ranges::greater{},
                           [](const FunctionSummary& function) { return function.time.total; });
  return heading;
}

}  // namespace profile
