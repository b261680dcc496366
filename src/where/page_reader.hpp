// SPDX-License-Identifier: BSD-3-Clause
// page_reader.hpp - a process as its page shows it, checked: nothing here trusts what a page says
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/processes.hpp"
#include "cairn/kit/clock.hpp"
#include "cairn/page.hpp"
#include "where/sparse_bytes.hpp"

namespace cairn::where {

using page::Kind;

/// A communicator, window or file.
struct Object {
  page::Object::What what = page::Object::communicator;
  std::string name;
  std::uint64_t identity = 0;
  std::uint64_t made_at = 0;  // ticks
  int rank = 0;
  int size = 0;
  int remote_size = 0;
  std::uint32_t collectives = 0;
  int peers = 0;
  bool members_known = false;
  bool numbers_differ = false;  // those of its collective calls cannot be compared
  std::vector<int> members;     // world ranks; empty if they are the world's

  /// -1 for a process outside the world, or unknown.
  int world_rank(int peer) const;
  /// "MPI_COMM_WORLD", "'rows'", "a communicator of 4"
  std::string title() const;
};

struct Function {
  Kind kind = Kind::other;
  std::string name;
};

/// A call, or what a request was made with.
struct Call {
  const Function* function = nullptr;
  std::uint64_t number = 0;  // of the thread's calls, from 1; 0: of a request
  std::uint64_t entry = 0;
  std::uint64_t exit = 0;
  std::uint64_t site = 0;
  std::uint64_t count = 0;
  std::uint64_t other = 0;
  const Object* object = nullptr;  // null: unknown
  std::uint32_t collective = 0;    // number of the collective call
  int peer = 0;
  int tag = 0;
  std::uint64_t type_size = 0;  // 0: unknown
  std::uint32_t type_kind = 0;
  std::string type_name;
  std::uint16_t flags = 0;
  bool from_anyone = false;  // MPI_ANY_SOURCE
  bool any_tag = false;      // MPI_ANY_TAG
  bool with_nobody = false;  // MPI_PROC_NULL

  bool has(page::Flag flag) const { return (flags & flag) != 0; }
  bool is_under_way() const { return exit == 0; }
  /// Of a send or a receive, in the world; -1: any, none, or unknown.
  int partner() const { return object == nullptr || !has(page::has_peer) ? -1 : object->world_rank(peer); }
};

/// What the calls of a function have come to.
struct Figures {
  const Function* function = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;
};

struct Thread {
  int id = 0;
  bool in_use = false;
  char state = '?';  // as in proc(5): R running, S sleeping, D in the system, T stopped
  std::uint64_t count = 0;
  std::uint64_t in_mpi = 0;      // ticks in calls, so far
  std::vector<Figures> figures;  // of functions that have been called
  std::optional<Call> inside;
  std::vector<Call> calls;       // those that are still known, the latest first
  bool is_whole = false;         // these are all that it has made
  std::vector<Call> waited_for;  // requests of the call under way; some may be unknown
  std::uint64_t pc = 0;          // of the call under way or the last one, for unwinding
  std::uint64_t sp = 0;
  std::uint64_t fp = 0;
};

struct Mapped {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  std::string path;
  std::string build_id = {};  // as bytes; "": unknown
};

/// Relation of ticks and time.
struct TimeBase {
  std::uint64_t now_ticks = 0;
  double seconds_per_tick = 0;

  double seconds(std::uint64_t ticks) const { return static_cast<double>(ticks) * seconds_per_tick; }
  double ago(std::uint64_t ticks) const { return ticks >= now_ticks ? 0 : seconds(now_ticks - ticks); }
};

/// What tools publish of a process (cairn/board.hpp), as bytes, by ending.
using Boards = std::map<std::string, std::shared_ptr<SparseBytes>, std::less<>>;

struct Process {
  /// Over its threads, by function; null: unknown ones.
  std::map<const Function*, Figures> recorded() const;

  int rank = -1;
  int size = -1;
  int pid = 0;
  bool is_alive = false;
  bool runs_beside = false;  // as its node has told: a thread that never called MPI ran
  bool is_here = false;      // of this boot and this space of process numbers: whether it is alive can be told
  page::Phase phase = page::Phase::starting;
  std::uint64_t ended_at = 0;
  std::uint64_t started = 0;
  std::uint32_t left_out = 0;  // threads whose calls are not recorded
  bool lacks_objects = false;  // it has had some that are not among `objects`
  TimeBase time;
  std::string host, job, run, mpi, program, folder, end, path;
  std::string launcher;  // how other nodes are reached
  std::string nodes;     // lines "HOST RANKS" in the first process on each node of several
  std::shared_ptr<const std::vector<Function>> functions;
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<Call> requests;  // active
  std::vector<Thread> threads;
  std::vector<Mapped> mapped;
  Boards boards;                 // that came with its page from another node
  std::vector<int> deaths_seen;  // numbers of processes on its node that died first, of those that it watched
  std::size_t deaths_watched = 0;

  const Object* object_of(std::uint64_t identity) const;
  bool has_died() const { return !is_alive && phase != page::Phase::finalized; }
  bool has_ended() const { return phase == page::Phase::finalized || phase == page::Phase::ended || !is_alive; }
};

/// Where this process is: only of processes of the same boot and space is it known whether they are alive.
struct Here {
  std::string boot = boot_id();
  std::uint64_t space = space_of_process_numbers();
};

/// What only the node of a process can tell of it.
struct Observation {
  struct OfThread {
    char state = '?';
    std::uint64_t count = 0;  // of calls begun, after the page was copied
  };
  bool is_alive = false;
  bool runs_beside = false;
  ClockAnchor now;
  std::map<int, OfThread> threads;  // by id
};

/// A copy of a page, from another node.
struct SentPage {
  std::string name;  // "HOST/FILE"
  std::shared_ptr<SparseBytes> bytes;
  std::size_t history = 0;  // the calls per thread that are in it, at most
  Observation seen;
  Boards boards;
};

class PageBytes;

/// Reads pages one after the other; what they have in common is read once.
class PageReader {
 public:
  /// Throws Problem: no page, another version, damaged. `history`: calls per thread to read at most; 0: only whose
  /// page it is.
  Process read(const std::string& path, std::size_t history = 4096);
  Process read(const SentPage& page);

 private:
  Process read(const PageBytes& bytes, const std::string& path, std::size_t history, const Observation* seen);

  Here here_;
  std::string functions_text_;
  std::shared_ptr<const std::vector<Function>> functions_;
};

}  // namespace cairn::where
