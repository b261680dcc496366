// SPDX-License-Identifier: BSD-3-Clause
// waits_run.hpp - processes that never were, with the records that their recorders would have made
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trace/blocks.hpp"
#include "trace/record_coder.hpp"
#include "waits/reduce.hpp"
#include "waits_job.hpp"

namespace cairn::waits {

using trace::BlockHead;
using trace::BlockKind;
using trace::Record;

enum Function : std::uint16_t {
  init,
  send,
  receive,
  isend,
  irecv,
  wait_all,
  finalize,
  probe,
  matched_probe,
  matched_receive,
  allreduce,
  test
};
inline constexpr std::int32_t any_source = -2;

inline std::string functions() {
  std::string table;
  for (const auto& [kind, name] : {std::pair{page::Kind::init, "MPI_Init"},
                                   {page::Kind::send, "MPI_Send"},
                                   {page::Kind::receive, "MPI_Recv"},
                                   {page::Kind::begin, "MPI_Isend"},
                                   {page::Kind::begin, "MPI_Irecv"},
                                   {page::Kind::wait, "MPI_Waitall"},
                                   {page::Kind::finalize, "MPI_Finalize"},
                                   {page::Kind::probe, "MPI_Probe"},
                                   {page::Kind::probe, "MPI_Mprobe"},
                                   {page::Kind::receive, "MPI_Mrecv"},
                                   {page::Kind::collective, "MPI_Allreduce"},
                                   {page::Kind::test, "MPI_Test"}})
    table += std::string(1, static_cast<char>(kind)) + name + '\0';
  return table;
}

/// Records of one process, a nanosecond per tick.
class Process {
 public:
  Process(int rank, int size) : rank_(rank), size_(size) { call(init, -1, 10, 0); }

  std::int64_t now() const { return now_; }
  void work(std::int64_t ns) { now_ += ns; }
  /// Returns its number, from 1.
  std::uint64_t call(Function function, int peer, std::int64_t length, std::uint64_t handle) {
    Record record{};
    record.function = function;
    record.entry = static_cast<std::uint64_t>(now_);
    now_ += length;
    record.exit = static_cast<std::uint64_t>(now_);
    record.site = 0x1000U + function;
    record.object =
        function == init || function == wait_all || function == finalize || function == matched_receive ? 0 : 1;
    record.peer = peer;
    record.count = 8;
    record.other = handle;
    record.type = 1;
    if (record.object != 0) record.flags = page::has_peer | page::has_tag | page::has_count;
    if (function == isend || function == irecv) record.flags |= page::nonblocking;
    records.push_back(record);
    return records.size();
  }
  /// All processes' `number`-th meeting, which all leave at that moment.
  void meet(std::uint32_t number, std::int64_t until) {
    Record& record = records[call(allreduce, -1, until - now_, 0) - 1];
    record.number = number;
    record.flags = page::has_count;
  }
  /// So many more before it that were in vain, with so much time between them altogether.
  void tests(std::uint32_t in_vain, std::int64_t between, std::int64_t length) {
    Record& record = asked(test, 0, length);
    record.number = in_vain;
    record.count = static_cast<std::uint64_t>(between);
  }
  /// Once, of that request; whether there was nothing.
  void ask(std::uint64_t handle, std::int64_t length, bool in_vain) {
    asked(test, handle, length).flags = in_vain ? page::in_vain : 0;
  }
  void detail(page::Detail what, std::uint64_t of, int peer, std::uint64_t handle) {
    Record record{};
    record.function = what;
    record.entry = of;
    record.exit = 1;
    record.peer = peer;
    record.count = 8;
    record.other = handle;
    record.type = 1;
    if (peer >= 0) record.flags = page::has_peer | page::has_tag | page::has_count;
    records.push_back(record);
  }

  /// The first of these requests, then the next, and so on, so often, all in vain.
  void ask_in_turn(const std::vector<std::uint64_t>& handles, std::uint32_t often, std::int64_t length,
                   std::int64_t pause) {
    const std::int64_t begin = now_;
    const auto all = static_cast<std::int64_t>(handles.size());
    const std::int64_t round = all * (length + pause);
    for (std::int64_t i = 0; i < all; ++i) {
      now_ = begin + i * (length + pause);
      Record& record = asked(test, handles[static_cast<std::size_t>(i)], length + (often - 1) * round);
      record.number = often - 1;
      record.count = static_cast<std::uint64_t>((often - 1) * (round - length));
      record.flags = page::in_vain;
    }
  }
  Record& asked(Function function, std::uint64_t handle, std::int64_t length) {
    Record& record = records[call(function, -1, length, handle) - 1];
    record.object = 0;
    record.count = 0;
    record.flags = 0;
    return record;
  }

  /// Without records [from, until).
  RankRecords reduced(std::size_t from, std::size_t until) const { return reduce(file(from, until)); }
  trace::File file(std::size_t from = 0, std::size_t until = 0, bool has_end = true) const {
    trace::Process process;
    process.rank = rank_;
    process.size = size_;
    process.any_source = any_source;
    process.any_tag = -1;
    process.proc_null = -3;
    process.host = "here";
    trace::BlockWriter writer;
    std::string definitions;
    trace::define(definitions, 1,
                  trace::Object{.identity = 9,
                                .rank = rank_,
                                .size = size_,
                                .peers = size_,
                                .members_known = true,
                                .members = {},
                                .name = "MPI_COMM_WORLD"});
    trace::define(definitions, 1, trace::Datatype{8, "MPI_DOUBLE"});
    const auto last = static_cast<std::uint64_t>(now_);
    std::string file = trace::file_head() + writer.block(BlockKind::process, content_of(process, functions())) +
                       writer.block(BlockKind::definitions, definitions) +
                       writer.block(BlockKind::clock, content_of(trace::Moment{0, 0, 0}));
    for (const auto& [first, end] : {std::pair{std::size_t{0}, from}, {until, records.size()}}) {
      trace::RecordEncoder encoder;
      for (std::size_t i = first; i < end; ++i) encoder.add(records[i], i);
      const BlockHead head{.count = static_cast<std::uint32_t>(end - first), .first = first};
      if (end > first) file += writer.block(BlockKind::records, encoder.take(), head);
    }
    for (const trace::Moment& moment : moments) file += writer.block(BlockKind::clock, content_of(moment));
    file += writer.block(BlockKind::clock, content_of(trace::Moment{last, last, last}));
    if (has_end) file += writer.block(BlockKind::end, content_of(trace::End{.lost = until - from, .how = {}}));
    return trace::File::holding(file, "a test");
  }

  std::vector<Record> records;
  std::vector<trace::Moment> moments;  // readings of the clock between the first and the last one

 private:
  int rank_;
  int size_;
  std::int64_t now_ = 0;
};

/// A message by MPI_Recv, found before or not; or by MPI_Mprobe.
inline void receive_somehow(Process& receiver, int from, std::int64_t until, int how, int source) {
  if (how >= 2) {
    const Function finding = how == 2 ? probe : matched_probe;
    const std::uint64_t call = receiver.call(finding, source, until - receiver.now(), 0);
    receiver.detail(page::message_found, call, from, how == 2 ? 0 : 3000);
    receiver.work(1);
  }
  const Function function = how == 3 ? matched_receive : receive;
  const std::uint64_t call = receiver.call(function, source, std::max(until - receiver.now(), std::int64_t{2}), 0);
  if (how == 3) receiver.detail(page::message_taken, call, -1, 3000);
  receiver.detail(page::message_received, call, from, 0);
}

/// Messages among three ranks with few handles, all with the same tag, so that each number counts; and as many meetings
/// of all, which some messages cross, and
/// which ranks leave within `spread`.
inline std::vector<Process> random_run(std::uint64_t seed, int meetings = 0, std::uint64_t spread = 1, int steps = 60) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::uint64_t most) { return static_cast<int>(random() % most); };
  std::vector<Process> run;
  for (int rank = 0; rank < 3; ++rank) run.emplace_back(rank, 3);
  const auto meet = [&](std::uint32_t number) {
    const bool is_crossed = below(2) == 0;  // by a message from rank 0 to rank 1
    if (is_crossed && below(2) == 0) run[1].call(irecv, 0, 1, 1500), run[0].call(isend, 1, 1, 2500);
    else if (is_crossed) run[0].call(isend, 1, 1, 2500), run[1].call(irecv, any_source, 1, 1500);
    std::int64_t last = 0;
    for (Process& one : run) one.work(1 + below(500)), last = std::max(last, one.now());
    for (Process& one : run) one.meet(number, last + 5 + below(spread));
    for (int rank = 0; is_crossed && rank < 2; ++rank) {
      Process& one = run[static_cast<std::size_t>(rank)];
      one.work(1 + below(500));
      one.detail(page::request_completed, one.call(wait_all, -1, 4, 0), rank == 0 ? -1 : 0, rank == 0 ? 2500 : 1500);
    }
  };
  if (meetings != 0) {  // sends do not need their receivers, and that is known from the beginning
    run[0].call(send, 1, 5, 0);
    run[1].work(20);
    receive_somehow(run[1], 0, run[1].now() + 7, 0, 0);
  }
  for (int step = 0; step < steps; ++step) {
    if (meetings != 0 && step % (steps / meetings) == 0)
      meet(static_cast<std::uint32_t>(1 + step / (steps / meetings)));
    const int from = below(3);
    const int to = (from + 1 + below(2)) % 3;
    Process& sender = run[static_cast<std::size_t>(from)];
    Process& receiver = run[static_cast<std::size_t>(to)];
    sender.work(1 + below(500));
    receiver.work(1 + below(500));
    const std::int64_t sent = sender.now();
    if (below(2) == 0) {
      sender.call(send, to, 5, 0);
      const std::int64_t until = std::max(sent, receiver.now()) + 7;
      receive_somehow(receiver, from, until, below(4), below(2) == 0 ? any_source : from);
      continue;
    }
    const int count = 1 + below(3);  // with the same handles again and again
    for (int i = 0; i < count; ++i) receiver.call(irecv, from, 1, 1000 + static_cast<std::uint64_t>(i));
    for (int i = 0; i < count; ++i) sender.call(isend, to, 1, 2000 + static_cast<std::uint64_t>(i));
    for (Process* const one : {&sender, &receiver}) {
      one->work(1 + below(100));
      const std::int64_t until = std::max(sender.now(), one->now()) + 3;
      const std::uint64_t call = one->call(wait_all, -1, until - one->now(), 0);
      for (int i = 0; i < count; ++i)
        one->detail(page::request_completed, call, one == &receiver ? from : -1,
                    (one == &receiver ? 1000U : 2000U) + static_cast<std::uint64_t>(i));
    }
  }
  std::int64_t last = 0;
  for (const Process& one : run) last = std::max(last, one.now());
  for (Process& one : run) {
    one.work(last - one.now() + 1);
    one.call(finalize, -1, 1, 0);
  }
  return run;
}

}  // namespace cairn::waits
