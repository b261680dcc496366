// SPDX-License-Identifier: BSD-3-Clause
// actors.cc - reading from records who waits for whom

#include "where/actors.hpp"

#include <algorithm>
#include <numeric>

namespace cairn::where {

namespace {

/// Whether the call returns only when another process has done something.
bool can_wait(const Call& call) {
  switch (call.function->kind) {
    case Kind::send:
    case Kind::receive:
    case Kind::exchange:
    case Kind::probe:
    case Kind::wait:
    case Kind::collective:
    case Kind::sync:
    case Kind::init:
    case Kind::finalize:
      return !call.with_nobody;
    default:
      return false;
  }
}

/// A thread that has asked in vain since a while: the first call of that series; null if it does not.
const Call* first_in_vain(const Thread& thread, const TimeBase& time) {
  constexpr double still = 1;  // seconds since it asked last
  const Call* first = nullptr;
  for (const Call& call : thread.calls) {
    if (!call.has(page::in_vain) && !(call.function->kind == Kind::test && call.is_under_way())) break;
    if (first == nullptr && !call.is_under_way() && time.ago(call.exit) > still) break;
    first = &call;
  }
  return first;
}

/// Whether it is the same question all the time, and most of that time was spent asking.
bool is_busy_loop(const Call& first, const Call& last) {
  return first.number == last.number && 2 * last.count < last.exit - first.entry;
}

Actor actor_of_thread(const Process& process, const Thread& thread) {
  Actor actor{&process, &thread};
  const TimeBase& time = process.time;
  if (!thread.calls.empty()) actor.call = &thread.calls.front();
  if (const Call* const first = first_in_vain(thread, time)) {
    actor.doing = Doing::waiting;
    actor.polls = true;
    actor.only_polls = is_busy_loop(*first, thread.calls.front());
    actor.since_s = time.ago(first->entry);
  } else if (thread.inside) {
    actor.call = &*thread.inside;
    actor.doing = can_wait(*actor.call) ? Doing::waiting : Doing::in_call;
    actor.since_s = time.ago(actor.call->entry);
  } else {
    actor.since_s = time.ago(actor.call != nullptr ? actor.call->exit : process.started);
  }
  if (process.has_ended()) actor.doing = Doing::ended;
  if (process.ended_at != 0 && process.has_ended()) actor.since_s = time.ago(process.ended_at);
  return actor;
}

/// Asking in vain is no event.
double last_event(const Process& process) {
  double least = process.time.ago(process.started);
  for (const Thread& thread : process.threads)
    for (const Call& call : thread.calls) {
      if (call.has(page::in_vain) || (call.function->kind == Kind::test && call.is_under_way())) continue;
      least = std::min(least, process.time.ago(std::max(call.entry, call.exit)));
      break;
    }
  return least;
}

/// The more, the likelier it is that the thread moves by itself. One that only sleeps outside MPI may be woken, and call
/// MPI then. Once a thread is in MPI_Finalize, no other one may call MPI any more.
int weight(const Actor& actor) {
  switch (actor.doing) {
    case Doing::outside:
      return actor.thread != nullptr && actor.thread->state == 'S' ? 2 : 4;
    case Doing::in_call:
      return 3;
    case Doing::waiting:
      return actor.call->function->kind == Kind::finalize ? 5 : 1;
    default:
      return -1;
  }
}

bool stands_for_rank(const Actor& a, const Actor& b) { return weight(a) > weight(b); }

void index(Job& job) {
  constexpr int most = 1 << 22;
  const auto put = [](auto& all, int rank, auto* entry, auto is_better) {
    if (rank < 0 || rank > most) return;
    const auto place = static_cast<std::size_t>(rank);
    if (place >= all.size()) all.resize(place + 1);
    if (all[place] == nullptr || is_better(*entry, *all[place])) all[place] = entry;
  };
  for (const Process* const process : job.processes)
    put(job.by_rank, process->rank, process, [](const Process&, const Process&) { return false; });
  for (const Actor& actor : job.actors) put(job.actor_by_rank, actor.process->rank, &actor, stands_for_rank);
  for (int rank = 0; rank < std::min(job.size, most); ++rank)
    if (job.of_rank(rank) == nullptr || job.of_rank(rank)->left_out != 0) job.unseen.push_back(rank);
}

}  // namespace

Job look_at_job(const std::vector<const Process*>& processes) {
  Job job;
  job.processes = processes;
  job.last_event_s = 1e300;
  for (const Process* const process : processes) {
    job.size = std::max(job.size, process->size);
    const std::size_t before = job.actors.size();
    for (const Thread& thread : process->threads)
      if (thread.in_use) job.actors.push_back(actor_of_thread(*process, thread));
    if (job.actors.size() == before) {
      Actor actor{process};
      if (process->has_ended()) actor.doing = Doing::ended;
      actor.since_s = process->time.ago(process->started);
      job.actors.push_back(actor);
    }
    job.last_event_s = std::min(job.last_event_s, last_event(*process));
  }
  index(job);
  return job;
}

bool Job::is_starting() const {
  return !actors.empty() && std::ranges::all_of(actors, [](const Actor& one) {
    return one.doing == Doing::waiting && one.call != nullptr && one.call->function->kind == Kind::init;
  });
}

std::vector<int> members_of(const Object& object) {
  constexpr int most = 1 << 22;
  std::vector<int> members;
  if (!object.members_known || object.peers > most) return members;
  if (!object.members.empty()) return object.members;
  members.resize(static_cast<std::size_t>(std::max(object.peers, 0)));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

const Call* collective_call(const Process& process, std::uint64_t identity, std::uint32_t number) {
  for (const Thread& thread : process.threads)
    for (const Call& call : thread.calls)
      if (call.collective == number && call.object != nullptr && call.object->identity == identity) return &call;
  return nullptr;
}

const std::vector<int>& missing_from(const Job& job, const Object& object, std::uint32_t number) {
  const auto [known, is_new] = job.missing.try_emplace({object.identity, number});
  std::vector<int>& missing = known->second;
  if (!is_new) return missing;
  for (const int rank : members_of(object)) {
    const Process* const process = job.of_rank(rank);
    if (process == nullptr) continue;  // nothing is known of it
    const Object* const there = process->object_of(object.identity);
    if (process->left_out != 0 || (there == nullptr && process->has_no_room()) ||
        (there != nullptr && there->numbers_differ))
      continue;
    if (there == nullptr || there->collectives < number) missing.push_back(rank);
  }
  return missing;
}

namespace {

std::vector<int> others(const std::vector<int>& ranks, int own) {
  std::vector<int> left;
  std::ranges::copy_if(ranks, std::back_inserter(left), [own](int rank) { return rank != own && rank >= 0; });
  return left;
}

std::vector<int> partner_of(const Call& call, int own) {
  if (call.object == nullptr) return {};
  if (call.from_anyone) return others(members_of(*call.object), own);
  const int rank = call.partner();
  return rank < 0 ? std::vector<int>{} : std::vector<int>{rank};
}

bool is_sending(const Call& call) { return call.function->name.find("send") != std::string::npos; }

void add(std::vector<Wait>& waits, Wait wait) {
  if (!wait.ranks.empty()) waits.push_back(std::move(wait));
}

/// Who is not the root waits for the root, as far as is known. Among neighbors it is unknown who waits for whom.
void add_collective(const Job& job, const Call& call, std::vector<Wait>& waits) {
  if (call.object == nullptr || call.collective == 0 || call.function->name.find("eighbor") != std::string::npos)
    return;
  const std::vector<int>& missing = missing_from(job, *call.object, call.collective);
  const int root = call.has(page::has_root) ? call.object->world_rank(call.peer) : -1;
  const bool for_root = std::ranges::find(missing, root) != missing.end();
  add(waits, {Wait::What::collective, &call, for_root ? std::vector{root} : missing});
}

void add_request(const Job& job, const Call& request, int own, std::vector<Wait>& waits) {
  if (request.collective != 0) return add_collective(job, request, waits);
  if (!request.has(page::has_peer) || request.with_nobody) return;
  add(waits, {is_sending(request) ? Wait::What::receiver : Wait::What::message, &request, partner_of(request, own),
              request.from_anyone});
}

/// The second half of MPI_Sendrecv: its source, as `other` has it.
void add_source(const Call& call, std::vector<Wait>& waits) {
  const auto source = static_cast<int>(static_cast<std::uint32_t>(call.other));
  const int rank = call.object == nullptr ? -1 : call.object->world_rank(source);
  if (rank >= 0) add(waits, {Wait::What::message, &call, {rank}});
}

bool takes_any(const Call& call) {
  return call.function->name.ends_with("any") || call.function->name.ends_with("some");
}

/// One of several requests is enough: then all of them must be known.
void add_requests(const Job& job, const Actor& actor, std::vector<Wait>& waits) {
  const auto& requests = actor.thread->waited_for;
  std::vector<Wait> found;
  for (const Call& request : requests) add_request(job, request, actor.process->rank, found);
  if (!takes_any(*actor.call)) {
    std::ranges::move(found, std::back_inserter(waits));
    return;
  }
  if (found.empty() || found.size() != requests.size() || requests.size() < actor.call->count) return;
  Wait all = found.front();
  all.any = true;
  all.ranks.clear();
  for (const Wait& wait : found) all.ranks.insert(all.ranks.end(), wait.ranks.begin(), wait.ranks.end());
  waits.push_back(std::move(all));
}

/// All that have not come as far, of those that have a page.
template <class IsThere>
std::vector<int> ranks_without(const Job& job, IsThere is_there) {
  std::vector<int> missing;
  for (const Process* const process : job.processes)
    if (!is_there(*process)) missing.push_back(process->rank);
  return missing;
}

bool has_come_to_finalize(const Process& process) {
  if (process.phase == page::Phase::finalized) return true;
  return std::ranges::any_of(process.threads, [](const Thread& thread) {
    return thread.inside && thread.inside->function->kind == Kind::finalize;
  });
}

// ------------------------------------------------------------ windows

/// Calls on a target that takes no part itself.
bool is_passive(const std::string& function) {
  return function.find("lock") != std::string::npos || function.find("flush") != std::string::npos;
}

bool is_on(const Call& call, const Object& window) {
  return call.object != nullptr && call.object->identity == window.identity;
}

/// Whether the process has locked the target and works under that lock, as far as its calls are known. One that is in a
/// call on the window may wait for the lock itself: libraries only note it in MPI_Win_lock.
bool holds_lock(const Process& process, const Object& window, int target) {
  for (const Thread& thread : process.threads) {
    if (thread.inside && is_on(*thread.inside, window)) continue;
    for (const Call& call : thread.calls) {
      const std::string& name = call.function->name;
      if (!is_on(call, window) || !is_passive(name) || name.find("flush") != std::string::npos) continue;
      if (target >= 0 && call.has(page::has_peer) && call.peer != target) continue;
      if (name.find("unlock") == std::string::npos) return true;
      break;
    }
  }
  return false;
}

/// Who has started an exposure or access epoch waits for others of the window; for which, is not recorded. A lock is
/// given by whoever holds it; the target gives it by itself whenever it is in MPI.
void add_window(const Job& job, const Call& call, int own, std::vector<Wait>& waits) {
  if (call.object == nullptr) return;
  if (!is_passive(call.function->name))
    return add(waits, {Wait::What::window, &call, others(members_of(*call.object), own), true});
  std::vector<int> holders;
  for (const Process* const process : job.processes)
    if (process->rank != own && holds_lock(*process, *call.object, call.has(page::has_peer) ? call.peer : -1))
      holders.push_back(process->rank);
  const Actor* const target = call.partner() == own ? nullptr : job.actor_of(call.partner());
  if (holders.empty() && target != nullptr && target->doing == Doing::outside) holders.push_back(call.partner());
  add(waits, {Wait::What::window, &call, holders});
}

}  // namespace

std::vector<Wait> waits_of(const Job& job, const Actor& actor) {
  std::vector<Wait> waits;
  if (actor.doing != Doing::waiting || actor.call == nullptr) return waits;
  const Call& call = *actor.call;
  const int own = actor.process->rank;
  if (actor.works_between()) return waits;  // for what of all that it asks for, is unknown
  switch (call.function->kind) {
    case Kind::receive:
    case Kind::probe:
      add(waits, {Wait::What::message, &call, partner_of(call, own), call.from_anyone});
      break;
    case Kind::send:
      add(waits, {Wait::What::receiver, &call, partner_of(call, own)});
      break;
    case Kind::exchange:
      add(waits, {Wait::What::receiver, &call, partner_of(call, own)});
      add_source(call, waits);
      break;
    case Kind::test:
      if (call.has(page::has_peer)) add(waits, {Wait::What::message, &call, partner_of(call, own), call.from_anyone});
      else add_requests(job, actor, waits);
      break;
    case Kind::wait:
      add_requests(job, actor, waits);
      break;
    case Kind::collective:
      add_collective(job, call, waits);
      break;
    case Kind::finalize:
      add(waits, {Wait::What::finalize, &call, ranks_without(job, has_come_to_finalize)});
      break;
    case Kind::sync:
      add_window(job, call, own, waits);
      break;
    default:
      break;
  }
  return waits;
}

namespace {

bool has_others(const Object& object) {
  if (!object.members_known) return object.remote_size != 0;
  return std::ranges::any_of(object.members, [](int rank) { return rank < 0; });
}

bool is_with_others(const Call& call) {
  if (call.object == nullptr || !has_others(*call.object)) return false;
  return !call.has(page::has_peer) || call.from_anyone || call.partner() < 0;
}

bool meets_others(const std::string& function) {
  constexpr std::string_view all[] = {"MPI_Comm_accept", "MPI_Comm_connect", "MPI_Comm_join", "MPI_Comm_spawn",
                                      "MPI_Comm_spawn_multiple"};
  return std::ranges::find(all, function) != std::end(all);
}

}  // namespace

/// MPI_Finalize waits for all that a process is connected to.
bool waits_for_others(const Actor& actor) {
  if (actor.doing != Doing::waiting || actor.call == nullptr) return false;
  const Call& call = *actor.call;
  if (meets_others(call.function->name) || is_with_others(call)) return true;
  if (call.function->kind == Kind::finalize)
    return std::ranges::any_of(actor.process->objects,
                               [](const auto& object) { return object != nullptr && has_others(*object); });
  const bool has_requests = call.function->kind == Kind::wait || call.function->kind == Kind::test;
  return has_requests && actor.thread != nullptr && std::ranges::any_of(actor.thread->waited_for, is_with_others);
}

}  // namespace cairn::where
