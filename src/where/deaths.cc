// SPDX-License-Identifier: BSD-3-Clause
// deaths.cc - telling the first to die from those that its launcher ended then

#include "where/deaths.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

constexpr std::string_view killed = "killed without warning (SIGKILL: by hand, by the scheduler, or out of memory)";

constexpr std::string_view by_tool = "where=end:on";

bool is_asked(const Process* process) { return process->end == "SIGTERM" || process->end == "SIGINT"; }
bool has_no_word(const Process* process) { return process->end.empty(); }

/// Who ended in a way of its own comes first, then who was asked to end; within these, the earliest.
std::tuple<bool, bool, std::uint64_t> order(const Process* process) {
  return {has_no_word(process), is_asked(process), process->ended_at};
}

/// Who was seen to die before the others; null: nobody was, or it could be one that nobody watched.
const Process* first_seen(const Job& job, const std::vector<const Process*>& dead) {
  const Process* first = nullptr;
  for (const Process* const witness : job.processes) {
    if (witness->deaths_seen.size() != 1) continue;
    const auto is_beside = [witness](const Process* one) { return one->host == witness->host; };
    const auto beside = static_cast<std::size_t>(std::ranges::count_if(job.processes, is_beside)) - 1;
    if (!job.unseen.empty() || witness->deaths_watched != beside || !std::ranges::all_of(dead, is_beside)) continue;
    const auto found = std::ranges::find(dead, witness->deaths_seen.front(), &Process::pid);
    if (found == dead.end() || (first != nullptr && first != *found)) return nullptr;
    first = *found;
  }
  return first;
}

/// Open MPI's agents ask the others to end as soon as one has died. Who has left no word may also be one that was killed
/// as it took too long to end; but not if one of those that were asked saw it die.
const Process* seen_by_asked(const Job& job, const std::vector<const Process*>& dead) {
  std::set<std::pair<std::string_view, int>> seen;
  for (const Process* const witness : dead)
    if (is_asked(witness))
      for (const int pid : witness->deaths_seen) seen.emplace(witness->host, pid);
  const Process* first = nullptr;
  for (const Process* const process : dead) {
    if (!has_no_word(process) || !process->job.starts_with("pmix=")) continue;
    const bool is_seen = seen.contains({process->host, process->pid});
    if (is_seen && (first != nullptr || !job.unseen.empty())) return nullptr;
    if (is_seen) first = process;
  }
  return first;
}

std::vector<int> ranks_of(const Job& job, bool (*is_it)(const Process*)) {
  std::vector<int> ranks;
  for (const Process* const process : job.processes)
    if (process->has_died() && is_it(process)) ranks.push_back(process->rank);
  return ranks;
}

/// Of those that were asked to end, or were killed.
Finding unknown_first(const Job& job, const Process& last_asked) {
  const std::vector<int> asked = ranks_of(job, is_asked);
  const std::vector<int> silent = ranks_of(job, has_no_word);
  const std::string unseen =
      job.unseen.empty() ? ""
                         : cat({": ", ranks_phrase(job.unseen), job.unseen.size() == 1 ? " is" : " are", " not seen"});
  if (silent.empty())
    return {
        "death", cat({ranks_phrase(asked), " ended by ", last_asked.end, "; what ended first is unknown", unseen}), {}};
  std::string text = cat({ranks_phrase(silent), silent.size() == 1 ? " was " : " were ", killed});
  if (!asked.empty()) text += cat({", ", ranks_phrase(asked), " ended by ", last_asked.end});
  std::vector<int> ranks = silent;
  ranks.insert(ranks.end(), asked.begin(), asked.end());
  return {"death", text + "; which was first is unknown" + unseen, ranks};
}

std::string text_of(const Job& job, const Process& first, std::size_t deaths, Places& places) {
  std::string text = cat({"rank ", first.rank, first.end.empty() ? cat({" was ", killed}) : " ended by " + first.end});
  const Actor* const actor = job.actor_of(first.rank);
  if (actor != nullptr && actor->call != nullptr)
    text +=
        cat({actor->call->is_under_way() ? ", in " : "; its last call was ", call_phrase(first, *actor->call, places)});
  if (deaths > 1)
    text += cat({"; it was the first of ", deaths, job.unseen.empty() ? "" : " that are seen", " to end"});
  const std::vector<int> asked = ranks_of(job, is_asked);
  if (is_asked(&first) && asked.size() > 1)
    text += cat({"; ", ranks_phrase(asked), " were asked to end, perhaps by the launcher or the scheduler"});
  if (first.end.starts_with(by_tool) && !first.folder.empty()) text += "; see " + first.folder + "/where.json";
  return text;
}

}  // namespace

std::optional<Finding> find_death(const Job& job, Places& places) {
  std::vector<const Process*> dead;
  for (const Process* const process : job.processes)
    if (process->has_died()) dead.push_back(process);
  if (dead.empty()) return std::nullopt;
  std::ranges::stable_sort(dead, {}, order);
  const Process* first = dead.front();
  const bool has_own_way = !has_no_word(first) && !is_asked(first);
  const bool is_alone = dead.size() == 1 && job.unseen.empty();
  const bool all_asked = std::ranges::all_of(dead, is_asked) && job.unseen.empty();
  if (const Process* const seen = first_seen(job, dead); seen != nullptr && !first->end.starts_with(by_tool))
    first = seen;
  else if (const Process* const silent = has_own_way ? nullptr : seen_by_asked(job, dead)) first = silent;
  else if (!has_own_way && !is_alone && !all_asked && (dead.size() > 1 || is_asked(first)))
    return unknown_first(job, *first);
  return Finding{"death", text_of(job, *first, dead.size(), places), {first->rank}};
}

}  // namespace cairn::where
