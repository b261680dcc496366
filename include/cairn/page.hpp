// SPDX-License-Identifier: BSD-3-Clause
// page.hpp - what a process records about its MPI calls, as it lies in memory that other processes can read
//
// The service "cairn.recorder" (services/recorder/) keeps one page per process, a file in memory of the node:
// $CAIRN_PAGES, or /dev/shm/cairn-UID, mode 0700. It is readable at any time by the same user's processes, and after
// the process's death, even by SIGKILL. `cairn where` and `cairn live` are readers.
//
// Layout: PageHeader, then the tables and rings whose places it gives as offsets from the beginning of the file.
// Numbers have the processor's byte order. Moments are ticks (kit/clock.hpp); two anchors give their relation to
// CLOCK_MONOTONIC, which has one value for all processes of a node. A page of another `version` has another layout.
//
// Reading while the process writes: the writer never waits, so a reader checks.
//   - Ring: a thread's call number n (from 0) is at records[n % ring_size]. Read `count` (acquire), copy records, read
//     `count` again: the record of call n is whole if n < the first count and n + ring_size > the second one.
//     Only `exit`, `other` and the flags of a call under way are written later, `exit` last (release).
//   - Figures: each is one number that only grows, written by its thread alone, so it is whole whenever it is read.
//   - Tables: an entry counts once its `state` is not absent; an entry whose `state` differs before and after is being
//     replaced. Places are used again, the one that has been free the longest first: of a record that began before the
//     entry's `made_at`, the index means what was there before, which is unknown by then.
// Every offset, index and text must be checked against the size of the file: it may be truncated or damaged.

#pragma once

#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace cairn::page {

inline constexpr char magic[8] = {'C', 'A', 'I', 'R', 'N', 'P', 'G', '\n'};
inline constexpr std::uint32_t version = 9;

/// What a function means to a reader that looks for who waits for whom.
enum class Kind : std::uint8_t {
  other,
  send,        // may wait until the message is received: peer, tag
  receive,     // peer, tag
  exchange,    // sends to peer with tag, receives from `other`
  probe,       // like receive, without receiving
  wait,        // for requests: waited_for of the thread
  test,        // asks whether there is something, and returns
  start,       // begins transfers of requests that exist
  begin,       // returns a new request: a message, or file access
  collective,  // all processes of the object take part, each in the same order: number, root
  window,      // one-sided, without waiting for the target
  sync,        // one-sided synchronization with some processes
  file,        // of one process
  init,
  finalize,
  abort,
};

/// One call, 64 bytes: a cache line.
struct Record {
  std::uint64_t entry;   // ticks
  std::uint64_t exit;    // ticks; 0: under way
  std::uint64_t site;    // return address in the program; 0: unknown
  std::uint64_t count;   // elements of `type` sent or received by this process; of waits: the number of requests; of
                         // tests: ticks outside MPI between those that this record stands for
  std::uint64_t other;   // handle of the new request, or the one waited for; of an exchange: source | tag << 32
  std::uint32_t object;  // index in the objects: communicator, window or file; 0: none, or unknown
  std::uint32_t number;  // of this collective call among those of the object, from 1; 0: not collective; of tests: how
                         // many more than one this record stands for
  std::int32_t peer;     // rank in the object; root of collective calls; as in the call (MPI_ANY_SOURCE is negative)
  std::int32_t tag;      // as in the call
  std::uint32_t type;    // index in the datatypes; 0: none, or unknown
  std::uint16_t function;
  std::uint16_t flags;
};
static_assert(sizeof(Record) == 64);

/// In `function`: the record is not a call, but tells more of an earlier one of the thread, whose number (from 1) is in
/// `entry`; `exit` is 1, or, where an object is named that the call has made, ticks: when it was told. Only where a tool
/// wants details (services/recorder.hpp). `other`: the request's handle; `peer`, `tag`, `count`, as `flags` says: where the
/// message came from, and its bytes.
enum Detail : std::uint16_t {
  first_detail = 0xfff2,
  /// Of no call, `entry` is 0: what follows is of the thread `tag`, by gettid(2), in place of `peer`, which has ended.
  thread_begun = first_detail,
  message_found,    // by a probe; `other`: of MPI_Mprobe and MPI_Improbe, the message's handle
  message_taken,    // by MPI_Mrecv or MPI_Imrecv; `other`: its handle
  partition_ready,  // by MPI_Pready and the like; `other`: the request's handle
  object_made,      // `object`: the window or file that the call has made; of a file: access in `tag`
  share,            // `count`: bytes that it sends to `peer` of the communicator, where each gets another part
  moved,  // `count`: bytes that the process sends, `other`: that it receives (kit/moves.hpp), where its record leaves
          // that open
  region_changed,    // after that record: `other`: ticks; `count`: the region's number, of the layer `tag`
  partner,           // MPI_Win_post, MPI_Win_start: one of the group; `peer` in the world
  neighbor,          // the call made `object`, where neighborhood calls receive from `peer`, its rank in the world
  message_received,  // by the call itself; of a file, without `peer`: bytes that it has read or written
  request_freed,     // by MPI_Request_free
  request_started,   // persistent
  request_completed,
};

enum Flag : std::uint16_t {
  has_peer = 1,
  has_root = 2,
  has_tag = 4,
  has_count = 8,
  failed = 16,   // returned another code than MPI_SUCCESS; of a request that is complete: it was cancelled
  in_vain = 32,  // a test that found nothing; equal ones after it, with at most so many others in turn as
                 // tests_in_turn says, are the same record, whose exit moves on: it may be later than the next entry
  nonblocking = 64,    // returned a request
  same_for_all = 128,  // the count must be the same in all processes
  makes_comm = 256,    // when the request is complete; `count` is the handle of the communicator
  exclusive = 512,     // MPI_Win_lock with MPI_LOCK_EXCLUSIVE
  asleep = 1024,  // a test that found nothing, again and again, while the thread slept between: the process used hardly
                  // any processor time, as far as was looked, which is where 65 us or more passed
};

/// Different tests that a program may make again and again, one after the other, and that are a record each. The one that
/// finds something then is a record of its own.
inline constexpr std::uint64_t tests_in_turn = 4;

/// Of a file, in object_made.
enum Access : std::int32_t { reads = 1, writes = 2 };

/// A communicator, window or file, 128 bytes. Those with the same members may have one list of them.
struct Object {
  enum State : std::uint32_t { absent, present, freed };
  enum What : std::uint32_t { communicator, window, file };
  std::atomic<std::uint32_t> state;
  std::uint32_t what;
  std::uint64_t handle;    // as the program has it
  std::uint64_t identity;  // the same in all processes of the object, and only there
  std::uint64_t made_at;   // ticks
  std::int32_t rank;
  std::int32_t size;
  std::int32_t remote_size;                // of an inter-communicator, otherwise 0
  std::atomic<std::uint32_t> collectives;  // called on it so far
  std::uint64_t members_at;                // int32_t[peers]: ranks in the world; 0: the world's order, or unknown
  std::int32_t peers;                      // processes that a rank in a call can mean
  std::uint32_t members_known;             // 0: unknown
  std::uint32_t numbers_differ;            // a collective call has failed: others may have counted it, or not
  char name[60];                           // as the program or Cairn names it
};
static_assert(sizeof(Object) == 128);

/// 64 bytes. `kind`: datatypes with the same kind consist of one basic type only, and of the same; 0: of several, or
/// unknown. Comparable between processes.
struct Datatype {
  std::atomic<std::uint64_t> handle;  // 0: absent
  std::uint64_t size;                 // bytes of an element
  std::uint64_t made_at;              // ticks
  std::uint32_t kind;
  char name[36];
};
static_assert(sizeof(Datatype) == 64);

/// A request that is not known to be complete: the record of the call that made it, with a state in place of `exit`.
struct Request {
  enum State : std::uint64_t { absent, active, inactive };  // inactive: persistent, not started
  std::uint64_t begin;                                      // ticks
  std::atomic<std::uint64_t> state;
  std::uint64_t site;
  std::uint64_t count;
  std::uint64_t handle;
  std::uint32_t object;
  std::uint32_t number;
  std::int32_t peer;
  std::int32_t tag;
  std::uint32_t type;
  std::uint16_t function;
  std::uint16_t flags;
};
static_assert(sizeof(Request) == sizeof(Record) && offsetof(Request, state) == offsetof(Record, exit) &&
              offsetof(Request, handle) == offsetof(Record, other) &&
              offsetof(Request, flags) == offsetof(Record, flags));

/// A mapped program or library that calls come from, 512 bytes: what tells the meaning of an address after death.
struct Mapped {
  std::uint64_t begin;
  std::uint64_t end;
  std::uint64_t bias;  // subtracted from an address: as in the symbol table
  std::uint32_t build_id_size;
  std::uint8_t build_id[20];
  char path[464];
};
static_assert(sizeof(Mapped) == 512);

/// What a thread's calls of one function have come to. Calls that a test makes in vain count one by one here.
struct Figures {
  std::atomic<std::uint64_t> calls;  // that have ended
  std::atomic<std::uint64_t> ticks;  // in them, with the calls within them
};
static_assert(sizeof(Figures) == 16);

/// One thread: this block, its figures at figures_at, by the number of the function, and its ring at thread_head.
struct Thread {
  static constexpr std::size_t most_waited_for = 1024;

  // Written by every call.
  std::atomic<std::uint64_t> count;   // records begun so far: calls, and details
  std::atomic<std::uint64_t> inside;  // number of the innermost call under way, from 1; 0: outside of MPI
  std::uint64_t pc;                   // the caller of that call, or of the last: where unwinding its stack begins
  std::uint64_t sp;
  std::uint64_t fp;
  std::uint32_t waited_for_count;  // of the call under way
  std::int32_t id;                 // gettid(2)
  std::atomic<std::uint32_t> in_use;
  std::uint32_t reserved;
  /// Ticks in recorded calls; while one is under way, less its entry: below 0 as a signed number, and the sum with the
  /// moment of reading tells the ticks so far.
  std::atomic<std::uint64_t> in_mpi;

  alignas(64) std::uint16_t waited_for[most_waited_for];  // indices of requests
};
static_assert(sizeof(Thread) <= 4096);
inline constexpr std::size_t figures_at = 4096;
inline constexpr std::size_t most_functions = 768;
inline constexpr std::size_t thread_head = figures_at + most_functions * sizeof(Figures);

struct Anchor {
  std::uint64_t ticks;
  std::uint64_t nanoseconds;  // CLOCK_MONOTONIC
};

/// What a process has seen of others of its job on its node: those that had ended without MPI_Finalize when it saw that
/// any had, which are the first to die of those that it watched.
struct DeathsSeen {
  static constexpr std::uint32_t most = 13;
  std::atomic<std::uint32_t> count;  // written last; more than `most`: not all are there
  std::uint32_t watched;             // processes, with these
  std::int32_t pids[most];
};

/// A robust mutex (pthread_mutex_lock(3)), locked for ever by the process's first thread; all 0 if another one has made
/// the page. The kernel marks its first word, FUTEX_OWNER_DIED, when that thread begins to end, and wakes one that waits
/// for it (futex(2)).
struct Life {
  alignas(64) std::uint32_t word;
  char rest[60];
};

/// Where a table is.
struct Table {
  std::uint64_t at;
  std::uint64_t count;
};

/// Where the rest of a table is that has grown: in parts of as many entries as the table itself. Entries stay where they
/// are.
struct MoreOfTable {
  static constexpr std::size_t most = 15;
  std::atomic<std::uint64_t> at[most];  // offsets; 0: there is none from here on
};

enum class Phase : std::uint32_t {
  starting,   // MPI_Init has not returned
  running,    // rank, size, run and folder are known
  finalized,  // MPI_Finalize has returned
  ended,      // without it: `end` tells how
};

struct PageHeader {
  static constexpr std::size_t most_threads = 256;

  char magic[8];
  std::uint32_t version;
  std::uint32_t header_size;
  std::uint64_t file_size;  // so far
  std::int32_t pid;
  std::uint32_t uid;
  std::uint64_t process_start;  // field 22 of /proc/PID/stat: another process may get the same pid
  std::uint64_t pid_space;      // inode of /proc/self/ns/pid: where the pid means something
  Anchor first;
  Anchor last;
  std::atomic<Phase> phase;
  std::int32_t rank;                            // in MPI_COMM_WORLD; while starting as the launcher says; -1: unknown
  std::int32_t size;                            // of MPI_COMM_WORLD; likewise
  std::uint32_t ring_size;                      // records per thread, a power of two
  std::atomic<std::uint32_t> left_out;          // threads without a block here: what they call is unknown
  std::atomic<std::uint32_t> objects_left_out;  // objects without a place here: calls on them name none
  std::uint32_t reserved;
  std::uint64_t ended_at;  // ticks: when phase became finalized or ended

  std::int32_t any_source;  // values of MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL in peer and tag
  std::int32_t any_tag;
  std::int32_t proc_null;

  Table functions;  // `count` bytes: for each number a byte Kind, its name, a 0
  Table objects;    // Object, the first unused
  MoreOfTable more_objects;
  Table datatypes;  // Datatype, the first unused
  MoreOfTable more_datatypes;
  Table requests;                                    // Request
  Table mapped;                                      // Mapped
  std::atomic<std::uint64_t> threads[most_threads];  // offsets; 0: none

  char boot[40];  // /proc/sys/kernel/random/boot_id: monotonic time of another boot means nothing
  char host[64];
  char job[128];  // what the launcher calls the job
  char run[64];   // identity of the run; "" before MPI_Init has returned
  char mpi[16];   // "openmpi", "mpich"
  char program[512];
  char folder[512];  // the run's; ""
  char end[128];     // "SIGTERM", "exit without MPI_Finalize"

  char launcher[256];  // how other nodes are reached: "slurm 1234", "agent PROGRAM"; "": ssh
  Table nodes;         // `count` bytes, in the first process on each node of several: lines "HOST RANKS"
  DeathsSeen deaths;   // in two processes of each node, where a tool looks for them
  Life lives[2];       // one for each of these two to wait for
};
static_assert(sizeof(PageHeader) <= 8192);
inline constexpr std::size_t header_room = 8192;

/// $CAIRN_PAGES, or /dev/shm/cairn-UID.
inline std::string folder() {
  const char* const chosen = std::getenv("CAIRN_PAGES");
  return chosen != nullptr && *chosen != '\0' ? chosen : "/dev/shm/cairn-" + std::to_string(geteuid());
}

// Files beside the pages, in the same folder: RUN.run, and the file named by watch_name(), which is locked by the process
// that watches.

/// What processes of a run on this node tell each other, and who clears away what they leave.
struct RunFile {
  std::atomic<std::int32_t> processes;  // that have not finalized MPI: the last one removes all of the run
  std::uint32_t has_folder;             // the run's folder has been made: where it is gone, somebody has removed it
  std::int64_t stays_since;  // seconds since 1970: pages could not be moved to the run's folder; 0: they could
};
static_assert(sizeof(RunFile) == 16);

inline std::string run_name(std::string_view run) { return std::string(run).append(".run"); }
inline std::string run_file(std::string_view run) { return folder().append("/").append(run_name(run)); }

/// FNV-1a with 64 bits.
inline std::uint64_t hash_of(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  return hash;
}

/// By what the launcher calls the job: it is known before MPI_Init.
inline std::string watch_name(std::string_view job) { return std::to_string(hash_of(job)) + ".watch"; }

}  // namespace cairn::page
