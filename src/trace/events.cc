// SPDX-License-Identifier: BSD-3-Clause
// events.cc - following calls, what is within them, and requests from their beginning to their completion

#include "trace/events.hpp"

#include <algorithm>

namespace cairn::trace {

namespace {

bool has(const Record& record, page::Flag flag) { return (record.flags & flag) != 0; }

std::optional<std::uint64_t> transferred(const Record& detail) {
  if (!has(detail, page::has_count)) return {};
  return detail.count;
}

}  // namespace

page::Kind Player::kind_of(const Record& call) const {
  const Function* const function = file_.function(call);
  return function == nullptr ? page::Kind::other : function->kind;
}
bool Player::is_access(const Record& call) const {
  const Object* const object = file_.object(call);
  return object != nullptr && object->what != page::Object::communicator;
}

Player::Thread& Player::of(std::uint32_t thread) {
  if (threads_.size() <= thread) threads_.resize(thread + 1);
  return threads_[thread];
}

std::int64_t Player::moment(Thread& thread, std::uint64_t ticks) {
  return thread.last_ns = std::max(thread.last_ns, file_.nanoseconds(ticks));
}

bool Player::step() {
  const Record* const record = records_.now();
  if (record == nullptr || is_over(*record)) {
    for (std::uint32_t thread = 0; thread < threads_.size(); ++thread)
      while (!threads_[thread].open.empty()) close(thread, threads_[thread].open.back().call);
    return false;
  }
  note_gap(records_.thread(), records_.number());
  if (is_detail(*record)) take_detail(records_.thread(), *record);
  else take_call(records_.thread(), records_.number(), *record);
  records_.step();
  return true;
}

bool Player::is_over(const Record& record) const {
  return until_ != INT64_MAX && !is_detail(record) && file_.nanoseconds(record.entry) >= until_;
}

/// Without what comes next: that may be of the last call, its messages, or calls within it.
std::int64_t Player::known_until(const Thread& thread) const {
  if (thread.open.empty()) return thread.last_ns;
  const Record& call = thread.open.front().call;
  const page::Kind kind = kind_of(call);
  const bool has_details = kind != page::Kind::send && kind != page::Kind::begin && kind != page::Kind::collective;
  return file_.nanoseconds(has_details || thread.open.size() > 1 || call.exit == 0 ? call.entry : call.exit);
}

void Player::note_gap(std::uint32_t thread, std::uint64_t number) {
  Thread& its = of(thread);
  if (number > its.number + 1) sink_.gap(thread, known_until(its), number - its.number - 1);
  its.number = number;
}

/// Calls that are over when the next one begins were not around it, and neither were tests that are made again later.
void Player::close_before(std::uint32_t thread, std::uint64_t ticks) {
  const Thread& its = of(thread);
  const auto is_closed = [ticks](const Record& call) {
    return call.exit != 0 && (call.exit <= ticks || has(call, page::in_vain));
  };
  while (!its.open.empty() && is_closed(its.open.back().call)) close(thread, its.open.back().call, ticks);
}

void Player::take_call(std::uint32_t thread, std::uint64_t number, const Record& call) {
  close_before(thread, call.entry);
  Thread& its = of(thread);
  its.open.push_back({call, number});
  const std::int64_t ns = moment(its, call.entry);
  sink_.enter(thread, ns, call);
  if (has(call, page::failed)) return;
  tell_begin(thread, ns, call);
  if (has(call, page::in_vain)) tell_test(thread, ns, call);
}

/// Of calls that ask for several, a record has the first one only.
void Player::tell_test(std::uint32_t thread, std::int64_t ns, const Record& call) {
  const Function* const function = file_.function(call);
  const auto asked = active_.find(call.other);
  if (function == nullptr || function->name != "MPI_Test" || asked == active_.end() || asked->second.empty()) return;
  const Request& request = asked->second.front();
  if (request.call.number != 0 || has(request.call, page::has_peer)) sink_.tested(thread, ns, request.number);
}

void Player::close(std::uint32_t thread, const Record& call, std::uint64_t until) {
  Thread& its = of(thread);
  const Record closed = call;
  its.open.pop_back();
  sink_.leave(thread, moment(its, std::min(closed.exit, until)), closed);
}

void Player::tell_begin(std::uint32_t thread, std::int64_t ns, const Record& call) {
  const page::Kind kind = kind_of(call);
  if (kind == page::Kind::other && file_.is(call, cancels)) may_be_cancelled_ = true;
  if (kind == page::Kind::begin && has(call, page::nonblocking) && call.other != 0) {
    if (file_.is(call, is_to_be_started))
      persistent_[call.other] = {.call = call, .number = 0, .is_partitioned = file_.is(call, is_partitioned)};
    else start(thread, ns, {call, 0});
  }
  if ((kind == page::Kind::send || kind == page::Kind::exchange) && !file_.is_with_nobody(call))
    sink_.message(thread, ns, {Transfer::send, call.object, call.peer, call.tag, file_.bytes(call), 0, &call});
}

void Player::start(std::uint32_t thread, std::int64_t ns, Request request) {
  const std::uint64_t number = request.number = ++requests_;
  std::deque<Request>& same = active_[request.call.other];
  same.push_back(request);
  const Record& call = same.back().call;
  if (is_access(call)) sink_.access(thread, ns, {.request = number, .call = &call});
  const Transfer what = call.number != 0           ? Transfer::begin_together
                        : file_.is(call, receives) ? Transfer::begin_receive
                                                   : Transfer::begin_send;
  const bool is_transfer = call.number != 0 || (has(call, page::has_peer) && !is_access(call));
  if (is_transfer && !file_.is_with_nobody(call))
    sink_.message(thread, ns,
                  {what, call.object, call.peer, call.tag, file_.bytes(call), number, &call, request.start,
                   request.is_partitioned});
  if (file_.is(call, begins_exchange))
    sink_.message(thread, ns, {Transfer::hidden_receive, call.object, 0, 0, 0, 0, &call});
}

/// Its call is open, but for what was within it.
void Player::take_detail(std::uint32_t thread, const Record& detail) {
  if (detail.function == page::region_changed) {
    close_before(thread, detail.other);
    return sink_.region(thread, moment(of(thread), detail.other), detail);
  }
  Thread& its = of(thread);
  if (detail.function == page::thread_begun) {
    while (!its.open.empty()) close(thread, its.open.back().call);
    return sink_.thread_begun(thread, detail);
  }
  while (!its.open.empty() && its.open.back().number > detail.entry) close(thread, its.open.back().call);
  if (its.open.empty() || its.open.back().number != detail.entry) return;  // the call is lost
  const Record call = its.open.back().call;
  const std::int64_t ns = moment(its, call.exit);
  switch (detail.function) {
    case page::message_found:
      return found(thread, ns, call, detail);
    case page::message_taken:
      return taken(thread, ns, call, detail);
    case page::partition_ready:
      return ready(thread, ns, detail);
    case page::message_received:
      return received(thread, ns, call, detail);
    case page::request_started:
      if (const auto made = persistent_.find(detail.other); made != persistent_.end()) {
        start(thread, ns, made->second);
        ++made->second.start;
      }
      return;
    case page::request_freed:
      return freed(thread, ns, detail);
    case page::partner:
    case page::neighbor:
      return sink_.partner(thread, call, detail);
    case page::moved:
      return moved(thread, call, detail);
    case page::object_made:
      return sink_.made(thread, call, detail);
    case page::request_completed:
      return complete(thread, ns, detail);
    default:
      return;
  }
}

void Player::received(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail) {
  if (is_access(call)) sink_.access(thread, ns, {.call = &call, .is_over = true, .bytes = transferred(detail)});
  if (call.object == 0 || file_.is_with_nobody(detail) || !has(detail, page::has_peer)) return;
  sink_.message(thread, ns, {Transfer::receive, call.object, detail.peer, detail.tag, file_.bytes(detail), 0, &call});
}

void Player::found(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail) {
  if (file_.is_with_nobody(detail)) return;
  Message message{Transfer::found, call.object, detail.peer, detail.tag, file_.bytes(detail), 0, &call};
  if (detail.other != 0) {
    message.request = ++requests_;
    found_[detail.other].push_back(message);
  }
  sink_.message(thread, ns, message);
}

/// By the call itself, or by the request that it has made, which is one for that message from then on.
void Player::taken(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail) {
  const auto place = found_.find(detail.other);
  if (place == found_.end()) return;
  Message message = place->second.front();
  place->second.pop_front();
  if (place->second.empty()) found_.erase(place);
  const bool is_begun = has(call, page::nonblocking);
  const auto made = is_begun ? active_.find(call.other) : active_.end();
  if (made != active_.end() && !made->second.empty()) {
    Request& request = made->second.back();
    request.number = message.request;
    request.call.object = message.object;
    request.call.peer = message.peer;
    request.call.tag = message.tag;
    request.call.flags |= page::has_peer | page::has_tag;
  }
  message.what = is_begun ? Transfer::begin_receive : Transfer::receive;
  message.call = &call;
  sink_.message(thread, ns, message);
}

void Player::ready(std::uint32_t thread, std::int64_t ns, const Record& detail) {
  const auto place = active_.find(detail.other);
  if (place == active_.end() || place->second.empty()) return;
  const Request& request = place->second.back();
  const Record& call = request.call;
  sink_.message(thread, ns,
                {Transfer::ready, call.object, call.peer, call.tag, file_.bytes(call), request.number, &call});
}

/// By the call itself, or by the request that it has made.
void Player::moved(std::uint32_t thread, const Record& call, const Record& detail) {
  const Moved bytes{detail.count, detail.other};
  if (const auto made = persistent_.find(call.other); file_.is(call, is_to_be_started) && made != persistent_.end()) {
    made->second.moved = bytes;
  } else if (const auto active = active_.find(call.other); has(call, page::nonblocking) && active != active_.end()) {
    active->second.back().moved = bytes;
  }
  sink_.moved(thread, call, bytes);
}

/// A receive that has been cancelled takes no message; another one takes one that nobody hears of.
void Player::freed(std::uint32_t thread, std::int64_t ns, const Record& detail) {
  persistent_.erase(detail.other);
  const auto place = active_.find(detail.other);
  if (place == active_.end()) return;
  for (const Request& request : place->second) {
    const Record& call = request.call;
    if (!file_.is(call, receives) || file_.is_with_nobody(call)) continue;
    Message message{Transfer::no_receive, call.object, call.peer, call.tag, 0, request.number, &call};
    message.is_partitioned = request.is_partitioned;
    sink_.message(thread, ns, message);
    if (!may_be_cancelled_) sink_.message(thread, ns, {Transfer::hidden_receive, call.object, 0, 0, 0, 0, &call});
  }
  active_.erase(place);
}

void Player::complete(std::uint32_t thread, std::int64_t ns, const Record& detail) {
  const auto place = active_.find(detail.other);
  if (place == active_.end() || place->second.empty()) return;
  const Request request = place->second.front();
  place->second.pop_front();
  if (place->second.empty()) active_.erase(place);
  const Record& call = request.call;
  if (is_access(call))
    sink_.access(thread, ns, {.request = request.number, .call = &call, .is_over = true, .bytes = transferred(detail)});
  if (file_.is_with_nobody(call)) return;
  Message message{Transfer::end_send, call.object, call.peer, call.tag, file_.bytes(call), request.number, &call};
  message.start = request.start;
  message.is_partitioned = request.is_partitioned;
  message.moved = request.moved;
  message.is_cancelled = has(detail, page::failed);
  if (call.number != 0) message.what = Transfer::end_together;
  else if (!has(call, page::has_peer) || is_access(call)) return;
  if (file_.is(call, receives)) {
    message.what = Transfer::end_receive;
    if (has(detail, page::has_peer)) {
      message.peer = detail.peer;
      message.tag = detail.tag;
      message.bytes = file_.bytes(detail);
    }
    if (message.peer < 0 || message.tag < 0 || has(detail, page::failed)) message.what = Transfer::no_receive;
  }
  sink_.message(thread, ns, message);
}

}  // namespace cairn::trace
