// SPDX-License-Identifier: BSD-3-Clause
// replay_messages.cc - messages between two processes in a replay: sends, receives, probes

#include <fmt/format.h>

#include <algorithm>
#include <climits>

#include "cli/trace/replay_calls.hpp"

namespace cairn::cli {

void ReplayCalls::send(const Call& call) {
  if (call.name == "MPI_Bsend") buffered_ += process_.file.bytes(call.record) + 256;
  add(fmt::format("{}({}, {}, {}, {}, {})", call.name, out(process_.file.bytes(call.record)), amount(call.record),
                  rank_text(call.record.peer), call.record.tag, comm_text(call)));
}

void ReplayCalls::begin_send(const Call& call) {
  if (call.name.find("bsend") != std::string::npos || call.name == "MPI_Bsend_init")
    buffered_ += process_.file.bytes(call.record) + 256;
  int slot = -1;
  const std::string request = new_request(call, rank_.calls.size(), slot);
  add(fmt::format("{}({}, {}, {}, {}, {}, {})", call.name, out(process_.file.bytes(call.record)), amount(call.record),
                  rank_text(call.record.peer), call.record.tag, comm_text(call), request));
}

std::string ReplayCalls::receive_text(const std::string& name, const trace::Record& record, int slot,
                                      const trace::Record* found, const std::string& comm) {
  const std::string rest = name == "MPI_Recv" ? "MPI_STATUS_IGNORE" : slot < 0 ? "&over" : fmt::format("&r[{}]", slot);
  return fmt::format("{}({}, {}, {}, {}, {}, {})", name, in(slot, process_.file.bytes(record)), amount(record),
                     source_text(record.peer, found), tag_text(record.tag, found), comm, rest);
}

void ReplayCalls::receive(const Call& call) {
  add(receive_text(call.name, call.record, -1, received(call), comm_text(call)));
}

void ReplayCalls::begin_receive(const Call& call) {
  int slot = -1;
  new_request(call, rank_.calls.size(), slot);
  const std::string comm = comm_text(call);
  const std::size_t statement = add(receive_text(call.name, call.record, slot, nullptr, comm));
  if (slot >= 0 && call.name == "MPI_Irecv") comm_of_[statement] = comm;
}

void ReplayCalls::exchange(const Call& call) {
  const trace::Record* const found = received(call);
  const auto [source, tag] = trace::asked_by_exchange(call.record);
  const std::uint64_t bytes = found == nullptr ? 0 : process_.file.bytes(*found);
  if (bytes > INT_MAX) refuse(too_many);
  const std::string from =
      fmt::format("{}, {}, {}, MPI_STATUS_IGNORE", source_text(source, found), tag_text(tag, found), comm_text(call));
  const std::string to = fmt::format("{}, {}, {}", amount(call.record), rank_text(call.record.peer), call.record.tag);
  const std::uint64_t sent = process_.file.bytes(call.record);
  if (call.name == "MPI_Sendrecv")
    add(fmt::format("MPI_Sendrecv({}, {}, {}, {}, MPI_BYTE, {})", out(sent), to, in(-1, bytes), bytes, from));
  else add(fmt::format("MPI_Sendrecv_replace({}, {}, {})", in(-1, std::max(sent, bytes)), to, from));
}

void ReplayCalls::probe(const Call& call) {
  if (call.name == "MPI_Probe") {
    add(fmt::format("MPI_Probe({}, {}, {}, MPI_STATUS_IGNORE)", rank_text(call.record.peer),
                    tag_text(call.record.tag, nullptr), comm_text(call)));
    return;
  }
  if (free_messages_.empty()) free_messages_.insert(messages_++);
  const int slot = *free_messages_.begin();
  free_messages_.erase(free_messages_.begin());
  const std::string comm = comm_text(call);
  Matched message{slot, rank_.calls.size(), call.record, call.name, {}};
  const trace::Record* const found = told(call, page::message_found);
  if (found != nullptr) message.handle = found->other;
  add(probe_text(message, found, comm));
  comm_of_[message.statement] = comm;
  matched_.push_back(message);
}

std::string ReplayCalls::probe_text(const Matched& message, const trace::Record* found, const std::string& comm) const {
  const std::string what =
      fmt::format("{}, {}, {}", source_text(message.record.peer, found), tag_text(message.record.tag, found), comm);
  if (message.name == "MPI_Mprobe") return fmt::format("MPI_Mprobe({}, &m[{}], MPI_STATUS_IGNORE)", what, message.slot);
  return fmt::format("do MPI_Improbe({}, &flag, &m[{}], MPI_STATUS_IGNORE); while (!flag)", what, message.slot);
}

/// One that finds nothing must not take a message either.
void ReplayCalls::ask(const Call& call) {
  const bool is_in_vain = has(call.record, page::in_vain);
  if (call.name == "MPI_Improbe" && !is_in_vain) return probe(call);
  const std::string text = fmt::format("MPI_Iprobe({}, {}, {}, &flag, MPI_STATUS_IGNORE)", rank_text(call.record.peer),
                                       tag_text(call.record.tag, nullptr), comm_text(call));
  add(is_in_vain ? text : fmt::format("do {}; while (!flag)", text));
}

/// Which of the messages that were matched this is: where no handle tells, the first that it may be.
ReplayCalls::Matched* ReplayCalls::matched(const Call& call, const trace::Record* found) {
  const trace::Process& its = process_.file.process();
  const trace::Record* const taken = told(call, page::message_taken);
  const auto fits = [&](const Matched& message) {
    if (taken != nullptr) return message.handle == taken->other;
    return found == nullptr || its.may_be({message.record.peer, message.record.tag}, {found->peer, found->tag});
  };
  const auto place = std::ranges::find_if(matched_, fits);
  return place == matched_.end() ? nullptr : &*place;
}

void ReplayCalls::resolve_probe(const Matched& message, const trace::Record& found) {
  rank_.calls[message.statement] = tables_.number_of(probe_text(message, &found, comm_of_[message.statement]));
}

void ReplayCalls::receive_matched(const Call& call) {
  const trace::Record* const found = received(call);
  Matched* const message = matched(call, found);
  if (message == nullptr) return leave_out(call);
  if (found != nullptr) resolve_probe(*message, *found);
  add(fmt::format("MPI_Mrecv({}, {}, &m[{}], MPI_STATUS_IGNORE)", in(-1, process_.file.bytes(call.record)),
                  amount(call.record), message->slot));
  free_messages_.insert(message->slot);
  matched_.erase(matched_.begin() + (message - matched_.data()));
}

void ReplayCalls::begin_matched(const Call& call) {
  Matched* const message = matched(call, nullptr);
  if (message == nullptr) return leave_out(call);
  int slot = -1;
  const std::string request = new_request(call, rank_.calls.size(), slot);
  add(fmt::format("MPI_Imrecv({}, {}, &m[{}], {})", in(slot, process_.file.bytes(call.record)), amount(call.record),
                  message->slot, request));
  free_messages_.insert(message->slot);
  matched_.erase(matched_.begin() + (message - matched_.data()));
}

}  // namespace cairn::cli
