// SPDX-License-Identifier: BSD-3-Clause
// replay_calls.cc - following a rank's records, and what C each of them is

#include "cli/trace/replay_calls.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <climits>
#include <numeric>

#include "cairn/object_identity.hpp"
#include "cli/trace/call_text.hpp"

namespace cairn::cli {

namespace {

constexpr std::uint64_t most_bytes = 1ULL << 46U;
constexpr std::uint64_t most_requests = 1U << 24U;
constexpr const char* remedy = "'cairn trace DIR --text', which shows all that is there";

using trace::without_large;

bool is_receive(std::string_view name) { return name == "MPI_Irecv" || name == "MPI_Recv_init"; }

}  // namespace

std::uint32_t ReplayTables::number_of(std::string statement) {
  const auto [place, is_new] = numbers_.try_emplace(statement, static_cast<std::uint32_t>(statements.size()));
  if (is_new) statements.push_back(std::move(statement));
  return place->second;
}

std::string ReplayTables::type(std::uint64_t size) {
  const auto place = std::ranges::find(types, size);
  const auto number = place - types.begin();
  if (place == types.end()) types.push_back(size);
  return fmt::format("t[{}]", number);
}

int ReplayTables::amounts_of(const std::vector<std::uint64_t>& bytes) {
  return amounts.try_emplace(bytes, static_cast<int>(amounts.size())).first->second;
}

// ---------------------------------------------------------------- following the records

ReplayCalls::ReplayCalls(const ProcessTrace& process, const CollectiveShares& shares, ReplayTables& tables)
    : process_(process), shares_(shares), tables_(tables) {
  const trace::Process& its = process.file.process();
  std::vector<std::int32_t> all(static_cast<std::size_t>(std::max(its.size, 0)));
  std::iota(all.begin(), all.end(), 0);
  const std::uint64_t world = identity::of_members(all.data(), its.size);
  const std::uint64_t self = identity::of_members(&its.rank, 1);
  comm_slots_[identity::of(identity::world, world, page::Object::communicator)] = 0;
  comm_slots_[identity::of(identity::self, self, page::Object::communicator)] = 1;
}

void ReplayCalls::refuse(const std::string& why) const {
  throw Problem(fmt::format("the run cannot be replayed: rank {} {}", process_.rank(), why), remedy);
}

ReplayRank ReplayCalls::read() {
  trace::Records records(process_.file);
  while (records.now() != nullptr) {
    if (trace::is_detail(*records.now())) records.step();  // its call is lost
    else take(next(records));
  }
  if (const auto& damages = process_.file.damages(); !damages.empty())
    refuse(fmt::format("has a damaged trace, at byte {}: {}", damages.begin()->first, damages.begin()->second.why));
  tables_.requests = std::max(tables_.requests, requests_);
  tables_.comms = std::max(tables_.comms, comms_);
  tables_.messages = std::max(tables_.messages, messages_);
  tables_.most_buffered = std::max(tables_.most_buffered, std::min<std::uint64_t>(buffered_, 1U << 30U));
  return std::move(rank_);
}

/// With its details; what it called itself is left out.
ReplayCalls::Call ReplayCalls::next(trace::Records& records) {
  Call call{*records.now(), without_large(name_of(process_.file, *records.now())), {}, false};
  const std::uint64_t number = records.number();
  if (records.thread() != 0) refuse("makes calls on several threads");
  for (records.step(); const trace::Record* record = records.now(); records.step()) {
    if (trace::is_detail(*record)) {
      if (record->entry == number && record->function != page::region_changed) call.details.push_back(*record);
    } else if (call.record.exit == 0 || record->entry >= call.record.exit) {
      break;
    } else {
      ++tables_.left_out["calls within others"];
    }
  }
  call.is_last = records.now() == nullptr;
  return call;
}

void ReplayCalls::take(const Call& call) {
  const std::int64_t begin = ns(call.record.entry);
  if (last_ns_ != 0 && begin > last_ns_) work_ns_ += static_cast<std::uint64_t>(begin - last_ns_);
  const auto handler = handlers().find(call.name);
  if (handler == handlers().end()) leave_out(call);
  else if (has(call.record, page::failed)) ++tables_.left_out["calls that failed"];
  else if (call.record.exit == 0 && !call.is_last) ++tables_.left_out["calls left by a jump"];
  else (this->*handler->second)(call);
  last_ns_ = call.record.exit == 0 ? begin : ns(call.record.exit);
  if (call.name == "MPI_Init" || call.name == "MPI_Init_thread") rank_.took_ns -= last_ns_;
  else if (!rank_.is_finalized && call.is_last) rank_.took_ns += last_ns_;
}

const std::map<std::string_view, ReplayCalls::Handler>& ReplayCalls::handlers() {
  static const std::map<std::string_view, Handler> all = [] {
    std::map<std::string_view, Handler> made;
    const auto set = [&made](Handler handler, std::initializer_list<std::string_view> names) {
      for (const std::string_view name : names) made[name] = handler;
    };
    using R = ReplayCalls;
    set(&R::start, {"MPI_Init", "MPI_Init_thread"});
    set(&R::finalize, {"MPI_Finalize"});
    set(&R::abort, {"MPI_Abort"});
    set(&R::send, {"MPI_Send", "MPI_Bsend", "MPI_Ssend", "MPI_Rsend"});
    set(&R::begin_send, {"MPI_Isend", "MPI_Ibsend", "MPI_Issend", "MPI_Irsend", "MPI_Send_init", "MPI_Bsend_init",
                         "MPI_Ssend_init", "MPI_Rsend_init"});
    set(&R::receive, {"MPI_Recv"});
    set(&R::begin_receive, {"MPI_Irecv", "MPI_Recv_init"});
    set(&R::receive_matched, {"MPI_Mrecv"});
    set(&R::begin_matched, {"MPI_Imrecv"});
    set(&R::exchange, {"MPI_Sendrecv", "MPI_Sendrecv_replace"});
    set(&R::probe, {"MPI_Probe", "MPI_Mprobe"});
    set(&R::ask, {"MPI_Iprobe", "MPI_Improbe"});
    set(&R::wait, {"MPI_Wait", "MPI_Waitall", "MPI_Waitany", "MPI_Waitsome"});
    set(&R::test, {"MPI_Test", "MPI_Testall", "MPI_Testany", "MPI_Testsome"});
    set(&R::start_requests, {"MPI_Start", "MPI_Startall"});
    set(&R::free_request, {"MPI_Request_free"});
    set(&R::cancel, {"MPI_Cancel"});
    set(&R::together,
        {"MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Gatherv", "MPI_Scatter", "MPI_Scatterv", "MPI_Allgather",
         "MPI_Allgatherv", "MPI_Alltoall", "MPI_Alltoallv", "MPI_Alltoallw", "MPI_Reduce", "MPI_Allreduce",
         "MPI_Reduce_scatter_block", "MPI_Reduce_scatter", "MPI_Scan", "MPI_Exscan"});
    set(&R::together,
        {"MPI_Ibarrier", "MPI_Ibcast", "MPI_Igather", "MPI_Igatherv", "MPI_Iscatter", "MPI_Iscatterv", "MPI_Iallgather",
         "MPI_Iallgatherv", "MPI_Ialltoall", "MPI_Ialltoallv", "MPI_Ialltoallw", "MPI_Ireduce", "MPI_Iallreduce",
         "MPI_Ireduce_scatter_block", "MPI_Ireduce_scatter", "MPI_Iscan", "MPI_Iexscan"});
    set(&R::make_comm,
        {"MPI_Comm_dup", "MPI_Comm_dup_with_info", "MPI_Comm_idup", "MPI_Comm_idup_with_info", "MPI_Comm_split",
         "MPI_Comm_split_type", "MPI_Comm_create", "MPI_Comm_create_group", "MPI_Cart_create", "MPI_Cart_sub",
         "MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"});
    set(&R::free_comm, {"MPI_Comm_free", "MPI_Comm_disconnect"});
    set(&R::buffer, {"MPI_Buffer_attach", "MPI_Buffer_detach"});
    return made;
  }();
  return all;
}

std::size_t ReplayCalls::add(const std::string& statement) {
  rank_.calls.push_back(tables_.number_of(statement + std::exchange(then_, "")));
  rank_.work_ns.push_back(std::exchange(work_ns_, 0));
  return rank_.calls.size() - 1;
}

/// What would leave the others waiting is none of these.
void ReplayCalls::leave_out(const Call& call) {
  if (call.name.starts_with("MPI_Session_")) refuse("uses sessions");
  if (call.name.starts_with("MPI_Isendrecv")) refuse("calls " + call.name + ", of which a trace has only one partner");
  ++tables_.left_out[call.name];
}

void ReplayCalls::start(const Call& call) { rank_.init = call.name; }

void ReplayCalls::finalize(const Call& call) {
  rank_.is_finalized = true;
  rank_.last_work_ns = std::exchange(work_ns_, 0);
  rank_.took_ns += ns(call.record.entry);
}

void ReplayCalls::abort(const Call& call) {
  const trace::Object* const comm = process_.file.object(call.record);
  add(fmt::format("MPI_Abort({}, 1)", comm == nullptr ? "MPI_COMM_WORLD" : comm_text(call)));
}

// ---------------------------------------------------------------- arguments

std::string ReplayCalls::amount(const trace::Record& record) {
  const trace::Datatype* const known = process_.file.definitions().types.find(record.type);
  if (!has(record, page::has_count) || known == nullptr) {
    ++tables_.without_size;
    return "0, MPI_BYTE";
  }
  const trace::Datatype& type = *known;
  const bool is_basic = has_sum(type.name) || type.name == "MPI_CHAR" || type.name == "MPI_BYTE";
  if (record.count > INT_MAX || (!is_basic && type.size > INT_MAX)) refuse(too_many);
  return fmt::format("{}, {}", record.count, is_basic ? type.name : tables_.type(type.size));
}

/// Room of its own for what a request receives.
std::string ReplayCalls::in(int slot, std::uint64_t bytes) const {
  if (bytes > most_bytes) refuse(too_many);
  return fmt::format("in({}, {})", slot, bytes);
}
std::string ReplayCalls::out(std::uint64_t bytes) {
  if (bytes > most_bytes) refuse(too_many);
  tables_.most_out = std::max(tables_.most_out, bytes);
  return "out";
}

std::string ReplayCalls::rank_text(std::int32_t rank) const {
  const trace::Process& its = process_.file.process();
  return rank == its.proc_null ? "MPI_PROC_NULL" : rank == its.any_source ? "MPI_ANY_SOURCE" : std::to_string(rank);
}
/// A receive from anyone is one from whom the message came, unless the program is compiled otherwise.
std::string ReplayCalls::source_text(std::int32_t asked, const trace::Record* found) const {
  if (asked != process_.file.process().any_source || found == nullptr) return rank_text(asked);
  return fmt::format("FROM({})", rank_text(found->peer));
}
std::string ReplayCalls::tag_text(std::int32_t asked, const trace::Record* found) const {
  if (asked != process_.file.process().any_tag) return std::to_string(asked);
  return found == nullptr ? "MPI_ANY_TAG" : fmt::format("TAG({})", found->tag);
}

std::string ReplayCalls::comm_text(const Call& call) {
  const trace::Object* const comm = process_.file.object(call.record);
  const auto slot = comm == nullptr ? comm_slots_.end() : comm_slots_.find(comm->identity);
  if (slot == comm_slots_.end() || comm->identity == 0 || comm->size < 1 || comm->size > process_.file.process().size)
    refuse("calls " + call.name + " on a communicator whose creation is not in the trace");
  return slot->second == 0   ? "MPI_COMM_WORLD"
         : slot->second == 1 ? "MPI_COMM_SELF"
                             : fmt::format("c[{}]", slot->second);
}

/// Null: unknown, or nothing.
const trace::Record* ReplayCalls::received(const Call& call) const {
  for (const trace::Record& detail : call.details)
    if (detail.function == page::message_received && has(detail, page::has_peer)) return &detail;
  return nullptr;
}

/// Null: traces of earlier versions do not tell.
const trace::Record* ReplayCalls::told(const Call& call, page::Detail what) {
  const auto detail = std::ranges::find(call.details, what, &trace::Record::function);
  return detail == call.details.end() ? nullptr : &*detail;
}

// ---------------------------------------------------------------- requests

/// The request's place in the text of its call. A call may return one that is over.
std::string ReplayCalls::new_request(const Call& call, std::size_t statement, int& slot) {
  if (call.record.other == 0) return "&over";
  if (free_requests_.empty()) free_requests_.insert(requests_++);
  slot = *free_requests_.begin();
  free_requests_.erase(free_requests_.begin());
  Request request{slot, statement, call.record, call.name.ends_with("_init"), ""};
  if (request.is_persistent) persistent_[call.record.other] = request;
  else active_[call.record.other].push_back(request);
  return fmt::format("&r[{}]", slot);
}

/// -1: of another kind than is replayed.
int ReplayCalls::slot_of(const trace::Record& detail) {
  if (const auto active = active_.find(detail.other); active != active_.end() && !active->second.empty())
    return active->second.front().slot;
  const auto persistent = persistent_.find(detail.other);
  return persistent == persistent_.end() ? -1 : persistent->second.slot;
}

/// The request is over: its cancelling came too late, or in time, and then is made again.
void ReplayCalls::resolve_cancel(std::uint64_t handle, int slot, bool is_cancelled) {
  const auto place = cancels_.find(handle);
  if (place == cancels_.end()) return;
  if (is_cancelled) rank_.calls[place->second] = tables_.number_of(fmt::format("MPI_Cancel(&r[{}])", slot));
  cancels_.erase(place);
}

int ReplayCalls::complete(const trace::Record& detail) {
  const int slot = slot_of(detail);
  const auto place = active_.find(detail.other);
  if (place == active_.end() || place->second.empty()) return slot;
  const Request request = place->second.front();
  place->second.pop_front();
  if (place->second.empty()) active_.erase(place);
  const std::string name = without_large(name_of(process_.file, request.record));
  const bool is_cancelled = has(detail, page::failed);
  const bool is_unsent = is_cancelled && !request.is_persistent && !is_receive(name);
  resolve_cancel(detail.other, slot, is_cancelled && !is_unsent);
  if (is_unsent)  // else a receive that came later might take it
    rank_.calls[request.statement] =
        tables_.number_of(fmt::format("r[{}] = MPI_REQUEST_NULL /* {}, cancelled */", slot, name));
  if (request.is_persistent) return slot;
  then_ += request.then;
  free_requests_.insert(slot);
  const auto comm = comm_of_.find(request.statement);
  if (comm == comm_of_.end()) return slot;
  if (has(detail, page::has_peer))
    rank_.calls[request.statement] = tables_.number_of(receive_text(name, request.record, slot, &detail, comm->second));
  comm_of_.erase(comm);
  return slot;
}

std::vector<int> ReplayCalls::completed(const Call& call) {
  std::vector<int> slots;
  for (const trace::Record& detail : call.details)
    if (detail.function == page::request_completed)
      if (const int slot = complete(detail); slot >= 0) slots.push_back(slot);
  if (call.record.exit == 0)  // for which it waits is unknown: for all
    for (const auto& [handle, requests] : active_)
      for (const Request& request : requests) slots.push_back(request.slot);
  return slots;
}

/// An array of so many requests: these, and others that are over.
std::string ReplayCalls::requests_text(std::uint64_t count, const std::vector<int>& slots, std::string& before,
                                       std::string& after) {
  if (count > most_requests) refuse(fmt::format("has calls with more than {} requests", most_requests));
  bool is_row = !slots.empty() && slots.size() == count;
  for (std::size_t i = 1; i < slots.size(); ++i) is_row = is_row && slots[i] == slots[i - 1] + 1;
  tables_.most_taken = std::max({tables_.most_taken, count, std::uint64_t{slots.size()}});
  if (is_row) return fmt::format("&r[{}]", slots.front());
  before = slots.empty() ? fmt::format("take({}, 0); ", count)
                         : fmt::format("take({}, {}, {}); ", count, slots.size(), fmt::join(slots, ", "));
  after = "; put()";
  return "taken";
}

void ReplayCalls::wait(const Call& call) {
  const std::vector<int> slots = completed(call);
  if (call.name == "MPI_Wait") {
    add(slots.empty() ? "MPI_Wait(&over, MPI_STATUS_IGNORE)"
                      : fmt::format("MPI_Wait(&r[{}], MPI_STATUS_IGNORE)", slots[0]));
    return;
  }
  std::string before, after;
  const std::uint64_t count = std::max(call.record.count, std::uint64_t{slots.size()});
  const std::string requests = requests_text(count, slots, before, after);
  const std::string all = fmt::format("{}, {}", count, requests);
  std::string text;
  if (call.name == "MPI_Waitall") text = fmt::format("MPI_Waitall({}, MPI_STATUSES_IGNORE)", all);
  else if (call.name == "MPI_Waitany") text = fmt::format("MPI_Waitany({}, &at, MPI_STATUS_IGNORE)", all);
  else text = fmt::format("wait_some({}, {})", all, slots.size());
  add(before + text + after);
}

void ReplayCalls::test(const Call& call) {
  const bool is_in_vain = has(call.record, page::in_vain);
  std::vector<int> slots = completed(call);
  if (is_in_vain) {  // only one of them is known
    slots.clear();
    if (const int slot = slot_of(call.record); slot >= 0) slots.push_back(slot);
    work_ns_ += static_cast<std::uint64_t>(
        std::max<std::int64_t>(ns(call.record.entry + call.record.count) - ns(call.record.entry), 0));
  }
  std::string before, after;
  const std::uint64_t count = std::max<std::uint64_t>(1, slots.size());
  const std::string requests = requests_text(count, slots, before, after);
  std::string text;
  if (call.name == "MPI_Test") text = fmt::format("MPI_Test({}, &flag, MPI_STATUS_IGNORE)", requests);
  else if (call.name == "MPI_Testall")
    text = fmt::format("MPI_Testall({}, {}, &flag, MPI_STATUSES_IGNORE)", count, requests);
  else if (call.name == "MPI_Testany")
    text = fmt::format("MPI_Testany({}, {}, &at, &flag, MPI_STATUS_IGNORE)", count, requests);
  else if (is_in_vain) text = fmt::format("MPI_Testsome({}, {}, &at, places, MPI_STATUSES_IGNORE)", count, requests);
  else text = fmt::format("test_some({}, {}, {})", count, requests, slots.size());
  const bool asks_again = !is_in_vain && call.name != "MPI_Testsome";
  add(before + (asks_again ? fmt::format("do {}; while (!flag)", text) : text) + after);
}

void ReplayCalls::start_requests(const Call& call) {
  std::vector<int> slots;
  for (const trace::Record& detail : call.details)
    if (const auto made = persistent_.find(detail.other);
        detail.function == page::request_started && made != persistent_.end()) {
      slots.push_back(made->second.slot);
      active_[detail.other].push_back(made->second);
    }
  if (slots.empty()) return leave_out(call);
  if (call.name == "MPI_Start") {
    add(fmt::format("MPI_Start(&r[{}])", slots[0]));
    return;
  }
  std::string before, after;
  const std::string requests = requests_text(slots.size(), slots, before, after);
  add(before + fmt::format("MPI_Startall({}, {})", slots.size(), requests) + after);
}

void ReplayCalls::free_request(const Call& call) {
  for (const trace::Record& detail : call.details) {
    const int slot = slot_of(detail);
    if (detail.function != page::request_freed || slot < 0) continue;
    if (const auto active = active_.find(detail.other); active != active_.end() && !active->second.empty()) {
      const Request& request = active->second.front();
      resolve_cancel(detail.other, slot, is_receive(without_large(name_of(process_.file, request.record))));
      comm_of_.erase(request.statement);
    }
    add(fmt::format("MPI_Request_free(&r[{}])", slot));
    if (active_.contains(detail.other)) active_[detail.other].pop_front();
    if (active_.contains(detail.other) && active_[detail.other].empty()) active_.erase(detail.other);
    persistent_.erase(detail.other);
    free_requests_.insert(slot);
    return;
  }
  leave_out(call);
}

/// Whether in time is known when the request is complete.
void ReplayCalls::cancel(const Call& call) { cancels_.emplace(call.record.other, add("(void)0 /* MPI_Cancel */")); }

}  // namespace cairn::cli
