// SPDX-License-Identifier: BSD-3-Clause
// graph.hpp - the calls of all ranks, and which of them belong together: both ends of messages, parts of operations
//
// A call is named by its place among those of all threads of all ranks (Index). The first call of a rank's first thread
// starts MPI, its last one ends the run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

/// What a function of collective calls makes its processes wait for.
enum class Pattern : std::uint8_t {
  barrier,    // for the last
  n_to_n,     // for the last
  one_to_n,   // for the root
  n_to_one,   // the root for the others
  scan,       // for the ranks before
  neighbors,  // for those that they receive from
  fence,      // as below, one-sided
  creation,   // perhaps for the last: of communicators, windows
  io,         // perhaps for the last
  finalize,
};
Pattern pattern_of(std::string_view function);

struct Node {
  std::int64_t entry = 0;  // on the clock of rank 0's node
  std::int64_t exit = 0;
  Index site = 0;  // among the graph's
  Index region = 0;
  Index before = 0;  // region of the work before it
  Index lane = 0;
};

/// What the thread of both calls did from the one to the other, without calls between them.
inline std::int64_t work_ns(const Node& before, const Node& after) {
  return std::max<std::int64_t>(0, after.entry - before.exit);
}

/// The calls of one thread: [first, last).
struct Lane {
  int rank = 0;
  Index first = 0;
  Index last = 0;
  bool is_main = false;         // the rank's first one
  bool begins_earlier = false;  // its first call stands for those of earlier sections
  bool is_whole = false;        // ends with MPI_Finalize
  /// Of a further thread: the main one's last call that was over when it came to its first one. What it did until then,
  /// the process did.
  Index after = none;
};

/// A call that has come after another thread's. Of the main thread: it has waited for that thread, or for the end of what
/// that one did. Of a further thread: it goes on when the main one has come so far, as at the start of a parallel region;
/// a call has one of these at most.
struct Join {
  Index call = none;
  Index last = none;      // of the other thread
  bool is_often = false;  // seen again and again, rather than once
};

/// A message with both ends. `send_end`: none, where no call completed it.
struct Link {
  Index send_begin = none;
  Index send_end = none;
  Index receive_begin = none;
  Index receive_end = none;
  std::uint64_t bytes = 0;
  Index comm = 0;
  SendMode mode = SendMode::standard;
  Signal signal = Signal::message;
  bool is_within_node = false;
  std::uint8_t of_any = 0;  // as of the receiver's end
};

/// One end of a message whose other end is not known: its process has no records of it, or is not of this job.
struct Unpaired {
  Index end = none;  // the call that completes it, or finds it; none, where no call did
  std::uint64_t bytes = 0;
  bool is_receive = false;
  bool is_synchronous = false;
};

struct Part {
  Index begin = none;
  Index end = none;
  int rank = 0;
};
struct Operation {
  Pattern pattern{};
  Index comm = 0;
  Index first = 0;  // in `parts`, by rank
  Index count = 0;
  std::int32_t root = -1;
  bool is_whole = false;  // all processes take part
};

/// What a call completes.
struct Ended {
  enum What : std::uint8_t { receive, send, part, probe };  // probe: a message has been found, not received
  Index which = 0;                                          // link, or part
  What what{};

  bool needs_sender() const { return what == receive || what == probe; }
};

/// A lock that somebody had until it entered `unlock`, from `begin` on at the earliest.
struct Held {
  Index unlock = none;
  Index begin = none;
  Index before = none;     // the `unlock` of whoever had it before; none: nobody, or it is not known
  bool is_beside = false;  // that one had it at the same time, both shared
};

struct Counts {
  std::uint64_t calls = 0;
  std::uint64_t sends = 0;
  std::uint64_t receives = 0;
  std::uint64_t matched = 0;
  std::uint64_t collectives = 0;
  std::uint64_t incomplete = 0;  // of these
  std::uint64_t corrected = 0;   // messages received before they were sent, barriers left before all had come
  std::int64_t largest_ns = 0;
};

/// What is known of earlier sections of the run: names keep their places, and messages may be received later.
struct Carried {
  struct Sent {
    int rank = 0;
    std::uint64_t flow = 0;
    std::uint64_t bytes = 0;
    Index comm = 0;
    Signal signal = Signal::message;
    SendMode mode = SendMode::standard;
  };
  std::vector<Site> sites;
  std::vector<std::string> regions;
  std::vector<Comm> comms;
  std::map<std::pair<Index, int>, std::vector<int>> sources;  // whom a rank's neighborhood calls receive from
  std::vector<Sent> sent;                                     // the latest of those that nobody has received
};

class Graph {
 public:
  /// Takes the records' memory as it goes. Ranks that come twice count once.
  explicit Graph(std::vector<RankRecords> records, Carried carried = {});
  /// For the next section; the graph is no more then.
  Carried carry() &&;

  std::vector<Site> sites;
  std::vector<std::string> regions;
  std::vector<Comm> comms;
  std::vector<Node> nodes;
  std::vector<Lane> lanes;  // by rank, the main one first
  std::vector<Link> links;
  std::vector<Unpaired> unpaired;
  std::vector<Index> unknown;  // calls that need what nobody has records of
  std::vector<Operation> operations;
  std::vector<Part> parts;
  std::vector<Index> operation_of;  // a part
  std::vector<std::string> node_of_rank;
  std::vector<Spell> spells;  // by call
  std::vector<Held> held;     // by the call that gave the lock back
  std::vector<Join> joins;    // by call
  std::vector<Sample> samples;
  Counts counts;
  int size = 0;   // of the job
  int ranks = 0;  // of which there are calls
  std::uint32_t section = 0;
  bool is_last = true;
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t over_ns = 0;  // when the last process was at its end, which may be in a later section

  /// Of a call: [first, last) in `ended`.
  std::vector<Index> ended_at;
  std::vector<Ended> ended;

  const std::string& function(Index node) const { return sites[nodes[node].site].function; }
  int rank(Index node) const { return lanes[nodes[node].lane].rank; }
  /// Whom that rank's neighborhood calls on the communicator receive from; null: unknown.
  const std::vector<int>* sources(Index comm, int rank) const {
    const auto found = sources_.find({comm, rank});
    return found == sources_.end() ? nullptr : &found->second;
  }
  /// The rank's part in an operation; none: it has none, or it is unknown.
  Index part_of(const Operation& operation, int rank) const;
  /// visit(call) for the calls with which those took part in an operation from whom the process of that part receives.
  template <class Visit>
  void for_all_neighbors(Index part, Visit visit) const {
    const Operation& operation = operations[operation_of[part]];
    const std::vector<int>* const senders = sources(operation.comm, parts[part].rank);
    for (std::size_t i = 0; senders != nullptr && i < senders->size(); ++i)
      if (const Index other = part_of(operation, (*senders)[i]); other != none) visit(parts[other].begin);
  }
  /// The lock that a call gives back; null: it is of an earlier section.
  const Held* held_until(Index unlock) const {
    const auto found = std::ranges::lower_bound(held, unlock, {}, &Held::unlock);
    return found != held.end() && found->unlock == unlock ? &*found : nullptr;
  }
  bool is_first(Index node) const { return lanes[nodes[node].lane].first == node; }
  /// The call before, of the thread or, where it starts, of the process; none: that starts MPI, or stands for what was
  /// before.
  Index previous(Index node) const {
    const Lane& lane = lanes[nodes[node].lane];
    if (node == lane.first) return lane.after;
    const std::span<const Join> starts = lane.is_main ? std::span<const Join>() : joined(node);
    return starts.empty() ? node - 1 : starts.back().last;
  }
  /// Since the call before, if there is one.
  std::int64_t work_before_ns(Index node) const { return work_ns(nodes[previous(node)], nodes[node]); }
  /// Of a thread's calls the first one that is entered at that moment or later; lane.last: none is.
  Index first_entered(const Lane& lane, std::int64_t moment) const {
    const auto is_before = [](const Node& call, std::int64_t at) { return call.entry < at; };
    const auto begin = nodes.begin();
    return static_cast<Index>(std::lower_bound(begin + lane.first, begin + lane.last, moment, is_before) - begin);
  }
  /// Likewise, that is over after it.
  Index first_over(const Lane& lane, std::int64_t moment) const {
    const auto is_before = [](std::int64_t at, const Node& call) { return at < call.exit; };
    const auto begin = nodes.begin();
    return static_cast<Index>(std::upper_bound(begin + lane.first, begin + lane.last, moment, is_before) - begin);
  }
  /// What other threads had done before that call.
  std::span<const Join> joined(Index node) const {
    const auto first = std::ranges::lower_bound(joins, node, {}, &Join::call);
    auto last = first;
    while (last != joins.end() && last->call == node) ++last;
    return {first, last};
  }
  /// The call that was over last of those that had to be, before the work that led to this one: of the thread, or of one
  /// whose end it waited for.
  Index last_before(Index node) const {
    const std::span<const Join> threads = joined(node);
    return threads.empty() ? previous(node) : threads.back().last;
  }
  /// It stands for the calls of an earlier section.
  bool is_earlier(Index node) const { return is_first(node) && lanes[nodes[node].lane].begins_earlier; }
  /// What it needs was there in its section. Where ranks have no records, that is not known.
  bool is_answered_earlier(Index begin) const { return is_earlier(begin) && has_all_ranks(); }
  bool has_all_ranks() const { return ranks == size; }
  double run_s() const { return 1e-9 * static_cast<double>(end_ns - begin_ns); }

 private:
  struct End {
    std::uint64_t flow;
    std::uint64_t bytes;
    Index begin;
    Index end;
    Index comm;
    Signal signal;
    SendMode mode;
    std::uint8_t of_any;
    bool is_carried;  // from an earlier section
  };
  struct Known;  // places in the lists of the graph
  void rename(RankRecords& own, Known& known);
  void reserve_for(const std::vector<RankRecords>& records);
  void add(RankRecords& records);
  void begin_earlier();
  void add_carried();
  void join_sent();
  void leave_unpaired(const End& one, bool is_receive);
  void pass(const End& sent);
  void match();
  void find_operations();
  void add_finalize();
  void find_locks_of_unknown();
  void find_locks();
  void find_ended();
  template <class Visit>
  void for_further_threads(Visit visit);
  void find_first_starts();
  void find_starts();
  void find_joins();
  void add_join_at_end(const Lane& main, const Lane& lane);
  void find_latest(const Lane& main, const Lane& lane, std::vector<Index>& latest) const;
  void add_joins_seen_often(const std::vector<Index>& latest);
  void correct_clocks();

  struct Taken {
    std::uint64_t identity;
    std::uint64_t number;
    Pattern pattern;
    Index comm;
    std::int32_t root;
    Part part;
  };
  bool has_one_clock_ = true;
  std::vector<Carried::Sent> carried_;
  std::vector<End> sent_, received_;
  std::vector<std::pair<std::uint64_t, Index>> probed_;  // flow, probe; then link
  std::vector<Taken> taken_;
  std::vector<Lock> locks_;
  std::map<std::pair<Index, int>, std::vector<int>> sources_;  // by communicator and rank
};

}  // namespace cairn::waits
