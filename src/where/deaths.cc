// SPDX-License-Identifier: BSD-3-Clause
// deaths.cc - telling the first to die from those that its launcher ended then

#include "where/deaths.hpp"

#include <algorithm>
#include <utility>

#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

constexpr std::string_view killed = "killed without warning (SIGKILL: by hand, the scheduler, or for want of memory)";

/// In the order of dying: who ended in a way of its own; who was killed while others were only asked to end; who was
/// asked. Within these, the earliest that is known.
std::pair<int, std::uint64_t> order(const Process* process) {
  if (process->end.empty()) return {1, 0};
  const bool asked_by_launcher = process->end == "SIGTERM" || process->end == "SIGINT";
  return {asked_by_launcher ? 2 : 0, process->ended_at};
}

std::string text_of(const Job& job, const Process& first, std::size_t deaths, Places& places) {
  std::string text = cat({"rank ", first.rank, first.end.empty() ? cat({" was ", killed}) : " ended by " + first.end});
  const Actor* const actor = job.actor_of(first.rank);
  if (actor != nullptr && actor->call != nullptr)
    text +=
        cat({actor->call->is_under_way() ? ", in " : "; its last call was ", call_phrase(first, *actor->call, places)});
  if (deaths > 1) text += cat({"; it was the first of ", deaths, " to end"});
  return text;
}

}  // namespace

std::optional<Finding> find_death(const Job& job, Places& places) {
  std::vector<const Process*> dead;
  for (const Process* const process : job.processes)
    if (process->has_died()) dead.push_back(process);
  if (dead.empty()) return std::nullopt;
  std::ranges::stable_sort(dead, {}, order);
  const Process& first = *dead.front();
  std::vector<int> ranks;  // any of which may have been the first
  for (const Process* const process : dead)
    if (order(process) == order(&first)) ranks.push_back(process->rank);
  if (!first.end.empty() || ranks.size() == 1)
    return Finding{"death", text_of(job, first, dead.size(), places), {first.rank}};
  return Finding{"death", cat({ranks_phrase(ranks), " were ", killed, "; which was first is unknown"}), ranks};
}

}  // namespace cairn::where
