// SPDX-License-Identifier: BSD-3-Clause
// transfers.cc - finding sends and receives that fit each other, and epochs that both sides have opened

#include "where/transfers.hpp"

#include <algorithm>
#include <string>

#include "where/messages.hpp"

namespace cairn::where {

const Unmatched& unmatched(const Job& job, const Process& from, const Process& to) {
  const auto [known, is_new] = job.shared.unmatched.try_emplace({from.rank, to.rank});
  if (is_new) known->second = unmatched_between(from, to);
  return known->second;
}

namespace {

bool names(const Call& call, std::string_view part) { return call.function->name.find(part) != std::string::npos; }

bool sends_one(const Call& call) {
  return call.collective == 0 && call.has(page::has_peer) && !call.with_nobody && sends(*call.function);
}
bool receives_one(const Call& call) {
  return call.collective == 0 && receives(*call.function) && (!call.with_nobody || sends(*call.function));
}

/// Calls under way, and requests, that are not over. What has ended, sends and receives nothing more.
template <class Visit>
void visit_open(const Process& process, const Visit& visit) {
  if (process.has_ended()) return;
  for (const Thread& thread : process.threads)
    if (thread.inside && thread.inside->function->kind != Kind::begin) visit(*thread.inside);
  for (const Call& request : process.requests) visit(request);
}

/// What a receive would take; as far as it is unknown, anything.
struct Wanted {
  int from = -1;  // -1: any
  int tag = -1;
  bool any_tag = true;
};

Wanted wanted_by(const Call& call) {
  if (call.function->kind == Kind::exchange) {
    const int tag = receive_tag(call);
    return {call.object == nullptr ? -1 : call.object->world_rank(exchange_source(call)), tag, tag < 0};
  }
  const bool is_unknown = sends_one(call) || !call.has(page::has_peer);  // MPI_Isendrecv, MPI_Imrecv
  if (is_unknown) return {};
  return {call.from_anyone ? -1 : call.partner(), call.tag, call.any_tag};
}

bool fit(const Process& sender, const Call& send, const Call& receive) {
  const std::uint64_t identities[] = {identity_of(send), identity_of(receive)};
  if (identities[0] != identities[1] && identities[0] != 0 && identities[1] != 0) return false;
  const Wanted wanted = wanted_by(receive);
  return (wanted.from < 0 || wanted.from == sender.rank) && (wanted.any_tag || wanted.tag == send.tag);
}

const std::vector<OtherEnd>& open_sends_to(const Job& job, int rank) {
  auto& known = job.shared.open_sends;
  if (!known) {
    known.emplace();
    for (const Process* const process : job.processes)
      visit_open(*process, [&](const Call& call) {
        if (sends_one(call)) (*known)[call.partner()].push_back({process, &call});
      });
  }
  return (*known)[rank];
}

OtherEnd sender_of(const Job& job, const Process& own, const Call& receive, int partner) {
  const Process* const from = job.of_rank(partner);
  if (from != nullptr && !from->has_ended()) {
    const Unmatched& counts = unmatched(job, *from, own);
    if (counts.is_exact && !is_sent(counts, *from, own, receive)) return {};
    const auto last = counts.last.find({identity_of(receive), receive_tag(receive)});
    if (counts.is_exact && last != counts.last.end()) return {last->second.first, last->second.second};
  }
  for (const OtherEnd& send : open_sends_to(job, own.rank))
    if (fit(*send.process, *send.call, receive)) return send;
  return {};
}

OtherEnd receiver_of(const Job& job, const Process& own, const Call& send, int partner) {
  const Process* const to = job.of_rank(partner);
  OtherEnd found;
  if (to == nullptr) return found;
  visit_open(*to, [&](const Call& call) {
    if (found.process == nullptr && receives_one(call) && fit(own, send, call)) found = {to, &call};
  });
  if (found.process == nullptr) return found;
  const Unmatched& counts = unmatched(job, own, *to);
  return counts.is_exact && !is_asked_for(counts, own, *to, send) ? OtherEnd{} : found;
}

}  // namespace

OtherEnd other_end_of_message(const Job& job, const Process& own, const Wait& wait) {
  const int partner = wait.any ? -1 : wait.whom.only();
  return wait.what == Wait::What::receiver ? receiver_of(job, own, *wait.call, partner)
                                           : sender_of(job, own, *wait.call, partner);
}

namespace {

/// The latest call on the window that opens or closes an exposure epoch, if it opens one.
const Call* open_exposure(const Process& process, std::uint64_t window) {
  for (const Thread& thread : process.threads)
    for (const Call& call : thread.calls) {
      if (identity_of(call) != window || call.has(page::in_vain)) continue;
      if (names(call, "Win_post")) return &call;
      if ((names(call, "Win_wait") || names(call, "Win_test")) && !call.is_under_way()) break;
    }
  return nullptr;
}

const Call* epoch_being_closed(const Process& process, std::uint64_t window) {
  for (const Thread& thread : process.threads)
    if (thread.inside && identity_of(*thread.inside) == window && names(*thread.inside, "Win_complete"))
      return &*thread.inside;
  return nullptr;
}

}  // namespace

OtherEnd other_end_of_epoch(const Job& job, const Process& own, const Wait& wait) {
  const std::uint64_t window = identity_of(*wait.call);
  if (window == 0) return {};
  const bool is_target = names(*wait.call, "Win_wait");
  std::map<std::uint64_t, std::vector<OtherEnd>>& known =
      is_target ? job.shared.epochs_being_closed : job.shared.exposures;
  const auto [ends, is_new] = known.try_emplace(window);
  if (is_new)
    for (const Process* const process : job.processes) {
      if (process->has_ended()) continue;
      const Call* const call = is_target ? epoch_being_closed(*process, window) : open_exposure(*process, window);
      if (call != nullptr) ends->second.push_back({process, call});
    }
  const auto other =
      std::find_if(ends->second.begin(), ends->second.end(), [&](const OtherEnd& end) { return end.process != &own; });
  return other == ends->second.end() ? OtherEnd{} : *other;
}

}  // namespace cairn::where
