// SPDX-License-Identifier: BSD-3-Clause
// reducer.hpp - following a trace's calls, messages and collective operations
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/events.hpp"
#include "trace/flows.hpp"
#include "waits/found_messages.hpp"
#include "waits/graph.hpp"
#include "waits/losses.hpp"
#include "waits/one_sided.hpp"
#include "waits/polling.hpp"
#include "waits/reduce.hpp"
#include "waits/samples.hpp"
#include "waits/section.hpp"
#include "waits/spells.hpp"

namespace cairn::waits {

using trace::Message;
using trace::Record;
using trace::Transfer;

class Reducer : public trace::EventSink {
 public:
  Reducer(const trace::File& file, RegionNames regions)
      : file_(file),
        regions_(std::move(regions)),
        one_sided_(records_),
        flows_(file, [this](const trace::FlowEnd& end) { set_flow(end.mark, end.flow); }) {
    records_.comms.emplace_back();
    records_.regions.emplace_back();
  }

  RankRecords& records() { return records_; }
  std::size_t size() const { return gathered_.size(); }
  /// Calls from then on are counted only.
  void end_at(std::int64_t ns) { end_ = ns; }

  void enter(std::uint32_t place, std::int64_t ns, const Record& call) override {
    const std::uint32_t thread = thread_at(place);
    Thread& its = of(thread);
    if (++its.depth != 1) return;
    its.is_left_out = (call.flags & page::in_vain) != 0;
    its.is_between_work = Polling::is_between_work(file_, call);
    if (its.is_left_out) {
      if (!its.is_between_work) its.spells.test_begins(ns);
      return its.polling.ask(file_, ns, call, its.is_between_work);
    }
    const std::int64_t since = its.polling.start_of(file_, ns, call);
    if (ns >= end_) return leave_out(its);
    ++entered_;
    ns = its.is_between_work ? start_of_last(call) : since;
    begin_call(thread, ns, site_of(call));
    if ((call.flags & page::failed) == 0 && is_of_window(call))
      one_sided_.call(name_of(call), call, comm_of(call.object), target_of(call), its.now);
    const bool needs_unknown = is_together(call) ? call.number == 0 || !join(its, call, call.number, its.now)
                                                 : asks_on_unknown_communicator(call);
    if (needs_unknown && (call.flags & page::failed) == 0) records_.unknown.push_back(its.now);
  }

  void leave(std::uint32_t place, std::int64_t ns, const Record& call) override {
    const std::uint32_t thread = thread_at(place);
    Thread& its = of(thread);
    if (--its.depth != 0) return;
    if (!its.is_left_out || !its.is_between_work) its.spells.call_ends(ns);
    if (its.is_left_out) return;
    if ((call.flags & trace::unfinished) != 0 && is_killed()) return end_within(thread);
    gathered_.calls(thread).back().exit = ns;
    if (its.meeting.communicator != 0) meetings_.push_back({std::exchange(its.meeting, {}), its.now});
  }

  void partner(std::uint32_t place, const Record& call, const Record& detail) override {
    const Thread& its = of(thread_at(place));
    if (detail.function == page::neighbor) {
      if (const Index comm = comm_of(detail.object); comm != 0) records_.comms[comm].sources.push_back(detail.peer);
    } else if (!its.is_left_out && its.depth == 1) {
      one_sided_.partner(name_of(call), detail.peer, comm_of(call.object), its.now);
    }
  }

  /// Beyond so many, which each section of the run has to go through, it is taken for the same thread.
  void thread_begun(std::uint32_t place, const Record& detail) override {
    constexpr std::uint32_t most_threads = 1024;
    gathered_.name(thread_at(place), detail.peer);
    if (next_thread_ == most_threads) return;
    thread_at_[place] = next_thread_++;
    gathered_.name(thread_at(place), detail.tag);
  }

  void region(std::uint32_t place, std::int64_t ns, const Record& detail) override {
    if (detail.tag != regions_.layer) return;
    const auto number = static_cast<std::uint32_t>(detail.count);
    const auto [known, is_new] = region_places_.try_emplace(number, 0);
    if (is_new) known->second = place_of_region(regions_.path(number));
    of(thread_at(place)).spells.change(ns, known->second);
  }

  void message(std::uint32_t thread, std::int64_t ns, const Message& message) override {
    Thread& its = of(thread_at(thread));
    if (its.is_left_out || its.now == none) return;
    const Index now = its.now;
    switch (message.what) {
      case Transfer::found:
        return find(thread, ns, message, now);
      case Transfer::ready:
        return ready(message, now);
      case Transfer::hidden_receive:
        return flows_.take(thread, ns, message);
      case Transfer::send:
        return add(thread, ns, message, {.begin = now, .end = now, .is_sender = true, .mode = mode_of(message)});
      case Transfer::begin_send:
        requests_[message.request] = {Request::send, records_.messages.size(), now};
        return add(thread, ns, message, {.begin = now, .end = none, .is_sender = true, .mode = mode_of(message)});
      case Transfer::receive:
        return receive(thread, ns, message, {Request::receive, 0, now, probe_of(thread, message)}, now);
      case Transfer::begin_receive: {
        const Probed probe = probe_of(thread, message);  // first: it may be one that has found that request's message
        requests_[message.request] = {Request::receive, 0, now, probe};
        return flows_.take(thread, ns, message);
      }
      case Transfer::begin_together:
        if (join(its, *message.call, std::uint64_t{message.start} << 32U | message.call->number, none))
          requests_[message.request] = {Request::together, records_.together.size() - 1, now};
        return;
      default:
        return complete(thread, ns, message, now);
    }
  }

  /// On the thread that has started MPI: the first that has made calls.
  void finalize(std::int64_t ns, std::uint64_t address) {
    std::uint32_t main = 0;
    while (main < gathered_.threads() && gathered_.calls(main).empty()) ++main;
    if (main == gathered_.threads() || ns >= end_) return;
    Site& site = records_.sites.emplace_back();
    site.function = "MPI_Finalize";
    if (address != 0) locate(file_, address - 1, site);
    begin_call(main, ns, static_cast<Index>(records_.sites.size() - 1));
  }

  /// Of those after which no section has ended yet.
  const std::vector<std::pair<Meeting, Index>>& meetings() const { return meetings_; }
  std::int64_t filled_until() {
    std::int64_t last = INT64_MIN;
    each_over([&](std::uint32_t /*thread*/, const Call& call) { last = std::max(last, call.exit); });
    return last;
  }

  RankRecords take(std::int64_t until) {
    std::vector<std::size_t> kept(gathered_.threads());
    each_over([&](std::uint32_t thread, const Call& call) { kept[thread] += call.exit <= until ? 1 : 0; });
    Gathered::Open open;
    for (const auto& [number, request] : requests_) {
      if (request.what == Request::send) open.messages.push_back(request.place);
      if (request.what == Request::together) open.together.push_back(request.place);
    }
    for (const MessageEnd& end : records_.messages)
      if (!end.is_sender && end.flow == 0 && end.comm != 0 && gathered_.call(end.end).exit <= until)
        records_.unknown.push_back(end.end);  // its send will be known when the section has gone
    std::erase_if(meetings_, [&](const auto& one) { return gathered_.call(one.second).exit <= until; });
    number_messages();
    RankRecords section = gathered_.take(kept, open);
    renumber();
    return section;
  }
  /// Of the meeting: when it was over.
  std::int64_t end_of(const Meeting& meeting) const {
    for (const auto& [one, call] : meetings_)
      if (one.communicator == meeting.communicator && one.number == meeting.number) return gathered_.call(call).exit;
    return INT64_MIN;
  }

  RankRecords take_all(const Losses& losses) {
    for (std::uint32_t thread = 0; is_killed() && thread < threads_.size(); ++thread)
      if (const Polling& polling = threads_[thread].polling; polling.is_waiting()) {
        begin_call(thread, polling.since(), site_of(polling.last()));
        end_within(thread);
      }
    found_.for_all_calls([this](Index call) { records_.unknown.push_back(call); });
    for (const auto& [number, request] : requests_)  // found, but never received
      if (request.what == Request::receive && request.begin == none) records_.unknown.push_back(request.probe.call);
    records_.is_last = true;
    records_.lost = std::max(records_.lost, losses.count());
    records_.until = std::min(records_.until, losses.known_until());
    if (losses.until() != no_end) records_.cut = losses.calls() - entered_;
    return gathered_.take_all();
  }

 private:
  struct Thread {
    RegionSpells spells;
    unsigned depth = 0;
    bool is_left_out = false;      // the call under way
    bool is_between_work = false;  // the call under way
    Index now = none;
    Polling polling;
    Meeting meeting;  // the call under way
  };
  struct Request {
    enum What : std::uint8_t { send, receive, together };
    What what{};
    std::size_t place = 0;  // of a send in messages, or in together
    Index begin = none;
    Probed probe{};  // what has found what it is to receive
  };

  /// Whose records come there: places are the recorder's, each of which several threads may have one after the other.
  std::uint32_t thread_at(std::uint32_t place) {
    const std::vector<std::int32_t>& ids = file_.definitions().threads;
    while (thread_at_.size() <= place) {
      if (thread_at_.size() < ids.size()) gathered_.name(next_thread_, ids[thread_at_.size()]);
      thread_at_.push_back(next_thread_++);
    }
    return thread_at_[place];
  }
  Thread& of(std::uint32_t thread) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    return threads_[thread];
  }
  void begin_call(std::uint32_t thread, std::int64_t ns, Index site) {
    Thread& its = of(thread);
    const auto next = static_cast<Index>(gathered_.size());
    const Index before = its.spells.call_begins(ns, [&](Index region, std::int64_t spent) {
      records_.spells.push_back({next, region, spent});
    });
    its.now = gathered_.add(thread, {ns, ns, site, its.spells.now(), before});
  }
  bool is_killed() const { return file_.end() != nullptr && !file_.end()->how.empty(); }
  /// The process has ended in the thread's last call: what that has waited for, nobody knows.
  void end_within(std::uint32_t thread) {
    Thread& its = of(thread);
    Call& call = gathered_.calls(thread).back();
    call.exit = std::max(call.entry, records_.over);
    records_.unknown.push_back(its.now);
    const Call end = standing_for(call);
    its.now = gathered_.add(thread, end);
  }
  /// visit(thread, call): each that is over, and that no section has taken.
  template <class Visit>
  void each_over(Visit visit) {
    for (std::uint32_t thread = 0; thread < gathered_.threads(); ++thread) {
      std::vector<Call>& calls = gathered_.calls(thread);
      const bool is_open = thread < threads_.size() && threads_[thread].depth != 0 && !threads_[thread].is_left_out;
      for (std::size_t i = 0; i + (is_open ? 1 : 0) < calls.size(); ++i) visit(thread, calls[i]);
    }
  }

  /// Messages keep their numbers, by which Flows knows them, when others have gone.
  void number_messages() {
    while (numbers_.size() < records_.messages.size()) numbers_.push_back(next_number_++);
  }
  void set_flow(std::uint64_t number, std::uint64_t flow) {
    const auto found = std::ranges::lower_bound(numbers_, number);
    if (found != numbers_.end() && *found == number)
      records_.messages[static_cast<std::size_t>(found - numbers_.begin())].flow = flow;
  }
  void renumber() {
    std::vector<std::uint64_t> numbers(records_.messages.size());
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (const std::size_t place = gathered_.message_after(i); place < numbers.size()) numbers[place] = numbers_[i];
    numbers_ = std::move(numbers);
    for (Thread& thread : threads_) gathered_.renumber(thread.now);
    found_.for_all_calls([this](Index& call) { gathered_.renumber(call); });
    for (auto& [number, request] : requests_) {
      gathered_.renumber(request.begin);
      gathered_.renumber(request.probe.call);
      if (request.what == Request::send) request.place = gathered_.message_after(request.place);
      if (request.what == Request::together) request.place = gathered_.together_after(request.place);
    }
    for (auto& [meeting, call] : meetings_) gathered_.renumber(call);
    one_sided_.renumber([&](Index& call) { gathered_.renumber(call); });
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

  void leave_out(Thread& its) {
    its.is_left_out = true;
    ++records_.cut;
  }

  /// As far as it is known: they took as long as each other.
  std::int64_t start_of_last(const Record& call) const {
    const std::uint64_t in_tests = call.exit - call.entry - trace::between_tests(call);
    return file_.nanoseconds(call.exit - in_tests / (std::uint64_t{call.number} + 1));
  }

  /// All processes of an object take part in it, each of which may be late.
  bool is_together(const Record& call) const {
    if ((call.flags & page::nonblocking) != 0 || file_.is(call, trace::is_test)) return false;
    const trace::Function* const function = file_.function(call);
    return call.number != 0 || (function != nullptr && function->kind == page::Kind::collective);
  }

  /// Messages there have no numbers.
  bool asks_on_unknown_communicator(const Record& call) {
    if ((call.flags & page::has_peer) == 0 || (call.flags & page::nonblocking) != 0) return false;  // MPI_Mrecv; later
    const trace::Function* const function = file_.function(call);
    const bool asks =
        function != nullptr && (function->kind == page::Kind::receive || function->kind == page::Kind::exchange ||
                                function->kind == page::Kind::probe);
    return asks && comm_of(call.object) == 0 && trace::asked_for(*function, call).source != file_.process().proc_null;
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
    const trace::Object* const known = file_.definitions().objects.find(object);
    if (known == nullptr) return place->second = 0;
    records_.comms.push_back({known->identity, known->name, known->size + known->remote_size, {}});
    return place->second;
  }

  void add(std::uint32_t thread, std::int64_t ns, const Message& message, MessageEnd end) {
    end.bytes = message.bytes;
    end.comm = comm_of(message.object);
    records_.messages.push_back(end);
    number_messages();
    flows_.take(thread, ns, message, numbers_.back());
  }

  /// As the call says that made its request, which MPI_Start only starts.
  SendMode mode_of(const Message& message) const {
    const trace::Function* const function = file_.function(*message.call);
    return function == nullptr ? SendMode::standard : send_mode(*function);
  }

  /// What it receives, or looks for: as of a message's end.
  std::uint8_t of_any(const Record& call) const {
    const trace::Function* const function = file_.function(call);
    if (function == nullptr || (call.flags & page::has_peer) == 0) return 0;
    const trace::Envelope asked = trace::asked_for(*function, call);
    if (asked.source != file_.process().any_source) return 0;
    if (asked.tag == file_.process().any_tag) return of_any_tag;
    return static_cast<std::uint8_t>(1 + static_cast<std::uint32_t>(asked.tag) % (of_any_tag - 1U));
  }

  /// `end`: none until its request is complete.
  bool join(Thread& its, const Record& call, std::uint64_t number, Index end) {
    Together part{comm_of(call.object), number, no_root, its.now, end, none};
    if (part.comm == 0) return false;
    if (file_.is(call, trace::is_to_be_started)) part.described = site_of(call);
    if ((call.flags & page::has_root) != 0) part.root = root_of(call);
    records_.together.push_back(part);
    if (end != none && records_.comms[part.comm].size == records_.size && are_all_met(call))
      its.meeting = {records_.comms[part.comm].identity, number};
    return true;
  }
  /// Nobody leaves it before all have come.
  bool are_all_met(const Record& call) const {
    if (file_.is(call, trace::is_to_be_started)) return false;
    const Pattern pattern = pattern_of(name_of(call));
    return pattern == Pattern::barrier || pattern == Pattern::n_to_n || pattern == Pattern::fence;
  }
  /// Of the two groups of an inter-communicator, one has the root, and says so with MPI_ROOT and MPI_PROC_NULL.
  std::int32_t root_of(const Record& call) const {
    const trace::Object& object = *file_.object(call);
    if (call.peer >= 0) return object.world_rank(call.peer);
    if (object.remote_size == 0) return no_root;
    return call.peer == file_.process().proc_null ? outside : records_.rank;
  }
  std::int32_t target_of(const Record& call) const {
    return (call.flags & page::has_peer) != 0 ? file_.object(call)->world_rank(call.peer) : -1;
  }

  void find(std::uint32_t place, std::int64_t ns, const Message& message, Index now) {
    if (message.request != 0) {
      const Probed earlier = found_.take(thread_at(place), message, file_.process());
      const std::uint8_t any = earlier.of_any != 0 ? earlier.of_any : of_any(*message.call);
      requests_[message.request] = {Request::receive, 0, none, {now, any, earlier.call}};
      return flows_.take(place, ns, message);
    }
    found_.add(thread_at(place), message, {now, of_any(*message.call)});
  }
  Probed probe_of(std::uint32_t place, const Message& message) {
    if (message.request != 0)
      if (const auto matched = requests_.find(message.request); matched != requests_.end())
        return matched->second.probe;
    return found_.take(thread_at(place), message, file_.process());
  }

  void receive(std::uint32_t thread, std::int64_t ns, const Message& message, const Request& request, Index now) {
    if (message.request != 0) requests_.erase(message.request);
    const auto [probe, probed_of_any, earlier] = request.probe;
    for (const Index found_by : {earlier, probe})
      if (found_by != none) records_.probes.push_back({found_by, static_cast<Index>(records_.messages.size())});
    const std::uint8_t any = probed_of_any != 0 ? probed_of_any : of_any(*message.call);
    add(thread, ns, message, {.begin = request.begin, .end = now, .of_any = any});
  }

  /// Not before its last part has the message been sent.
  void ready(const Message& message, Index now) {
    const auto sending = requests_.find(message.request);
    if (sending == requests_.end() || sending->second.place >= records_.messages.size()) return;
    MessageEnd& end = records_.messages[sending->second.place];
    if (end.is_sender && end.end == none) end.begin = now;
  }

  void complete(std::uint32_t thread, std::int64_t ns, const Message& message, Index now) {
    const auto found = requests_.find(message.request);
    if (found == requests_.end()) return;
    const Request request = found->second;
    requests_.erase(found);
    if (message.what == Transfer::end_send) records_.messages[request.place].end = now;
    if (file_.is(*message.call, trace::begins_exchange)) records_.unknown.push_back(now);
    if (message.what == Transfer::end_receive) receive(thread, ns, message, request, now);
    if (message.what == Transfer::no_receive) flows_.take(thread, ns, message);
    if (message.what == Transfer::end_together) records_.together[request.place].end = now;
  }

  const trace::File& file_;
  RegionNames regions_;
  Gathered gathered_;
  RankRecords& records_ = gathered_.records;
  OneSided one_sided_;
  trace::Flows flows_;
  std::vector<Thread> threads_;
  std::vector<std::uint32_t> thread_at_;  // by place
  std::uint32_t next_thread_ = 0;
  FoundMessages found_;
  std::int64_t end_ = no_end;
  std::uint64_t entered_ = 0;
  std::vector<std::uint64_t> numbers_;  // of messages, from 1
  std::uint64_t next_number_ = 1;
  std::vector<std::pair<Meeting, Index>> meetings_;  // and calls
  std::unordered_map<std::uint64_t, Request> requests_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, Index> sites_;
  std::map<std::uint32_t, Index> comms_;
  std::map<std::uint32_t, Index> region_places_;  // by their numbers
};

}  // namespace cairn::waits
