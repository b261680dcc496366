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
#include "waits/one_sided.hpp"
#include "waits/samples.hpp"
#include "waits/spells.hpp"

namespace cairn::waits {

namespace {

using trace::Message;
using trace::Record;
using trace::Transfer;

class Reducer : public trace::EventSink {
 public:
  Reducer(const trace::File& file, const RegionNames& regions, std::size_t most_calls, RankRecords& records)
      : file_(file),
        regions_(regions),
        most_calls_(most_calls),
        records_(records),
        one_sided_(records),
        flows_(file, [this](const trace::FlowEnd& end) { records_.messages[end.mark].flow = end.flow; }) {
    records_.comms.emplace_back();
    records_.regions.emplace_back();
  }

  void enter(std::uint32_t thread, std::int64_t ns, const Record& call) override {
    Thread& its = of(thread);
    if (++its.depth != 1) return;
    its.is_left_out = (call.flags & page::in_vain) != 0;
    if (its.is_left_out) {
      its.spells.test_begins(ns);
      return note_polling(its, ns, call);
    }
    if (places_.size() >= most_calls_) return omit(its, ns);
    take_polling(its, ns, call);
    its.now = number_of(thread, its.calls.size());
    const Index before = its.spells.call_begins(ns, [&](Index region, std::int64_t spent) {
      records_.spells.push_back({its.now, region, spent});
    });
    its.calls.push_back({ns, ns, site_of(call), its.spells.now(), before});
    if ((call.flags & page::failed) == 0 && is_of_window(call))
      one_sided_.call(name_of(call), call, comm_of(call.object), its.now);
    if (call.number != 0 && (call.flags & page::nonblocking) == 0) join(its, call, call.number, its.now);
  }

  void leave(std::uint32_t thread, std::int64_t ns, const Record& /*call*/) override {
    Thread& its = of(thread);
    if (--its.depth != 0) return;
    its.spells.call_ends(ns);
    if (!its.is_left_out) its.calls.back().exit = ns;
  }

  void partner(std::uint32_t thread, const Record& call, const Record& detail) override {
    const Thread& its = of(thread);
    if (detail.function == page::neighbor) {
      if (const Index comm = comm_of(detail.object); comm != 0) records_.comms[comm].sources.push_back(detail.peer);
    } else if (!its.is_left_out && its.depth == 1) {
      one_sided_.partner(name_of(call), detail.peer, comm_of(call.object), its.now);
    }
  }

  void region(std::uint32_t thread, std::int64_t ns, const Record& detail) override {
    if (detail.tag != regions_.layer) return;
    const auto number = static_cast<std::uint32_t>(detail.count);
    const auto [place, is_new] = region_places_.try_emplace(number, 0);
    if (is_new) place->second = place_of_region(regions_.path(number));
    of(thread).spells.change(ns, place->second);
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
  /// `is_cut`: records are missing after the last one.
  void finish(bool is_cut) {
    std::int64_t last = INT64_MIN;  // the limit is the process's: of a thread that was quiet then, nothing is missing
    for (const Thread& thread : threads_)
      if (!thread.calls.empty()) last = std::max(last, thread.calls.back().exit);
    if (is_cut && last != INT64_MIN) records_.until = std::min(records_.until, last);
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
    for (Lock& lock : records_.locks) renumber(lock.begin), renumber(lock.end), renumber(lock.had);
    for (Spell& spell : records_.spells) renumber(spell.call);
    std::ranges::stable_sort(records_.spells, {}, &Spell::call);
  }

 private:
  struct Thread {
    std::vector<Call> calls;
    RegionSpells spells;
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

  std::string name_of(const Record& call) const {
    const trace::Function* const function = file_.function(call);
    return function == nullptr ? std::string() : function->name;
  }
  bool is_of_window(const Record& call) const {
    const trace::Object* const object = file_.object(call);
    return object != nullptr && object->what == page::Object::window;
  }
  Index place_of_region(const std::string& path) {
    const auto place = static_cast<Index>(std::ranges::find(records_.regions, path) - records_.regions.begin());
    if (place == records_.regions.size()) records_.regions.push_back(path);
    return place;
  }

  void omit(Thread& its, std::int64_t ns) {
    its.is_left_out = true;
    ++records_.omitted;
    records_.until = std::min(records_.until, ns);
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
    site.function = name_of(call);
    locate(file_, call.site - 1, site);  // within the call, not after it
    return place->second;
  }

  Index comm_of(std::uint32_t object) {
    const auto [place, is_new] = comms_.try_emplace(object, static_cast<Index>(records_.comms.size()));
    if (!is_new) return place->second;
    const trace::Object* const known =
        object != 0 && object < file_.definitions().objects.size() ? &file_.definitions().objects[object] : nullptr;
    if (known == nullptr) return place->second = 0;
    records_.comms.push_back({known->identity, known->name, known->size + known->remote_size, {}});
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
  const RegionNames& regions_;
  std::size_t most_calls_;
  RankRecords& records_;
  OneSided one_sided_;
  trace::Flows flows_;
  std::vector<Thread> threads_;
  std::vector<std::pair<std::uint32_t, Index>> places_;  // of calls: thread, and place there
  std::unordered_map<std::uint64_t, Request> requests_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, Index> sites_;
  std::map<std::uint32_t, Index> comms_;
  std::map<std::uint32_t, Index> region_places_;  // by their numbers
};

}  // namespace

RankRecords reduce(const trace::File& file, const RegionNames& regions, std::size_t most_calls) {
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
  Reducer reducer(file, regions, most_calls, records);
  const bool is_cut = records.omitted != 0;
  trace::Player(file, reducer).play();
  reducer.finish(is_cut);
  return records;
}

}  // namespace cairn::waits
