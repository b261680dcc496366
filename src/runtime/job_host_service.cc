// SPDX-License-Identifier: BSD-3-Clause
// job_host_service.cc - takes in what the ranks have agreed on, and tells the user what some of them lack.

#include <map>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "runtime/services.hpp"
#include "will/companions.hpp"

namespace cairn {

namespace {

/// "ranks 4-7 have no 'profile'", for all tools that the same ranks lack.
void tell_gaps(const cairn_job_agreed& agreed) {
  std::map<std::string, std::vector<std::string>> tools;  // by words for the ranks
  for (std::size_t i = 0; i < agreed.gap_count; ++i) {
    const cairn_job_gap& gap = agreed.gaps[i];
    const std::string ranks = (gap.many != 0 ? "ranks " : "rank ") + std::string(gap.ranks);
    if (gap.tool == nullptr) {
      tell(Severity::warning,
           ranks + (gap.many != 0 ? " run" : " runs") + " without Cairn: results are those of the other ranks",
           runtime().asked.source, "'cairn run' in every part of the job");
      continue;
    }
    if (gap.everywhere != 0) continue;  // a message has said that it could not be loaded
    const std::string number = gap.instance > 1 ? " #" + std::to_string(gap.instance) : "";
    tools[ranks + (gap.many != 0 ? " have" : " has")].push_back("'" + std::string(file_of(gap.tool)) + number + "'");
  }
  for (const auto& [ranks, names] : tools)
    tell(Severity::warning, ranks + " no " + join(names, ", ") + ": its results are those of the other ranks",
         runtime().asked.source, "the same tools in every part of the job, and 'cairn check' where some rank runs");
}

void agree(const cairn_job_agreed* agreed) {
  Runtime& self = runtime();
  known_speaker = agreed->leads;
  self.folder.agree(*agreed);
  self.instances.agree(*agreed);
  if (self.switching.needs_rank()) self.switching.know_rank(agreed->rank);
  if (agreed->parts != nullptr) meet_companions(*agreed->parts);
  if (agreed->leads != 0) tell_gaps(*agreed);
}

void go_alone(const cairn_job_alone* alone) {
  if (alone->leads >= 0) known_speaker = alone->leads;
  if (runtime().switching.needs_rank()) runtime().switching.know_rank(alone->rank);
  if (!speaks_for_job()) return;
  const std::string apart = "the results of this program with MPI sessions stay apart, rank by rank: ";
  if (alone->lacking == nullptr)
    tell(Severity::warning, apart + "it is unknown which ranks have Cairn", runtime().asked.source,
         "mpirun of MPICH 4.0, or --out DIR and 'cairn report DIR', which shows each rank's results");
  else
    tell(Severity::warning,
         apart + (alone->many != 0 ? "ranks " : "rank ") + alone->lacking + (alone->many != 0 ? " run" : " runs") +
             " without Cairn or without a session",
         runtime().asked.source, "'cairn run' in every part of the job");
}

/// A site's layers lie under jobs that know nothing of them.
int may_wait() { return runtime().asked.by_site ? 0 : 1; }

void tell_wait(int rank) {
  tell(Severity::warning,
       "MPI_Init waits for ranks that do not say which tools they have" +
           std::string(rank == 0 ? "" : ", perhaps for rank 0") + ": one that runs without Cairn never does",
       runtime().asked.source, "'cairn run' in every part of the job");
}

const char* identity() { return runtime().folder.identity().c_str(); }

const char* settle_folder() {
  runtime().folder.settle();
  return runtime().folder.path().c_str();
}

void* library_function(const char* name) { return runtime().mpi.own_function(name); }

}  // namespace

const cairn_job_host& job_host_service() {
  static constexpr cairn_job_host service = {identity, settle_folder, agree,           go_alone,
                                             may_wait, tell_wait,     library_function};
  return service;
}

}  // namespace cairn
