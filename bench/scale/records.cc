// SPDX-License-Identifier: BSD-3-Clause
// records.cc - what `waits` has of the ranks of a job

#include "records.hpp"

namespace cairn::scale {

namespace {

using waits::Index;

constexpr std::int64_t ms = 1'000'000;
constexpr std::int64_t step_ns = 31 * ms;
constexpr const char* functions[] = {"MPI_Init",    "MPI_Irecv",     "MPI_Isend",
                                     "MPI_Waitall", "MPI_Allreduce", "MPI_Finalize"};
enum Site : Index { init, receive, send, wait, reduce, finalize };

class Rank {
 public:
  Rank(const Job& job, int rank) : job_(job), rank_(rank) {
    own_.rank = rank;
    own_.size = job.ranks;
    own_.node = Job::node_name(job.node_of(rank));
    own_.clock.reference = 1;
    own_.regions = {""};
    own_.comms = {{}, {7, "MPI_COMM_WORLD", job.ranks, {}}};
    for (std::uint64_t line = 0; line < std::size(functions); ++line)
      own_.sites.push_back({functions[line], program, 100 + line});
  }

  /// Sections end where all have left a reduction.
  waits::RankRecords section(const Steps& steps) {
    own_.is_last = steps.last == steps.all;
    own_.section = steps.first / std::max(1U, steps.last - steps.first);
    own_.over = step_ns * steps.all;
    call(steps.first == 0 ? init : reduce, reduced(steps.first), reduced(steps.first));
    for (std::uint32_t step = steps.first; step < steps.last; ++step) add_step(step);
    if (own_.is_last) call(finalize, own_.over, own_.over);
    else call(reduce, reduced(steps.last), reduced(steps.last));
    own_.threads = {{0, static_cast<Index>(own_.calls.size()), steps.first != 0}};
    return std::move(own_);
  }

 private:
  Index call(Site site, std::int64_t entry, std::int64_t exit) {
    own_.calls.push_back({entry, exit, site});
    return static_cast<Index>(own_.calls.size() - 1);
  }
  /// When the reduction before that step was over.
  static std::int64_t reduced(std::uint32_t step) {
    return step == 0 ? 0 : step * step_ns - step_ns + 30 * ms + 500'000;
  }
  /// The late rank works 30 ms a step, the others 8 to 12.
  std::int64_t work(int rank, std::uint32_t step) const {
    const double chance = Job::chance(step * static_cast<std::uint64_t>(job_.ranks) + static_cast<unsigned>(rank));
    return rank == job_.late_rank() ? 30 * ms : 8 * ms + static_cast<std::int64_t>(chance * 4 * ms);
  }
  std::uint64_t flow_from(int rank, std::uint32_t step) const {
    return 1 + step * static_cast<std::uint64_t>(job_.ranks) + static_cast<unsigned>(rank);
  }
  void add_step(std::uint32_t step) {
    const int before = (rank_ + job_.ranks - 1) % job_.ranks;
    const std::int64_t begin = step * step_ns;
    const std::int64_t worked = begin + work(rank_, step);
    const std::int64_t arrived = std::max(worked, begin + work(before, step)) + 20'000;
    const Index asked = call(receive, begin, begin + 1000);
    const Index sent = call(send, worked, worked + 2000);
    const Index waited = call(wait, worked + 3000, arrived);
    own_.messages.push_back({flow_from(rank_, step), 8192, 1, sent, waited, true});
    own_.messages.push_back({flow_from(before, step), 8192, 1, asked, waited, false});
    const Index together = call(reduce, arrived + 1000, reduced(step + 1));
    own_.together.push_back({1, step + 1, -1, together, together});
  }

  const Job& job_;
  int rank_;
  waits::RankRecords own_;
};

}  // namespace

formats::SourcePosition name_place(const std::string& object, std::uint64_t line) {
  return {"exchange", "halo.c", static_cast<int>(line), object, line};
}

std::vector<waits::RankRecords> records(const Job& job, const Steps& steps) {
  std::vector<waits::RankRecords> all;
  for (int rank = 0; rank < job.ranks; ++rank) all.push_back(Rank(job, rank).section(steps));
  return all;
}

}  // namespace cairn::scale
