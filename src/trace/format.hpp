// SPDX-License-Identifier: BSD-3-Clause
// format.hpp - the layout of a trace file, one per process (docs/trace-format.md)
//
// A file is a head and blocks. Each block is whole by itself, so that a file is readable up to its last whole block,
// whatever happens to the process that writes it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/page.hpp"
#include "cairn/services/clocks.hpp"

namespace cairn::trace {

inline constexpr std::string_view magic{"CAIRNTRC", 8};
inline constexpr std::uint32_t version = 7;             // earlier ones are read too (docs/trace-format.md)
inline constexpr std::uint32_t first_with_numbers = 5;  // of definitions
inline constexpr std::size_t head_size = magic.size() + sizeof version;

enum class BlockKind : std::uint8_t {
  process = 1,  // whose trace it is
  definitions,  // of what calls name by number: objects, datatypes, threads, regions; mapped files
  records,      // calls of one thread, in the order in which they began, and their details
  clock,        // a moment on several clocks, and what writing has taken by then
  end,          // all is written so far; how much was lost
  comparison,   // of the process's clock with the job's, where it has several
  common,       // alone in a file: what blocks of several traces have in common (common.hpp)
  uses_common,  // blocks after this one are compressed with that; its identity
};

/// How records are written.
enum class Form : std::uint8_t {
  exact,
  within_error,  // moments may be off by as much as the block says
};

/// Before each block. In the file little-endian, in this order, without gaps.
struct BlockHead {
  static constexpr std::size_t size = 28;
  static constexpr std::uint16_t mark = 0x5443;  // "CT"

  BlockKind kind{};
  Form form{};               // of records
  std::uint32_t raw = 0;     // bytes of the content
  std::uint32_t stored = 0;  // bytes that follow: the content as one frame of zstd with a checksum, or, if they are as
                             // many, as it is
  std::uint32_t thread = 0;  // of records: the thread's number, from 0
  std::uint32_t count = 0;   // of records
  std::uint64_t first = 0;   // number of the first of them among the thread's, from 0
};
inline constexpr std::uint32_t most_raw = 1U << 26U;
inline constexpr std::uint32_t most_records = 1U << 18U;
inline constexpr std::uint32_t records_in_block = 1U << 14U;  // at most, as they are written
inline constexpr std::uint32_t most_definitions = 1U << 20U;  // numbers of objects, datatypes and regions lie below

/// A call, or a detail of one, as in a page; its object and datatype are numbers in the file's definitions.
using Record = page::Record;
/// In a record's flags: the trace ends within the call.
inline constexpr std::uint16_t unfinished = 0x8000;

inline bool is_detail(const Record& record) { return record.function >= page::first_detail; }
/// A call begins, and a region changes, at a moment; other details have only the number of their call.
inline bool has_moment(const Record& record) { return !is_detail(record) || record.function == page::region_changed; }
/// In ticks. A detail without one, whose call is not there, comes before everything.
inline std::uint64_t moment_of(const Record& record) {
  return record.function == page::region_changed ? record.other : has_moment(record) ? record.entry : 0;
}

/// When the records of one thread named their objects and datatypes, in ticks: a call when it began; what a detail names,
/// its call may have made.
class NamingMoments {
 public:
  /// Of the next record.
  std::uint64_t next(const Record& record) {
    if (is_detail(record)) return std::max(ended_at_, record.exit);  // of what names a made object: when it was told
    ended_at_ = std::max(ended_at_, record.exit);
    return record.entry;
  }

 private:
  std::uint64_t ended_at_ = 0;  // the last of the calls so far
};

struct Object {
  page::Object::What what = page::Object::communicator;
  std::uint64_t identity = 0;
  std::int32_t rank = 0;
  std::int32_t size = 0;
  std::int32_t remote_size = 0;
  std::int32_t peers = 0;
  bool members_known = false;
  std::vector<std::int32_t> members;  // ranks in the world; empty if they are the world's
  std::string name;

  /// Of a rank in it, or in the other group; -1: unknown, or of another job.
  std::int32_t world_rank(std::int32_t peer) const {
    const auto place = static_cast<std::size_t>(peer);
    if (!members_known || peer < 0) return -1;
    return members.empty() ? peer : place < members.size() && members[place] >= 0 ? members[place] : -1;
  }

  bool operator==(const Object&) const = default;
};

struct Datatype {
  std::uint64_t size = 0;  // bytes of an element; 0: unknown
  std::string name;

  bool operator==(const Datatype&) const = default;
};

struct Mapped {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  std::string path;

  bool operator==(const Mapped&) const = default;
};

struct Function {
  page::Kind kind = page::Kind::other;
  std::string name;
};
/// MPI_Isendrecv and MPI_Isendrecv_replace; `peer` and `tag` are of what they send, and of what they receive is not recorded.
inline bool begins_exchange(const Function& function) {
  return function.kind == page::Kind::begin && function.name.find("sendrecv") != std::string::npos;
}
/// A message from `peer`, at once or later.
inline bool receives(const Function& function) {
  return function.kind == page::Kind::receive ||
         (function.kind == page::Kind::begin && function.name.find("ecv") != std::string::npos &&
          !begins_exchange(function));
}

inline bool cancels(const Function& function) { return function.name == "MPI_Cancel"; }

/// The b of MPI_Bsend, MPI_Ibsend and MPI_Bsend_init; 0 for MPI_Send.
inline char mode_letter(const Function& function) {
  const std::size_t send = function.name.find("send");
  return send == 0 || send == std::string::npos ? '\0' : static_cast<char>(function.name[send - 1] | 0x20);
}

/// Asks, and returns: its records have numbers of tests.
inline bool is_test(const Function& function) { return function.kind == page::Kind::test; }
/// Of such a record: ticks outside of the tests that it stands for.
inline std::uint64_t between_tests(const Record& call) { return std::min(call.count, call.exit - call.entry); }

/// Functions with large counts do the same as those without.
inline std::string without_large(const std::string& name) {
  return name.ends_with("_c") ? name.substr(0, name.size() - 2) : name;
}

/// MPI_Send_init and the like.
inline bool is_to_be_started(const Function& function) { return without_large(function.name).ends_with("_init"); }

/// Partitioned messages are matched with each other only.
inline bool is_partitioned(const Function& function) {
  return function.name == "MPI_Psend_init" || function.name == "MPI_Precv_init";
}

/// Of a message; or what is asked for, which may be any.
struct Envelope {
  std::int32_t source = 0;
  std::int32_t tag = 0;
};
/// What an exchange receives; `peer` and `tag` are of what it sends.
inline Envelope asked_by_exchange(const Record& call) {
  return {static_cast<std::int32_t>(call.other), static_cast<std::int32_t>(call.other >> 32U)};
}
/// Of a call that receives, or looks for a message.
inline Envelope asked_for(const Function& function, const Record& call) {
  return function.kind == page::Kind::exchange ? asked_by_exchange(call) : Envelope{call.peer, call.tag};
}

/// The same moment on the processor's counter and on the node's clocks.
struct Moment {
  std::uint64_t ticks = 0;
  std::uint64_t monotonic_ns = 0;
  std::uint64_t real_ns = 0;  // since 1970
  std::uint64_t work_ns = 0;  // processor time that writing had taken
  std::uint64_t records = 0;  // that were written
};

/// As the process's clock was compared with that of the job (services/clocks.hpp).
using Comparison = cairn::ClockComparison;

struct Process {
  std::int32_t rank = -1;
  std::int32_t size = -1;
  std::int32_t pid = 0;
  std::int32_t any_source = 0;
  std::int32_t any_tag = 0;
  std::int32_t proc_null = 0;
  std::string run, host, boot, program, mpi;
  std::string choice;          // of the calls that are in the trace; "": all
  std::uint64_t error_ns = 0;  // by which moments in the trace may be off; 0: exact
  std::vector<Function> functions;

  /// Whether that message may be what is asked for.
  bool may_be(const Envelope& asked, const Envelope& message) const {
    return (asked.source == any_source || asked.source == message.source) &&
           (asked.tag == any_tag || asked.tag == message.tag);
  }
};

/// What is known when a block of this kind is written.
struct End {
  std::uint64_t records = 0;
  std::uint64_t lost = 0;      // overwritten before they could be written down
  std::uint64_t omitted = 0;   // beyond the limit
  std::uint64_t left_out = 0;  // threads that had no place in the page
  std::uint64_t work_ns = 0;   // processor time that writing took
  std::string how;             // "", "SIGTERM"
  std::uint64_t unnamed = 0;   // objects and datatypes that came when all numbers were taken
};

}  // namespace cairn::trace
