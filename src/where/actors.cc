// SPDX-License-Identifier: BSD-3-Clause
// actors.cc - reading from records who waits for whom

#include "where/actors.hpp"

#include <algorithm>
#include <numeric>

#include "where/locks.hpp"
#include "where/transfers.hpp"

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
    if (first == nullptr || call.entry < first->entry) first = &call;
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

constexpr int most_members = 1 << 22;

/// As far as anybody may name ranks.
void number(Job& job) {
  int count = job.size;
  for (const Process* const process : job.processes) {
    count = std::max(count, process->rank < most_members ? process->rank + 1 : 0);
    for (const auto& object : process->objects)
      if (object != nullptr && object->members_known && object->members.empty()) count = std::max(count, object->peers);
  }
  job.numbers.resize(static_cast<std::size_t>(std::clamp(count, 0, most_members)));
  std::iota(job.numbers.begin(), job.numbers.end(), 0);
}

void index(Job& job) {
  constexpr int most = most_members;
  const auto put = [](auto& all, int rank, auto* entry, auto is_better) {
    if (rank < 0 || rank > most) return;
    const auto place = static_cast<std::size_t>(rank);
    if (place >= all.size()) all.resize(place + 1);
    if (all[place] == nullptr || is_better(*entry, *all[place])) all[place] = entry;
  };
  for (const Process* const process : job.processes)
    put(job.by_rank, process->rank, process, [](const Process&, const Process&) { return false; });
  for (const Actor& actor : job.actors) put(job.actor_by_rank, actor.process->rank, &actor, stands_for_rank);
  number(job);
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

namespace {

/// The two sides of an inter-communicator have one identity, and mean each other.
SharedLists::OfObject key_of(const Object& object) {
  return {object.identity, object.members.empty() ? -1 : object.members.front(), object.peers};
}

}  // namespace

RankList members_of(const Job& job, const Object& object) {
  if (!object.members_known || object.peers <= 0 || object.peers > most_members) return {};
  if (object.members.empty())
    return RankList(job.numbers).first(std::min(job.numbers.size(), static_cast<std::size_t>(object.peers)));
  if (object.identity == 0) return object.members;
  const auto [known, is_new] = job.shared.members.try_emplace(key_of(object));
  if (is_new) known->second = object.members;
  return known->second;
}

const Call* collective_call(const Process& process, std::uint64_t identity, std::uint32_t number) {
  for (const Thread& thread : process.threads)
    for (const Call& call : thread.calls)
      if (call.collective == number && call.object != nullptr && call.object->identity == identity) return &call;
  return nullptr;
}

namespace {

/// How many collective calls the rank has made on the object; nothing if that is unknown, or cannot be compared.
std::optional<std::uint32_t> collectives_of(const Job& job, const Object& object, int rank) {
  const Process* const process = job.of_rank(rank);
  if (process == nullptr || process->left_out != 0) return std::nullopt;
  const Object* const there = process->object_of(object.identity);
  if (there == nullptr) return process->lacks_objects ? std::nullopt : std::optional<std::uint32_t>(0);
  return there->numbers_differ ? std::nullopt : std::optional(there->collectives);
}

Comers find_comers(const Job& job, const Object& object) {
  std::vector<std::pair<std::uint32_t, int>> all;
  for (const int rank : members_of(job, object))
    if (const auto calls = collectives_of(job, object, rank)) all.emplace_back(*calls, rank);
  std::ranges::sort(all);
  Comers comers;
  for (const auto& [calls, rank] : all) comers.calls.push_back(calls), comers.ranks.push_back(rank);
  return comers;
}

}  // namespace

RankList missing_from(const Job& job, const Object& object, std::uint32_t number) {
  if (object.identity == 0) return {};
  const auto [known, is_new] = job.shared.comers.try_emplace(key_of(object));
  Comers& comers = known->second;
  if (is_new) comers = find_comers(job, object);
  const auto end = std::ranges::lower_bound(comers.calls, number);
  return RankList(comers.ranks).first(static_cast<std::size_t>(end - comers.calls.begin()));
}

namespace {

/// None if it is out of the question.
RankList alone(const Job& job, int rank) {
  if (rank < 0 || static_cast<std::size_t>(rank) >= job.numbers.size()) return {};
  return RankList(job.numbers).subspan(static_cast<std::size_t>(rank), 1);
}

Awaited awaited(RankList list, int left_out = -1) {
  Awaited whom;
  whom.add(list);
  whom.left_out = left_out;
  return whom;
}

Awaited partner_of(const Job& job, const Call& call, int own) {
  if (call.object == nullptr) return {};
  if (call.from_anyone) return awaited(members_of(job, *call.object), own);
  return awaited(alone(job, call.partner()));
}

void add(std::vector<Wait>& waits, Wait wait) {
  if (!wait.whom.empty()) waits.push_back(std::move(wait));
}

void add_message(const Job& job, const Process& own, std::vector<Wait>& waits, Wait wait) {
  if (wait.whom.empty()) return;
  wait.other_end = other_end_of_message(job, own, wait);
  waits.push_back(std::move(wait));
}

/// Who is not the root waits for the root, as far as is known. Among neighbors it is unknown who waits for whom.
void add_collective(const Job& job, const Call& call, std::vector<Wait>& waits) {
  if (call.object == nullptr || call.collective == 0 || call.function->name.find("eighbor") != std::string::npos)
    return;
  const int root = call.has(page::has_root) ? call.object->world_rank(call.peer) : -1;
  const auto calls_of_root = root < 0 ? std::nullopt : collectives_of(job, *call.object, root);
  const bool for_root = calls_of_root && *calls_of_root < call.collective;
  add(waits, {Wait::What::collective, &call,
              awaited(for_root ? alone(job, root) : missing_from(job, *call.object, call.collective))});
}

/// The target gives what one-sided calls need by itself whenever it is in MPI.
void add_target(const Job& job, const Call& call, int own, std::vector<Wait>& waits) {
  const Actor* const target = call.partner() == own ? nullptr : job.actor_of(call.partner());
  if (target != nullptr && target->doing == Doing::outside)
    add(waits, {Wait::What::window, &call, awaited(alone(job, call.partner()))});
}

void add_request(const Job& job, const Call& request, const Process& own, std::vector<Wait>& waits) {
  if (request.collective != 0) return add_collective(job, request, waits);
  if (!request.has(page::has_peer) || request.with_nobody) return;
  if (request.object != nullptr && request.object->what == page::Object::window)
    return add_target(job, request, own.rank, waits);
  add_message(job, own, waits,
              {sends(*request.function) ? Wait::What::receiver : Wait::What::message, &request,
               partner_of(job, request, own.rank), request.from_anyone});
}

/// The second half of MPI_Sendrecv: its source, as `other` has it.
void add_source(const Job& job, const Call& call, const Process& own, std::vector<Wait>& waits) {
  const int rank = call.object == nullptr ? -1 : call.object->world_rank(exchange_source(call));
  add_message(job, own, waits, {Wait::What::message, &call, awaited(alone(job, rank))});
}

bool takes_any(const Call& call) {
  return call.function->name.ends_with("any") || call.function->name.ends_with("some");
}

/// One of several requests is enough: then all of them must be known.
void add_requests(const Job& job, const Actor& actor, std::vector<Wait>& waits) {
  const auto& requests = actor.thread->waited_for;
  std::vector<Wait> found;
  for (const Call& request : requests) add_request(job, request, *actor.process, found);
  if (!takes_any(*actor.call)) {
    std::ranges::move(found, std::back_inserter(waits));
    return;
  }
  if (found.empty() || found.size() != requests.size() || requests.size() < actor.call->count) return;
  Wait all = found.front();
  all.any = true;
  all.whom = {};
  for (const Wait& wait : found) {
    for (const RankList list : wait.whom.lists) all.whom.add(list);
    all.whom.left_out = std::max(all.whom.left_out, wait.whom.left_out);
    if (wait.may_end_by_itself()) all.call = wait.call, all.what = wait.what, all.other_end = wait.other_end;
  }
  add(waits, std::move(all));
}

bool has_come_to_finalize(const Process& process) {
  if (process.phase == page::Phase::finalized) return true;
  return std::ranges::any_of(process.threads, [](const Thread& thread) {
    return thread.inside && thread.inside->function->kind == Kind::finalize;
  });
}

RankList not_in_finalize(const Job& job) {
  std::optional<std::vector<int>>& known = job.shared.not_in_finalize;
  if (!known) {
    known.emplace();
    for (const Process* const process : job.processes)
      if (!has_come_to_finalize(*process)) known->push_back(process->rank);
  }
  return *known;
}

/// Who has started an exposure or access epoch waits for others of the window; for which, is not recorded. A lock is
/// given by whoever holds it; the target gives it by itself whenever it is in MPI.
void add_window(const Job& job, const Thread& thread, const Call& call, const Process& own, std::vector<Wait>& waits) {
  if (call.object == nullptr) return;
  if (!is_passive(call)) {
    Wait wait{Wait::What::window, &call, awaited(members_of(job, *call.object), own.rank), true};
    wait.other_end = other_end_of_epoch(job, own, wait);
    return add(waits, std::move(wait));
  }
  Awaited whom = holders_of(job, thread, call);
  if (whom.empty()) return add_target(job, call, own.rank, waits);
  whom.left_out = own.rank;
  add(waits, {Wait::What::window, &call, std::move(whom)});
}

}  // namespace

std::vector<Wait> waits_of(const Job& job, const Actor& actor) {
  std::vector<Wait> waits;
  if (actor.doing != Doing::waiting || actor.call == nullptr) return waits;
  const Call& call = *actor.call;
  const Process& own = *actor.process;
  if (actor.works_between()) return waits;  // for what of all that it asks for, is unknown
  switch (call.function->kind) {
    case Kind::receive:
    case Kind::probe:
      add_message(job, own, waits, {Wait::What::message, &call, partner_of(job, call, own.rank), call.from_anyone});
      break;
    case Kind::send:
      add_message(job, own, waits, {Wait::What::receiver, &call, partner_of(job, call, own.rank)});
      break;
    case Kind::exchange:
      add_message(job, own, waits, {Wait::What::receiver, &call, partner_of(job, call, own.rank)});
      add_source(job, call, own, waits);
      break;
    case Kind::test:
      if (call.has(page::has_peer))
        add_message(job, own, waits, {Wait::What::message, &call, partner_of(job, call, own.rank), call.from_anyone});
      else add_requests(job, actor, waits);
      break;
    case Kind::wait:
      add_requests(job, actor, waits);
      break;
    case Kind::collective:
      add_collective(job, call, waits);
      break;
    case Kind::finalize:
      add(waits, {Wait::What::finalize, &call, awaited(not_in_finalize(job))});
      break;
    case Kind::sync:
      add_window(job, *actor.thread, call, own, waits);
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
