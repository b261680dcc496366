// SPDX-License-Identifier: BSD-3-Clause
// flows.cc - counting messages at both ends

#include "trace/flows.hpp"

namespace cairn::trace {

namespace {

std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
  return value ^ value >> 31U;
}

std::uint64_t both(std::int32_t one, std::int32_t other) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(one)) << 32U | static_cast<std::uint32_t>(other);
}

}  // namespace

std::uint64_t flow_of(std::uint64_t identity, std::int32_t from, std::int32_t to, std::int32_t tag,
                      std::uint64_t count) {
  std::uint64_t flow = identity;
  for (const std::uint64_t part : {both(from, to), static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)), count})
    flow = mixed(flow ^ mixed(part + 0x9e3779b97f4a7c15U));
  return flow;
}

/// Null: its processes are unknown, or of another job.
const Object* Flows::known(std::uint32_t object) const {
  const Object* const its = file_.definitions().objects.find(object);
  return its != nullptr && its->members_known ? its : nullptr;
}

FlowEnd Flows::end_of(std::uint32_t thread, std::int64_t ns, const Message& message, std::uint64_t mark) const {
  FlowEnd end;
  end.partner = known(message.object)->world_rank(message.peer);
  end.thread = thread;
  end.ns = ns;
  end.bytes = message.bytes;
  end.tag = message.tag;
  end.mark = mark;
  return end;
}

namespace {

/// Else it is what has been asked for before.
bool asks(const Message& message) {
  const bool is_first = message.what == Transfer::receive && message.request == 0;
  return is_first || message.what == Transfer::begin_receive || message.what == Transfer::found;
}

}  // namespace

void Flows::take(std::uint32_t thread, std::int64_t ns, const Message& message, std::uint64_t mark) {
  const Object* const object = known(message.object);
  if (object == nullptr || is_lost_ || !file_.process().choice.empty()) return;  // ends cannot be counted
  const std::uint64_t space = message.is_partitioned ? mixed(object->identity) : object->identity;
  Receives& asked = asked_[space];
  const Key key{space, message.peer, message.tag};
  if (asked.is_lost && asks(message)) return;
  switch (message.what) {
    case Transfer::hidden_receive:
      asked.is_lost = true;
      return;
    case Transfer::send:
    case Transfer::begin_send: {
      FlowEnd end = end_of(thread, ns, message, mark);
      end.is_sender = true;
      return tell(key, count(key, true), end);
    }
    case Transfer::receive:
      if (message.request != 0) return receive(message.request, key, end_of(thread, ns, message, mark));
      return come(asked.all.insert(asked.all.end(), Receive{}), key, end_of(thread, ns, message, mark));
    case Transfer::found:
      if (message.request == 0) return;
      by_request_[message.request] = ask(asked, key, message.request);
      return come(by_request_[message.request], key, {});
    case Transfer::begin_receive:
      if (numbered_.contains(message.request)) return;
      if (const auto [place, is_new] = by_request_.try_emplace(message.request); is_new)
        place->second = ask(asked, key, message.request);
      return;
    case Transfer::end_receive:
      return receive(message.request, key, end_of(thread, ns, message, mark));
    case Transfer::no_receive:
      numbered_.erase(message.request);
      if (const auto found = by_request_.find(message.request);
          found != by_request_.end() && !found->second->has_come) {
        close(asked, found->second);
        asked.all.erase(found->second);
        by_request_.erase(found);
        settle_later(asked);
      }
      return;
    default:
      return;
  }
}

bool Flows::is_possible(const Receive& earlier, const Key& key) const {
  if (earlier.has_come) return earlier.key == key;
  const auto [of, source, tag] = earlier.key;
  return file_.process().may_be({source, tag}, {std::get<1>(key), std::get<2>(key)});
}

namespace {

std::uint64_t asked_for(std::int32_t source, std::int32_t tag) { return mixed(both(source, tag)); }

}  // namespace

Flows::Place Flows::ask(Receives& asked, const Key& key, std::uint64_t request) {
  ++asked.open[asked_for(std::get<1>(key), std::get<2>(key))];
  return asked.all.insert(asked.all.end(), Receive{key, request, true, false, {}});
}

/// With the key that was asked for.
void Flows::close(Receives& asked, Place receive) const {
  if (!receive->is_open) return;
  receive->is_open = false;
  --asked.open[asked_for(std::get<1>(receive->key), std::get<2>(receive->key))];
}

/// No other receive of those that are open can be for such a message, earlier or later; so none has to be looked for.
bool Flows::is_alone(const Receives& asked, const Key& key) const {
  const auto [of, source, tag] = key;
  const Process& process = file_.process();
  for (const std::int32_t from : {source, process.any_source})
    for (const std::int32_t with : {tag, process.any_tag})
      if (const auto found = asked.open.find(asked_for(from, with)); found != asked.open.end() && found->second != 0)
        return false;
  return true;
}

/// It has its number once no earlier receive can be for a message of the same kind.
bool Flows::settle(Receives& asked, Place receive) {
  const bool is_only_one = waiting_ == 1 && is_alone(asked, receive->key);
  for (auto earlier = is_only_one ? receive : asked.all.begin(); earlier != receive; ++earlier)
    if (is_possible(*earlier, receive->key)) return false;
  const std::uint64_t number = count(receive->key, false);
  if (receive->end) tell(receive->key, number, *receive->end);
  else numbered_[receive->request] = {receive->key, number};
  --waiting_;
  by_request_.erase(receive->request);
  asked.all.erase(receive);
  return true;
}

/// What a request has asked for, or what was found before.
void Flows::receive(std::uint64_t request, const Key& key, const FlowEnd& end) {
  if (const auto known = numbered_.extract(request)) return tell(known.mapped().key, known.mapped().count, end);
  const auto asked = by_request_.find(request);
  if (asked == by_request_.end()) return;
  if (asked->second->has_come) asked->second->end = end;
  else come(asked->second, key, end);
}

void Flows::come(Place receive, const Key& key, std::optional<FlowEnd> end) {
  Receives& asked = asked_[std::get<0>(key)];
  close(asked, receive);
  receive->key = key;
  receive->end = end;
  receive->has_come = true;
  ++waiting_;
  if (settle(asked, receive)) settle_later(asked);
}

void Flows::settle_later(Receives& asked) {
  for (auto receive = asked.all.begin(); waiting_ != 0 && receive != asked.all.end();) {
    const auto next = std::next(receive);
    if (receive->has_come) settle(asked, receive);
    receive = next;
  }
}

void Flows::tell(const Key& key, std::uint64_t count, FlowEnd end) {
  if (end.partner < 0) return;
  const std::int32_t own = file_.process().rank;
  const std::int32_t from = end.is_sender ? own : end.partner;
  end.flow = flow_of(std::get<0>(key), from, end.is_sender ? end.partner : own, std::get<2>(key), count);
  found_(end);
}

}  // namespace cairn::trace
