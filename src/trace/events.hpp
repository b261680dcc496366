// SPDX-License-Identifier: BSD-3-Clause
// events.hpp - a process's records as what happened on its threads, one moment after the other: what other formats hold
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "trace/file.hpp"

namespace cairn::trace {

enum class Transfer : std::uint8_t {
  send,            // blocking
  receive,         // blocking
  begin_send,      // by a request
  end_send,        // its completion
  begin_receive,   // only that there is a request
  end_receive,     // who sent what is known now
  no_receive,      // its request ends without a message, or it is unknown with which
  begin_together,  // a collective call, by a request
  end_together,
};

/// Of a message: its partner, tag and bytes. Of a collective call: root and bytes, and the call.
struct Message {
  Transfer what{};
  std::uint32_t object = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;     // from 1, among the process's; 0: none
  const Record* call = nullptr;  // that began it
};

/// Gets what happens; moments of one thread never go back.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void enter(std::uint32_t thread, std::int64_t ns, const Record& call) = 0;
  virtual void leave(std::uint32_t thread, std::int64_t ns, const Record& call) = 0;
  virtual void message(std::uint32_t thread, std::int64_t ns, const Message& message) = 0;
  /// The last call that the thread has entered has to do with the process `detail.peer` in the world: one of its group,
  /// or a neighbor in the communicator `detail.object` that it has made.
  virtual void partner(std::uint32_t /*thread*/, const Record& /*call*/, const Record& /*detail*/) {}
  /// From then on the thread is in another region, as the tool in `detail.tag` numbers them (`detail.count`).
  virtual void region(std::uint32_t /*thread*/, std::int64_t /*ns*/, const Record& /*detail*/) {}
};

/// Goes through the records of one process.
class Player {
 public:
  Player(const File& file, EventSink& sink) : file_(file), sink_(sink) {}

  /// What stopped it before the end; "" for nothing.
  std::string play();

 private:
  struct Open {
    Record call;
    std::uint64_t number;
  };
  struct Thread {
    std::vector<Open> open;
    std::int64_t last_ns = INT64_MIN;
  };
  struct Request {
    Record call;
    std::uint64_t number;
  };

  Thread& of(std::uint32_t thread);
  std::int64_t moment(Thread& thread, std::uint64_t ticks);
  void take_call(std::uint32_t thread, std::uint64_t number, const Record& call);
  void take_detail(std::uint32_t thread, const Record& detail);
  void close(std::uint32_t thread, const Record& call);
  void close_before(std::uint32_t thread, std::uint64_t ticks);
  void tell_begin(std::uint32_t thread, std::int64_t ns, const Record& call);
  void start(std::uint32_t thread, std::int64_t ns, const Record& call, std::uint64_t handle);
  void complete(std::uint32_t thread, std::int64_t ns, const Record& detail);
  void freed(std::uint32_t thread, std::int64_t ns, const Record& detail);
  void received(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail);
  page::Kind kind_of(const Record& call) const;
  bool is_receive(const Record& call) const;
  bool is_to_be_started(const Record& call) const;

  const File& file_;
  EventSink& sink_;
  std::vector<Thread> threads_;
  std::map<std::uint64_t, std::deque<Request>> active_;  // by handle: several have one where they are complete at once
  std::map<std::uint64_t, Record> persistent_;
  std::uint64_t requests_ = 0;
};

}  // namespace cairn::trace
