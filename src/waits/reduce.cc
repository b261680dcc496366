// SPDX-License-Identifier: BSD-3-Clause
// reduce.cc - following a trace's calls, messages and collective operations

#include "waits/reduce.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "trace/events.hpp"
#include "trace/flows.hpp"

namespace cairn::waits {

namespace {

using trace::Message;
using trace::Record;
using trace::Transfer;

class Reducer : public trace::EventSink {
 public:
  Reducer(const trace::File& file, RankRecords& records)
      : file_(file),
        records_(records),
        flows_(file, [this](const trace::FlowEnd& end) { records_.messages[end.mark].flow = end.flow; }) {
    records_.comms.emplace_back();
    records_.regions.emplace_back();
  }

  void enter(std::uint32_t thread, std::int64_t ns, const Record& call) override {
    Thread& its = of(thread);
    if (++its.depth != 1) return;
    its.is_left_out = (call.flags & page::in_vain) != 0;
    if (its.is_left_out) return note_polling(its, ns, call);
    take_polling(its, ns, call);
    its.calls.push_back({ns, ns, site_of(call)});
    its.now = number_of(thread, its.calls.size() - 1);
    if (call.number != 0 && (call.flags & page::nonblocking) == 0) join(its, call, call.number, its.now);
  }

  void leave(std::uint32_t thread, std::int64_t ns, const Record& /*call*/) override {
    Thread& its = of(thread);
    if (--its.depth == 0 && !its.is_left_out) its.calls.back().exit = ns;
  }

  void message(std::uint32_t thread, std::int64_t ns, const Message& message) override {
    const Thread& its = of(thread);
    if (its.is_left_out || its.calls.empty()) return;
    const Index now = its.now;
    switch (message.what) {
      case Transfer::send:
        return add(thread, ns, message, {.begin = now, .end = now, .is_sender = true});
      case Transfer::begin_send:
        requests_[message.request] = {records_.messages.size(), now};
        return add(thread, ns, message, {.begin = now, .end = none, .is_sender = true});
      case Transfer::receive:
        return add(thread, ns, message, {.begin = now, .end = now});
      case Transfer::begin_receive:
        requests_[message.request] = {0, now};
        return flows_.take(thread, ns, message);
      case Transfer::begin_together:
        if (join(its, *message.call, message.call->number, none))
          requests_[message.request] = {records_.together.size() - 1, now};
        return;
      default:
        return complete(thread, ns, message, now);
    }
  }

  /// Threads one after the other, and what they have begun and ended by its number there.
  void finish() {
    std::vector<Index> first;
    for (Thread& thread : threads_) {
      first.push_back(static_cast<Index>(records_.calls.size()));
      records_.threads.push_back({first.back(), static_cast<Index>(thread.calls.size())});
      records_.calls.insert(records_.calls.end(), thread.calls.begin(), thread.calls.end());
    }
    const auto renumber = [&](Index& call) {
      if (call != none) call = first[places_[call].first] + places_[call].second;
    };
    for (MessageEnd& end : records_.messages) renumber(end.begin), renumber(end.end);
    for (Together& part : records_.together) renumber(part.begin), renumber(part.end);
  }

 private:
  struct Thread {
    std::vector<Call> calls;
    unsigned depth = 0;
    bool is_left_out = false;  // the call under way
    Index now = none;
    std::int64_t polls_since = 0;  // a test that has found nothing; 0: the last call was none
    std::uint64_t polled = 0;      // its request
  };
  struct Request {
    std::size_t place = 0;  // in messages or together
    Index begin = none;
  };

  Thread& of(std::uint32_t thread) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    return threads_[thread];
  }
  /// Until all are known, calls are numbered as they come.
  Index number_of(std::uint32_t thread, std::size_t place) {
    places_.emplace_back(thread, static_cast<Index>(place));
    return static_cast<Index>(places_.size() - 1);
  }

  /// A series of tests that does nothing in between is a wait.
  void note_polling(Thread& its, std::int64_t ns, const Record& call) {
    const bool does_nothing_else = 2 * call.count < call.exit - call.entry;
    its.polls_since = does_nothing_else ? ns : 0;
    its.polled = call.other;
  }
  static void take_polling(Thread& its, std::int64_t& ns, const Record& call) {
    if (its.polls_since != 0 && its.polled == call.other && call.other != 0) ns = its.polls_since;
    its.polls_since = 0;
  }

  Index site_of(const Record& call) {
    const auto [place, is_new] =
        sites_.try_emplace({call.site, call.function}, static_cast<Index>(records_.sites.size()));
    if (!is_new) return place->second;
    Site& site = records_.sites.emplace_back();
    if (const trace::Function* const function = file_.function(call)) site.function = function->name;
    site.offset = call.site - 1;  // within the call, not after it
    for (const trace::Mapped& mapped : file_.definitions().mapped)
      if (call.site > mapped.begin && call.site <= mapped.end) {
        site.object = mapped.path;
        site.offset = call.site - 1 - mapped.bias;
      }
    return place->second;
  }

  Index comm_of(std::uint32_t object) {
    const auto [place, is_new] = comms_.try_emplace(object, static_cast<Index>(records_.comms.size()));
    if (!is_new) return place->second;
    const trace::Object* const known =
        object != 0 && object < file_.definitions().objects.size() ? &file_.definitions().objects[object] : nullptr;
    if (known == nullptr) return place->second = 0;
    records_.comms.push_back({known->identity, known->name, known->size + known->remote_size});
    return place->second;
  }

  void add(std::uint32_t thread, std::int64_t ns, const Message& message, MessageEnd end) {
    end.bytes = message.bytes;
    end.comm = comm_of(message.object);
    records_.messages.push_back(end);
    flows_.take(thread, ns, message, records_.messages.size() - 1);
  }

  /// `end`: none until its request is complete.
  bool join(const Thread& its, const Record& call, std::uint32_t number, Index end) {
    const trace::Object* const object = file_.object(call);
    Together part{comm_of(call.object), number, -1, its.now, end};
    if (part.comm == 0) return false;
    const auto root = static_cast<std::size_t>(call.peer);
    if ((call.flags & page::has_root) != 0 && call.peer >= 0 && object->members_known && object->remote_size == 0)
      part.root = object->members.empty() ? call.peer : root < object->members.size() ? object->members[root] : -1;
    records_.together.push_back(part);
    return true;
  }

  void complete(std::uint32_t thread, std::int64_t ns, const Message& message, Index now) {
    const auto found = requests_.find(message.request);
    if (found == requests_.end()) return;
    const Request request = found->second;
    requests_.erase(found);
    if (message.what == Transfer::end_send) records_.messages[request.place].end = now;
    if (message.what == Transfer::end_receive) add(thread, ns, message, {.begin = request.begin, .end = now});
    if (message.what == Transfer::no_receive) flows_.take(thread, ns, message);
    if (message.what == Transfer::end_together) records_.together[request.place].end = now;
  }

  const trace::File& file_;
  RankRecords& records_;
  trace::Flows flows_;
  std::vector<Thread> threads_;
  std::vector<std::pair<std::uint32_t, Index>> places_;  // of calls: thread, and place there
  std::unordered_map<std::uint64_t, Request> requests_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, Index> sites_;
  std::map<std::uint32_t, Index> comms_;
};

}  // namespace

RankRecords reduce(const trace::File& file) {
  RankRecords records;
  const trace::Process& process = file.process();
  records.rank = process.rank;
  records.size = process.size;
  records.node = process.boot.empty() ? process.host : process.boot;
  records.shift_ns = static_cast<std::int64_t>(file.first_moment().real_ns - file.first_moment().monotonic_ns);
  if (const trace::End* const end = file.end()) {
    records.end = end->how;
    records.lost = end->lost;
    records.omitted = end->omitted;
    records.left_out = end->left_out;
  } else {
    records.end = "no end";
  }
  Reducer reducer(file, records);
  trace::Player(file, reducer).play();
  reducer.finish();
  return records;
}

}  // namespace cairn::waits
