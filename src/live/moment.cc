// SPDX-License-Identifier: BSD-3-Clause
// moment.cc - adding up what pages say

#include "live/moment.hpp"

#include <algorithm>

namespace cairn::live {

namespace {

void add(Moment& moment, const where::Process& process, const where::Thread& thread) {
  RankTotals& rank = moment.ranks[process.rank];
  rank.in_mpi += thread.in_mpi;
  if (thread.in_use) ++rank.threads;
  for (const where::Figures& figures : thread.figures) {
    FunctionTotals& function = moment.functions[figures.function->name][process.rank];
    function.calls += figures.calls;
    function.seconds += process.time.seconds(figures.ticks);
  }
}

}  // namespace

Moment moment_of(const where::JobPages& job) {
  Moment moment;
  for (const where::Process& process : job.processes) {
    RankTotals& rank = moment.ranks[process.rank];
    rank.moment = process.has_ended() && process.ended_at != 0 ? process.ended_at : process.time.now_ticks;
    rank.seconds_per_tick = process.time.seconds_per_tick;
    for (const where::Thread& thread : process.threads) add(moment, process, thread);
  }
  return moment;
}

}  // namespace cairn::live
