// SPDX-License-Identifier: BSD-3-Clause
// messages.cc - counting what was sent and received

#include "where/messages.hpp"

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
  const Kind kind = call.function->kind;
  const bool sends =
      kind == Kind::send || kind == Kind::exchange || (kind == Kind::begin && name.find("send") != name.npos);
  const bool receives = kind == Kind::receive || (kind == Kind::begin && name.find("recv") != name.npos);
  if (sends || receives)
    ends.is_exact = name.find("_init") == name.npos && call.object != nullptr && call.has(page::has_peer);
  if (sends && receives) ends.is_exact = false;  // MPI_Isendrecv: where it receives from is not recorded
  if (call.object != nullptr && call.object->identity == 0) ends.is_exact = false;
  if (call.has(page::failed) || call.object == nullptr) return ends;
  if (sends) ends.to = call.partner();
  if (sends) ends.to_tag = call.tag;
  if (receives) ends.from = call.partner();
  if (receives) ends.from_tag = call.tag;
  if (kind == Kind::exchange) {
    const auto source = static_cast<int>(static_cast<std::uint32_t>(call.other));
    ends.from = call.object->world_rank(source);
    ends.from_tag = static_cast<int>(call.other >> 32U);
    ends.is_exact = source >= 0 && ends.from_tag >= 0;
  }
  if (receives && (call.from_anyone || call.any_tag)) ends.is_exact = false;
  return ends;
}

}  // namespace

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

}  // namespace cairn::where
