// SPDX-License-Identifier: BSD-3-Clause
// events.cc - following calls, what is within them, and requests from their beginning to their completion

#include "trace/events.hpp"

#include <algorithm>

namespace cairn::trace {

namespace {

bool has(const Record& record, page::Flag flag) { return (record.flags & flag) != 0; }

}  // namespace

page::Kind Player::kind_of(const Record& call) const {
  const Function* const function = file_.function(call);
  return function == nullptr ? page::Kind::other : function->kind;
}
bool Player::is_receive(const Record& call) const {
  const Function* const function = file_.function(call);
  return function != nullptr && receives(*function);
}
/// MPI_Send_init and the like.
bool Player::is_to_be_started(const Record& call) const {
  const Function* const function = file_.function(call);
  return function != nullptr && function->name.ends_with("_init");
}

Player::Thread& Player::of(std::uint32_t thread) {
  if (threads_.size() <= thread) threads_.resize(thread + 1);
  return threads_[thread];
}

std::int64_t Player::moment(Thread& thread, std::uint64_t ticks) {
  return thread.last_ns = std::max(thread.last_ns, file_.nanoseconds(ticks));
}

std::string Player::play() {
  Records records(file_);
  for (; const Record* record = records.now(); records.step()) {
    if (is_detail(*record)) take_detail(records.thread(), *record);
    else take_call(records.thread(), records.number(), *record);
  }
  for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
    while (!threads_[thread].open.empty()) close(thread, threads_[thread].open.back().call);
  return records.damage();
}

/// Calls that are over when the next one begins were not around it.
void Player::close_before(std::uint32_t thread, std::uint64_t ticks) {
  const Thread& its = of(thread);
  while (!its.open.empty() && its.open.back().call.exit != 0 && its.open.back().call.exit <= ticks)
    close(thread, its.open.back().call);
}

void Player::take_call(std::uint32_t thread, std::uint64_t number, const Record& call) {
  close_before(thread, call.entry);
  Thread& its = of(thread);
  its.open.push_back({call, number});
  const std::int64_t ns = moment(its, call.entry);
  sink_.enter(thread, ns, call);
  if (!has(call, page::failed)) tell_begin(thread, ns, call);
}

void Player::close(std::uint32_t thread, const Record& call) {
  Thread& its = of(thread);
  const Record closed = call;
  its.open.pop_back();
  sink_.leave(thread, moment(its, closed.exit), closed);
}

void Player::tell_begin(std::uint32_t thread, std::int64_t ns, const Record& call) {
  const page::Kind kind = kind_of(call);
  if (kind == page::Kind::begin && has(call, page::nonblocking) && call.other != 0) {
    if (is_to_be_started(call)) persistent_[call.other] = call;
    else start(thread, ns, call, call.other);
  }
  if ((kind == page::Kind::send || kind == page::Kind::exchange) && !file_.is_with_nobody(call))
    sink_.message(thread, ns, {Transfer::send, call.object, call.peer, call.tag, file_.bytes(call), 0, &call});
}

void Player::start(std::uint32_t thread, std::int64_t ns, const Record& call, std::uint64_t handle) {
  const std::uint64_t number = ++requests_;
  active_[handle].push_back({call, number});
  const Transfer what = call.number != 0   ? Transfer::begin_together
                        : is_receive(call) ? Transfer::begin_receive
                                           : Transfer::begin_send;
  const bool is_transfer = call.number != 0 || has(call, page::has_peer);
  if (is_transfer && !file_.is_with_nobody(call))
    sink_.message(thread, ns, {what, call.object, call.peer, call.tag, file_.bytes(call), number, &call});
}

/// Its call is open, but for what was within it.
void Player::take_detail(std::uint32_t thread, const Record& detail) {
  if (detail.function == page::region_changed) {
    close_before(thread, detail.other);
    return sink_.region(thread, file_.nanoseconds(detail.other), detail);
  }
  Thread& its = of(thread);
  while (!its.open.empty() && its.open.back().number > detail.entry) close(thread, its.open.back().call);
  if (its.open.empty() || its.open.back().number != detail.entry) return;  // the call is lost
  const Record call = its.open.back().call;
  const std::int64_t ns = moment(its, call.exit);
  switch (detail.function) {
    case page::message_received:
      return received(thread, ns, call, detail);
    case page::request_started:
      if (const auto made = persistent_.find(detail.other); made != persistent_.end())
        start(thread, ns, made->second, detail.other);
      return;
    case page::request_freed:
      return freed(thread, ns, detail);
    case page::partner:
    case page::neighbor:
      return sink_.partner(thread, call, detail);
    default:
      return complete(thread, ns, detail);
  }
}

void Player::received(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail) {
  if (call.object == 0 || file_.is_with_nobody(detail) || !has(detail, page::has_peer)) return;
  sink_.message(thread, ns, {Transfer::receive, call.object, detail.peer, detail.tag, file_.bytes(detail), 0, &call});
}

void Player::freed(std::uint32_t thread, std::int64_t ns, const Record& detail) {
  persistent_.erase(detail.other);
  const auto place = active_.find(detail.other);
  if (place == active_.end()) return;
  for (const auto& [call, number] : place->second)
    if (is_receive(call) && !file_.is_with_nobody(call))
      sink_.message(thread, ns, {Transfer::no_receive, call.object, call.peer, call.tag, 0, number, &call});
  active_.erase(place);
}

void Player::complete(std::uint32_t thread, std::int64_t ns, const Record& detail) {
  const auto place = active_.find(detail.other);
  if (place == active_.end() || place->second.empty()) return;
  const Request request = place->second.front();
  place->second.pop_front();
  if (place->second.empty()) active_.erase(place);
  const Record& call = request.call;
  if (file_.is_with_nobody(call)) return;
  Message message{Transfer::end_send, call.object, call.peer, call.tag, file_.bytes(call), request.number, &call};
  if (call.number != 0) message.what = Transfer::end_together;
  else if (!has(call, page::has_peer)) return;
  if (is_receive(call)) {
    message.what = Transfer::end_receive;
    if (has(detail, page::has_peer)) {
      message.peer = detail.peer;
      message.tag = detail.tag;
      message.bytes = file_.bytes(detail);
    }
    if (message.peer < 0 || message.tag < 0) message.what = Transfer::no_receive;
  }
  sink_.message(thread, ns, message);
}

}  // namespace cairn::trace
