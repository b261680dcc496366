// SPDX-License-Identifier: BSD-3-Clause
// messages.cc - counting what was sent and received

#include "where/messages.hpp"

#include <algorithm>

namespace cairn::where {

namespace {

/// Other ends of the messages of a call; -1: none, any, or unknown.
struct Ends {
  int to = -1;
  int to_tag = 0;
  int from = -1;
  int from_tag = 0;
  bool is_exact = true;  // no message could have been another one
};

Ends ends_of(const Call& call) {
  Ends ends;
  const std::string& name = call.function->name;
  if (name == "MPI_Cancel") ends.is_exact = false;  // whether in time is not recorded
  const Kind kind = call.function->kind;
  const bool sends_one = kind == Kind::send || kind == Kind::exchange || (kind == Kind::begin && sends(*call.function));
  const bool receives_one = kind == Kind::receive || (kind == Kind::begin && receives(*call.function));
  if (sends_one || receives_one)
    ends.is_exact = name.find("_init") == name.npos && call.object != nullptr && call.has(page::has_peer);
  if (sends_one && receives_one) ends.is_exact = false;  // MPI_Isendrecv: where it receives from is not recorded
  if (call.object != nullptr && call.object->identity == 0) ends.is_exact = false;
  if (call.has(page::failed) || call.object == nullptr) return ends;
  if (sends_one) ends.to = call.partner();
  if (sends_one) ends.to_tag = call.tag;
  if (receives_one) ends.from = call.partner();
  if (receives_one) ends.from_tag = call.tag;
  if (kind == Kind::exchange) {
    const int source = exchange_source(call);
    ends.from = call.object->world_rank(source);
    ends.from_tag = receive_tag(call);
    ends.is_exact = source >= 0 && ends.from_tag >= 0;
  }
  if (receives_one && (call.from_anyone || call.any_tag)) ends.is_exact = false;
  return ends;
}

}  // namespace

/// "MPI_Send_init", "MPI_Isend"
bool sends(const Function& function) {
  return function.name.find("send") != std::string::npos || function.name.find("Send") != std::string::npos;
}
bool receives(const Function& function) {
  return function.name.find("recv") != std::string::npos || function.name.find("Recv") != std::string::npos;
}

int exchange_source(const Call& call) { return static_cast<int>(static_cast<std::uint32_t>(call.other)); }

int receive_tag(const Call& call) {
  return call.function->kind == Kind::exchange ? static_cast<int>(call.other >> 32U) : call.tag;
}

std::uint64_t identity_of(const Call& call) { return call.object == nullptr ? 0 : call.object->identity; }

Unmatched unmatched_between(const Process& from, const Process& to) {
  Unmatched found;
  const auto visit = [&](const Process& process, auto each) {
    if (process.left_out != 0) found.is_exact = false;
    for (const Thread& thread : process.threads) {
      found.is_exact = found.is_exact && thread.is_whole;
      for (const Call& call : thread.calls) each(call);
    }
  };
  visit(from, [&](const Call& call) {
    const Ends ends = ends_of(call);
    found.is_exact = found.is_exact && ends.is_exact;
    if (ends.to != to.rank) return;
    const std::pair key(identity_of(call), ends.to_tag);
    ++found.count[key];
    found.last.try_emplace(key, &from, &call);
  });
  visit(to, [&](const Call& call) {
    const Ends ends = ends_of(call);
    found.is_exact = found.is_exact && ends.is_exact;
    const bool is_over = !call.is_under_way();
    if (is_over && ends.from == from.rank) --found.count[{identity_of(call), ends.from_tag}];
  });
  return found;
}

namespace {

/// How many calls of a process there are of those that pass.
template <class Passes>
long count_calls(const Process& process, const Passes& passes) {
  long count = 0;
  for (const Thread& thread : process.threads) count += std::ranges::count_if(thread.calls, passes);
  return count;
}

long count_of(const Unmatched& counts, const Call& call, int tag) {
  const auto there = counts.count.find({identity_of(call), tag});
  return there == counts.count.end() ? 0 : there->second;
}

}  // namespace

/// Messages are received in the order in which they were sent: those asked for later do not count.
bool is_sent(const Unmatched& counts, const Process& from, const Process& to, const Call& receive) {
  const int tag = receive_tag(receive);
  const long later = count_calls(to, [&](const Call& call) {
    if (call.entry < receive.entry || call.is_under_way() || identity_of(call) != identity_of(receive)) return false;
    const Ends ends = ends_of(call);
    return ends.from == from.rank && ends.from_tag == tag;
  });
  return count_of(counts, receive, tag) + later > 0;
}

bool is_asked_for(const Unmatched& counts, const Process& from, const Process& to, const Call& send) {
  const long later = count_calls(from, [&](const Call& call) {
    if (call.entry <= send.entry || identity_of(call) != identity_of(send)) return false;
    const Ends ends = ends_of(call);
    return ends.to == to.rank && ends.to_tag == send.tag;
  });
  const long under_way = count_calls(to, [&](const Call& call) {
    if (!call.is_under_way() || identity_of(call) != identity_of(send)) return false;
    const Ends ends = ends_of(call);
    return ends.from == from.rank && ends.from_tag == send.tag;
  });
  return count_of(counts, send, send.tag) - later - under_way <= 0;
}

}  // namespace cairn::where
