// SPDX-License-Identifier: BSD-3-Clause
// job_host.cc - takes in what the ranks have agreed on, and tells the user what some of them lack.

#include "runtime/job_host.hpp"

#include <map>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"

namespace cairn {

namespace {

// The functions of the service are called without an instance.
struct Host {
  const Stack* stack = nullptr;
  RunFolder* folder = nullptr;
  Instances* instances = nullptr;
  Switching* switching = nullptr;
  const std::string* source = nullptr;
};
Host host;

/// "ranks 4-7 have no 'profile'", for all tools that the same ranks lack.
void tell_gaps(const cairn_job_agreed& agreed) {
  std::map<std::string, std::vector<std::string>> tools;  // by words for the ranks
  for (std::size_t i = 0; i < agreed.gap_count; ++i) {
    const cairn_job_gap& gap = agreed.gaps[i];
    const std::string ranks = (gap.many != 0 ? "ranks " : "rank ") + std::string(gap.ranks);
    if (gap.tool == nullptr) {
      tell(Severity::warning,
           ranks + (gap.many != 0 ? " run" : " runs") + " without Cairn: results are those of the other ranks",
           *host.source, "'cairn run' in every part of the job");
      continue;
    }
    const std::string number = gap.instance > 1 ? " #" + std::to_string(gap.instance) : "";
    tools[ranks + (gap.many != 0 ? " have" : " has")].push_back("'" + std::string(file_of(gap.tool)) + number + "'");
  }
  for (const auto& [ranks, names] : tools)
    tell(Severity::warning, ranks + " no " + join(names, ", ") + ": its results are those of the other ranks",
         *host.source, "the same tools in every part of the job, and 'cairn check' where some rank runs");
}

void agree(const cairn_job_agreed* agreed) {
  known_speaker = agreed->leads;
  host.folder->agree(*agreed);
  host.instances->agree(*agreed);
  if (host.switching->needs_rank()) host.switching->know_rank(agreed->rank);
  if (agreed->leads != 0) tell_gaps(*agreed);
}

const char* settle_folder() {
  host.folder->settle();
  return host.folder->path().c_str();
}

constexpr cairn_job_host service = {[] { return host.folder->identity().c_str(); }, settle_folder, agree,
                                    [](const char* name) { return host.stack->library_function(name); }};

}  // namespace

const cairn_job_host& make_job_host(Stack& stack, RunFolder& folder, Instances& instances, Switching& switching,
                                    const std::string& source) {
  host = {&stack, &folder, &instances, &switching, &source};
  return service;
}

}  // namespace cairn
