// SPDX-License-Identifier: BSD-3-Clause
// lifecycle.cc - ranks that do not come to MPI_Init, and what is open in MPI_Finalize

#include "where/lifecycle.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"
#include "where/latecomers.hpp"
#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

/// "rank 1 (process 4711, app, sleeping)"
std::string latecomers_phrase(const std::vector<Latecomer>& late) {
  std::string text;
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, late.size()); ++i)
    text += cat({text.empty() ? "" : ", ", "rank ", late[i].rank, " (process ", late[i].pid, ", ",
                 harmless(late[i].name), ", ", state_phrase(late[i].state), ")"});
  return late.size() > most ? text + ", …" : text;
}

Finding gone_finding(const std::vector<int>& gone, const std::string& waiters) {
  const bool is_one = gone.size() == 1;
  return {"missing",
          cat({ranks_phrase(gone),
               is_one ? " never called MPI_Init, and its process is gone; "
                      : " never called MPI_Init, and their processes are gone; ",
               waiters, is_one ? " for it" : " for them"}),
          gone};
}

Finding late_finding(const std::vector<Latecomer>& late, const std::string& waiters) {
  const bool is_one = late.size() == 1;
  std::vector<int> ranks;
  for (const Latecomer& one : late) ranks.push_back(one.rank);
  return {"busy",
          cat({latecomers_phrase(late), is_one ? " has" : " have", " not called MPI_Init; ", waiters,
               is_one ? " for it" : " for them"}),
          ranks};
}

}  // namespace

std::vector<Finding> find_waits_for_start(const Job& job, Places& places) {
  if (!job.is_starting() || job.size <= 0) return {};
  std::vector<int> ranks;
  for (const Process* const process : job.processes) ranks.push_back(process->rank);
  const Actor& first = job.actors.front();
  const std::string waiters = cat({ranks_phrase(ranks), ranks.size() == 1 ? " waits in " : " wait in ",
                                   call_phrase(*first.process, *first.call, places)});
  if (job.unseen.empty())
    return {{"start", waiters + ", which all ranks have reached: check the launcher and the network", ranks}};
  const Latecomers found = find_latecomers(*job.processes.front(), job.unseen);
  std::vector<Finding> findings;
  if (!found.gone.empty()) findings.push_back(gone_finding(found.gone, waiters));
  if (!found.late.empty()) findings.push_back(late_finding(found.late, waiters));
  return findings;
}

namespace {

bool is_message(const Call& request) {
  return request.collective == 0 && request.has(page::has_peer) && !request.with_nobody;
}

/// "MPI_Isend (x.c:4) to rank 1, a message with tag 7"
std::string request_phrase(const Process& process, const Call& request, Places& places) {
  const int partner = request.partner();
  const std::string other = partner < 0 ? "any rank" : cat({"rank ", partner});
  return cat({call_phrase(process, request, places), sends(*request.function) ? " to " : " from ", other, ", ",
              message_phrase(request, request.tag)});
}

}  // namespace

std::vector<Finding> find_pending_requests(const Job& job, Places& places, std::size_t most) {
  std::vector<Finding> findings;
  for (const Actor& actor : job.actors) {
    if (findings.size() >= most) break;
    if (actor.doing != Doing::waiting || actor.call->function->kind != Kind::finalize) continue;
    const Process& process = *actor.process;
    const auto open = std::ranges::find_if(process.requests, is_message);
    if (open == process.requests.end()) continue;
    const auto count = static_cast<std::uint64_t>(std::ranges::count_if(process.requests, is_message));
    findings.push_back({"pending",
                        cat({"rank ", process.rank, " waits in ", call_phrase(process, *actor.call, places), " with ",
                             formats::plural(count, "incomplete message"), ": ", request_phrase(process, *open, places),
                             count > 1 ? ", …" : ""}),
                        {process.rank}});
  }
  return findings;
}

}  // namespace cairn::where
