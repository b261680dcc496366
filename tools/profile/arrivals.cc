// SPDX-License-Identifier: BSD-3-Clause
// arrivals.cc - comparing the ranks' times of the same calls

#include "arrivals.hpp"

#include <mpi.h>

#include <algorithm>
#include <map>
#include <vector>

#include "record.hpp"

namespace profile {

namespace {

struct Moment {  // as MPI_DOUBLE_INT
  double time;
  int rank;
};

bool on_one_node(int ranks) {
  MPI_Comm node = MPI_COMM_NULL;
  int size = 0;
  PMPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  PMPI_Comm_size(node, &size);
  PMPI_Comm_free(&node);
  int all = 0;
  const int mine = size == ranks ? 1 : 0;
  PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

/// Ranks that lost their way in the order (a filter on some ranks, an error) cannot be compared.
bool all_alike(std::uint64_t calls) {
  std::array<std::uint64_t, 2> mine = {calls, ~calls};
  std::array<std::uint64_t, 2> greatest{};
  PMPI_Allreduce(mine.data(), greatest.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
  return greatest[0] == ~greatest[1];
}

}  // namespace

void Arrivals::thin_out() {
  for (std::size_t i = 0; 2 * i < used_; ++i) samples_[i] = samples_[2 * i];
  used_ = (used_ + 1) / 2;
  stride_ *= 2;
}

void Arrivals::gather(Waiting& waiting) const {
  int rank = 0;
  int ranks = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks == 1 || !on_one_node(ranks) || !all_alike(count_) || used_ == 0) return;

  const int samples = static_cast<int>(used_);
  std::vector<double> seconds(used_);
  std::vector<Moment> mine(used_);
  for (std::size_t i = 0; i < used_; ++i) {
    seconds[i] = static_cast<double>(samples_[i].ticks) * seconds_per_tick();
    mine[i] = {seconds[i], rank};
  }
  std::vector<double> sums(used_);
  std::vector<double> first(used_);
  std::vector<Moment> last(used_);
  PMPI_Reduce(seconds.data(), sums.data(), samples, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(seconds.data(), first.data(), samples, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  PMPI_Reduce(mine.data(), last.data(), samples, MPI_DOUBLE_INT, MPI_MAXLOC, 0, MPI_COMM_WORLD);
  if (rank != 0) return;

  waiting.calls = count_;
  waiting.compared = used_;
  std::map<int, std::uint64_t> times_last;
  std::map<cairn::Function, double> by_function;
  for (std::size_t i = 0; i < used_; ++i) {
    const double waited = (last[i].time * ranks - sums[i]) * static_cast<double>(stride_);
    waiting.time += waited;
    by_function[samples_[i].function] += waited;
    waiting.mean_spread += (last[i].time - first[i]) / samples;
    waiting.max_spread = std::max(waiting.max_spread, last[i].time - first[i]);
    ++times_last[last[i].rank];
  }
  for (const auto& [function, time] : by_function) waiting.functions.emplace_back(cairn::facts(function).name, time);
  waiting.last_ranks.assign(times_last.begin(), times_last.end());
  std::ranges::stable_sort(waiting.last_ranks, std::ranges::greater{}, [](const auto& entry) { return entry.second; });
}

}  // namespace profile
