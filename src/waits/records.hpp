// SPDX-License-Identifier: BSD-3-Clause
// records.hpp - what is needed of one process to find out why ranks wait: its calls, and what began and ended in each
//
// Calls of one thread do not overlap; what a call does within another one belongs to that. Moments are nanoseconds on
// the clock of the node.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cairn::waits {

using Index = std::uint32_t;
inline constexpr Index none = UINT32_MAX;
inline constexpr std::int64_t no_end = INT64_MAX;
inline constexpr const char* without_end = "no end";  // in place of how the process ended: its records do not tell

struct Site {
  std::string function;  // "MPI_Send"; "": a place that a sample has found
  std::string object;    // program or library; "" if unknown
  std::uint64_t offset = 0;

  auto operator<=>(const Site&) const = default;
};

struct Comm {
  std::uint64_t identity = 0;  // the same in all its processes
  std::string name;
  int size = 0;              // processes on both sides
  std::vector<int> sources;  // of this process's neighborhood calls, in the world; none: unknown, or there are none

  bool operator==(const Comm&) const = default;
};

struct Call {
  std::int64_t entry = 0;
  std::int64_t exit = 0;
  Index site = 0;
  Index region = 0;
  Index before = 0;  // region in which most of the work before it was done

  bool operator==(const Call&) const = default;
};

/// Work before a call, where that was done in several regions.
struct Spell {
  Index call = 0;
  Index region = 0;
  std::int64_t ns = 0;

  bool operator==(const Spell&) const = default;
};

/// Processor time of work before a call, as a timer has found it.
struct Sample {
  Index call = 0;
  Index site = 0;           // where the thread was: without function
  std::uint64_t times = 0;  // that a timer found it there
  std::int64_t ns = 0;      // of processor time, for which these samples stand

  bool operator==(const Sample&) const = default;
};

/// What a message is, or stands for: of one-sided communication, that one process may go on since the other one has
/// come to a call.
enum class Signal : std::uint8_t {
  message,
  post,      // MPI_Win_post: those of its group may access
  complete,  // MPI_Win_complete: they have
  unlock,    // the next one has the lock
};

/// Whether a send may be complete without its receiver.
enum class SendMode : std::uint8_t {
  standard,     // as soon as the library has taken it over, which depends on its size
  synchronous,  // not before the receiver asks for it
  buffered,     // always
};

inline constexpr std::uint8_t of_any_tag = UINT8_MAX;

/// One end of a message. Calls are named by their place in `calls`.
struct MessageEnd {
  std::uint64_t flow = 0;  // the same at both ends, and nowhere else; 0: unknown
  std::uint64_t bytes = 0;
  Index comm = 0;
  Index begin = none;  // the call that sent it, or asked for it
  Index end = none;    // the call that returned when this end was complete; none: no call did
  bool is_sender = false;
  Signal signal = Signal::message;     // those of unlocking are found later
  SendMode mode = SendMode::standard;  // of the sender's end
  std::uint8_t of_any = 0;             // of the receiver's, 0: of one sender; else from whoever sends (MPI_ANY_SOURCE),
                                       // of_any_tag, and of the same tag the same number below that

  bool operator==(const MessageEnd&) const = default;
};

/// A call that has found a message which another one has received.
struct Probe {
  Index call = none;
  Index message = 0;  // in `messages`

  bool operator==(const Probe&) const = default;
};

/// From MPI_Win_lock to MPI_Win_unlock.
struct Lock {
  Index comm = 0;            // the window
  std::int32_t target = -1;  // in the window; -1: all (MPI_Win_lock_all)
  bool is_exclusive = false;
  Index begin = none;
  Index end = none;
  Index had = none;  // the first call that cannot have returned without the lock

  bool operator==(const Lock&) const = default;
};

inline constexpr std::int32_t no_root = -1;
inline constexpr std::int32_t outside = -2;  // in the root's group of an inter-communicator

/// A part in a collective operation.
struct Together {
  Index comm = 0;
  std::uint64_t number = 0;  // among those of the communicator, window or file
  std::int32_t root = -1;    // in the world; no_root, or it has no part in it: outside
  Index begin = none;
  Index end = none;
  Index described = none;  // site of the call that made the persistent operation; none: `begin` did

  bool operator==(const Together&) const = default;
};

struct ThreadCalls {
  Index first = 0;  // in `calls`
  Index count = 0;
  bool begins_earlier = false;  // the first one stands for those of earlier sections
  std::int32_t id = 0;          // gettid(2); 0: unknown

  bool operator==(const ThreadCalls&) const = default;
};

/// How its clock was compared with that of the job's first process, on which its moments are then.
struct ComparedClock {
  std::uint64_t reference = 0;  // that clock; 0: it was not compared
  std::int64_t error_ns = 0;    // of its moments, at most
  std::int64_t drift_ns = 0;    // what the clocks differed by more at the end than at the start
  bool is_at_end = false;       // it was compared there, too

  bool operator==(const ComparedClock&) const = default;
};

/// Of one section of the run (sections.hpp): the whole run, if it is short. In sections after the first one each thread
/// that made calls before begins with a call that stands for these, and in those before the last one it ends with one:
/// both take no time, at the moment at which its last call before was over, and at the place of that one.
struct RankRecords {
  int rank = 0;
  int size = 0;
  std::uint32_t section = 0;
  bool is_last = true;
  std::string node;  // whose clock it has
  ComparedClock clock;
  std::int64_t shift_ns = 0;    // added to its moments, they are the time of day
  std::string end;              // "" for MPI_Finalize, "SIGTERM"
  std::uint64_t lost = 0;       // records that were overwritten before they could be taken
  std::uint64_t omitted = 0;    // beyond the limit of memory
  std::uint64_t left_out = 0;   // threads
  std::uint64_t jumps = 0;      // readings of the clock that do not fit the others
  std::uint64_t cut = 0;        // calls, because not all are known for that time (cut.hpp)
  std::int64_t until = no_end;  // the first call that is missing, beyond a limit or lost
  std::int64_t over = 0;        // when the process was at its end; 0: unknown
  std::vector<Site> sites;
  std::vector<std::string> regions;  // the first is "": outside
  std::vector<Comm> comms;
  std::vector<Call> calls;
  std::vector<ThreadCalls> threads;
  std::vector<MessageEnd> messages;
  std::vector<Probe> probes;
  std::vector<Together> together;
  std::vector<Lock> locks;
  std::vector<Index> unknown;   // calls that need what the process has no records of: waiting or transfer
  std::vector<Spell> spells;    // by call
  std::vector<Sample> samples;  // by call
  std::uint64_t unsampled = 0;  // threads

  bool operator==(const RankRecords&) const = default;
};

}  // namespace cairn::waits
