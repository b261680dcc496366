// SPDX-License-Identifier: BSD-3-Clause
// events.hpp - a process's records as what happened on its threads, one moment after the other: what other formats hold
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "trace/file.hpp"

namespace cairn::trace {

enum class Transfer : std::uint8_t {
  send,            // blocking
  receive,         // blocking; `request`: of the message that was found for it
  begin_send,      // by a request
  end_send,        // its completion
  begin_receive,   // only that there is a request
  end_receive,     // who sent what is known now
  found,           // by a probe; `request`: it is taken out, for a receive of that number; 0: it stays
  ready,           // a part of what the request sends
  no_receive,      // its request ends without a message, or it is unknown with which
  hidden_receive,  // by a request, on the communicator; it is unknown what it asks for
  begin_together,  // a collective call, by a request
  end_together,
};

/// Bytes that the process sends and receives by a call (kit/moves.hpp).
struct Moved {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
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
  std::uint32_t start = 0;       // of a persistent collective call: how many there were before
  bool is_partitioned = false;   // such messages are matched with each other only
  std::optional<Moved> moved{};  // at the end of a collective call, where it was recorded
  bool is_cancelled = false;     // at the end of a request
};

/// Access to a file, or to another process's memory.
struct Access {
  std::uint64_t request = 0;  // as of messages
  const Record* call = nullptr;
  bool is_over = false;
  std::optional<std::uint64_t> bytes{};  // of a file, once it is over: that were read or written
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
  /// The call that the thread is about to leave has moved so much; or its request does.
  virtual void moved(std::uint32_t /*thread*/, const Record& /*call*/, Moved /*bytes*/) {}
  /// The call that the thread is about to leave has made that window or file.
  virtual void made(std::uint32_t /*thread*/, const Record& /*call*/, const Record& /*detail*/) {}
  /// The call that the thread is about to leave has begun it by a request, or ended one of its requests, or done all.
  virtual void access(std::uint32_t /*thread*/, std::int64_t /*ns*/, const Access& /*access*/) {}
  /// The call that the thread has entered asks for that request, in vain.
  virtual void tested(std::uint32_t /*thread*/, std::int64_t /*ns*/, std::uint64_t /*request*/) {}
  /// From then on the thread is in another region, as the tool in `detail.tag` numbers them (`detail.count`).
  virtual void region(std::uint32_t /*thread*/, std::int64_t /*ns*/, const Record& /*detail*/) {}
  /// What follows is of another thread, which has taken that one's place (page::thread_begun).
  virtual void thread_begun(std::uint32_t /*thread*/, const Record& /*detail*/) {}
  /// `count` records of the thread are missing. All that they can tell is of `ns` (INT64_MIN: unknown) or later.
  virtual void gap(std::uint32_t /*thread*/, std::int64_t /*ns*/, std::uint64_t /*count*/) {}
};

/// Goes through the records of one process.
class Player {
 public:
  /// `until`: calls that begin then or later are not told.
  Player(const File& file, EventSink& sink, std::int64_t until = INT64_MAX)
      : file_(file), sink_(sink), until_(until), records_(file) {}

  /// To the end.
  void play() {
    while (step()) {
    }
  }
  /// Tells one record. False: there is no more, and calls under way have been told to end.
  bool step();

 private:
  struct Open {
    Record call;
    std::uint64_t number;
  };
  struct Thread {
    std::vector<Open> open;
    std::int64_t last_ns = INT64_MIN;
    std::uint64_t number = 0;  // of its last record
  };
  struct Request {
    Record call;
    std::uint64_t number;
    std::optional<Moved> moved{};
    std::uint32_t start = 0;
    bool is_partitioned = false;
  };

  Thread& of(std::uint32_t thread);
  std::int64_t moment(Thread& thread, std::uint64_t ticks);
  bool is_over(const Record& record) const;
  std::int64_t known_until(const Thread& thread) const;
  void note_gap(std::uint32_t thread, std::uint64_t number);
  void take_call(std::uint32_t thread, std::uint64_t number, const Record& call);
  void take_detail(std::uint32_t thread, const Record& detail);
  void close(std::uint32_t thread, const Record& call, std::uint64_t until = UINT64_MAX);
  void close_before(std::uint32_t thread, std::uint64_t ticks);
  void tell_begin(std::uint32_t thread, std::int64_t ns, const Record& call);
  void tell_test(std::uint32_t thread, std::int64_t ns, const Record& call);
  void start(std::uint32_t thread, std::int64_t ns, Request request);
  void complete(std::uint32_t thread, std::int64_t ns, const Record& detail);
  void found(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail);
  void taken(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail);
  void ready(std::uint32_t thread, std::int64_t ns, const Record& detail);
  void freed(std::uint32_t thread, std::int64_t ns, const Record& detail);
  void received(std::uint32_t thread, std::int64_t ns, const Record& call, const Record& detail);
  void moved(std::uint32_t thread, const Record& call, const Record& detail);
  bool is_access(const Record& call) const;
  page::Kind kind_of(const Record& call) const;

  const File& file_;
  EventSink& sink_;
  std::int64_t until_;
  Records records_;
  std::vector<Thread> threads_;
  std::map<std::uint64_t, std::deque<Request>> active_;  // by handle: several have one where they are complete at once
  std::map<std::uint64_t, Request> persistent_;
  bool may_be_cancelled_ = false;                       // some request
  std::map<std::uint64_t, std::deque<Message>> found_;  // by the message's handle
  std::uint64_t requests_ = 0;
};

}  // namespace cairn::trace
