// SPDX-License-Identifier: BSD-3-Clause
// waits_definitions_test.cc - random programs with calls of all kinds, against the words of docs/waits.md: how long each call
// waits, and in which way

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "waits_job.hpp"

namespace cairn::waits {
namespace {

/// Of a collective call.
enum class For { last, root, others, before };
struct Collective {
  const char* function;
  WaitKind kind;
  For waits;
};
constexpr Collective collectives[] = {
    {"MPI_Barrier", WaitKind::wait_at_barrier, For::last},
    {"MPI_Ibarrier", WaitKind::wait_at_barrier, For::last},
    {"MPI_Alltoall", WaitKind::wait_at_n_to_n, For::last},
    {"MPI_Iallreduce", WaitKind::wait_at_n_to_n, For::last},
    {"MPI_Scatterv", WaitKind::wait_at_one_to_n, For::root},
    {"MPI_Ibcast", WaitKind::wait_at_one_to_n, For::root},
    {"MPI_Gather", WaitKind::wait_at_n_to_one, For::others},
    {"MPI_Ireduce", WaitKind::wait_at_n_to_one, For::others},
    {"MPI_Exscan", WaitKind::wait_at_scan, For::before},
    {"MPI_Win_fence", WaitKind::wait_at_fence, For::last},
    {"MPI_Comm_dup", WaitKind::communicator_creation, For::last},
    {"MPI_Win_create", WaitKind::communicator_creation, For::last},
    {"MPI_File_write_at_all", WaitKind::io_collective, For::last},
    {"MPI_Finalize", WaitKind::wait_at_finalize, For::last},
};
const Collective& collective_of(const std::string& function) {
  return *std::ranges::find(collectives, function, [](const Collective& one) { return std::string(one.function); });
}

/// Ranks that begin and complete transfers and operations, in order, at any moments.
class RandomJob {
 public:
  explicit RandomJob(std::uint64_t seed)
      : random_(seed), size_(2 + below(7)), longest_call_(seed % 3 == 0 ? 100'000 : 2000), job_(size_) {
    now_.resize(static_cast<std::size_t>(size_));
    open_.resize(now_.size());
    for (int step = 0; step < 80; ++step) {
      const int what = below(8);
      if (what < 2) operation();
      else if (what < 6) message();
      else complete(below(size_), 1 + below(4));
    }
    for (int rank = 0; rank < size_; ++rank) complete(rank, 1000);
    const std::int64_t last = std::ranges::max(now_) + 1;
    for (int rank = 0; rank < size_; ++rank) job_.call(rank, "MPI_Finalize", 99, last - below(2), last);
  }
  const std::vector<RankRecords>& ranks() const { return job_.ranks; }

 private:
  int below(int most) { return static_cast<int>(random_() % static_cast<std::uint64_t>(most)); }
  Index call(int rank, const std::string& function) {
    std::int64_t& now = now_[static_cast<std::size_t>(rank)];
    const std::int64_t entry = now + 1 + below(1000);
    now = entry + below(3) * below(longest_call_);
    return job_.call(rank, function, static_cast<std::uint64_t>(below(8)), entry, now);
  }

  void operation() {
    const Collective& of = collectives[below(std::size(collectives) - 1)];
    const bool is_begun = of.function[4] == 'I';
    const int root = of.waits == For::root || of.waits == For::others ? below(size_) : no_root;
    ++number_;
    if (below(2) == 0) now_.assign(now_.size(), std::ranges::max(now_));
    for (int rank = 0; rank < size_; ++rank) {
      const Index begin = call(rank, of.function);
      job_.together(rank, number_, begin, is_begun ? none : begin, root);
      if (is_begun) open_[static_cast<std::size_t>(rank)].push_back({true, job_.of(rank).together.size() - 1});
    }
  }

  void message() {
    static constexpr const char* sends[] = {"MPI_Send", "MPI_Ssend", "MPI_Isend", "MPI_Issend"};
    static constexpr const char* receives[] = {"MPI_Recv", "MPI_Irecv"};
    const int from = below(size_);
    const int to = (from + 1 + below(size_ - 1)) % size_;
    const std::string sending = sends[below(4)];
    const std::string receiving = receives[below(2)];
    const Index send = call(from, sending);
    const Index receive = call(to, receiving);
    const bool begins_send = sending[4] == 'I';
    const bool begins_receive = receiving[4] == 'I';
    static constexpr std::uint64_t sizes[] = {8, 1000, 100'000};
    job_.message(from, send, begins_send ? none : send, to, receive, begins_receive ? none : receive, sizes[below(3)]);
    if (begins_send) open_[static_cast<std::size_t>(from)].push_back({false, job_.of(from).messages.size() - 1});
    if (begins_receive) open_[static_cast<std::size_t>(to)].push_back({false, job_.of(to).messages.size() - 1});
  }

  void complete(int rank, int most) {
    std::vector<Open>& open = open_[static_cast<std::size_t>(rank)];
    if (open.empty()) return;
    const Index wait = call(rank, most == 1 ? "MPI_Wait" : "MPI_Waitall");
    for (int i = 0; i < most && !open.empty(); ++i) {
      const auto one = open.begin() + below(static_cast<int>(open.size()));
      if (one->is_operation) job_.of(rank).together[one->place].end = wait;
      else job_.of(rank).messages[one->place].end = wait;
      open.erase(one);
    }
  }

  struct Open {
    bool is_operation;
    std::size_t place;
  };
  std::mt19937_64 random_;
  int size_;
  int longest_call_;  // in ns: half of it
  Job job_;
  std::vector<std::int64_t> now_;
  std::vector<std::vector<Open>> open_;
  std::uint32_t number_ = 1000;
};

/// Until when a call waits, and in which way; first in another one.
struct Expected {
  std::int64_t until = 0;
  WaitKind kind{};
  std::int64_t early = 0;
  WaitKind early_kind{};
  Index culprit = none;
};

class Definition {
 public:
  Definition(const Graph& graph, const SendSizes& sends) : graph_(graph), sends_(sends) {}

  /// All that it waits for; the latest of these counts.
  std::vector<Expected> all_of(Index node) {
    node_ = node;
    found_.clear();
    for (const Link& link : graph_.links) {
      if (link.receive_end == node) side(link, link.send_begin, link.send_end, WaitKind::late_sender, true);
      if (link.send_end == node && link.receive_begin != none)
        side(link, link.receive_begin, link.receive_end, WaitKind::late_receiver, needs_both(link));
    }
    for (const Operation& operation : graph_.operations)
      for (Index i = operation.first; i < operation.first + operation.count; ++i)
        if (graph_.parts[i].end == node) part(operation, i);
    const std::vector<Expected> needed = found_;
    for (const Link& link : graph_.links)
      if (link.send_end == node && link.receive_begin != none && !needs_both(link)) until_taken(link, needed);
    return found_;
  }

 private:
  const Node& call(Index node) const { return graph_.nodes[node]; }
  bool needs_both(const Link& link) const {
    return graph_.function(link.send_begin).find("ssend") != std::string::npos ||
           graph_.function(link.send_begin).find("Ssend") != std::string::npos || link.bytes > sends_.eager.within;
  }
  void wait_for(Index culprit, WaitKind kind, std::int64_t early = 0, WaitKind early_kind = {}) {
    const std::int64_t moment = call(culprit).entry;
    if (moment > call(node_).entry && moment <= call(node_).exit)
      found_.push_back({moment, kind, std::max<std::int64_t>(0, early), early_kind, culprit});
  }

  /// The other side of a message, which began with that call.
  void side(const Link& link, Index began, Index ended, WaitKind kind, bool is_needed) {
    if (is_needed) wait_for(began, kind);
    if (!needs_both(link) || began == ended || call(began).exit >= call(node_).exit) return;
    const std::int64_t moment = std::max(call(node_).entry, call(began).exit);
    const Lane& lane = graph_.lanes[call(began).lane];
    for (Index next = began + 1; next < lane.last; ++next) {
      if (call(next).exit <= call(node_).entry) continue;
      if (call(next - 1).exit > moment) return;
      Index completes = next;  // which it may need, as that before it begins something only
      while (completes < lane.last && graph_.ended_at[completes] == graph_.ended_at[completes + 1]) ++completes;
      const bool is_kept = completes < lane.last && returns_just_after(completes);
      const WaitKind after = kind == WaitKind::late_sender ? WaitKind::late_completion : WaitKind::late_fetch;
      return wait_for(is_kept ? completes : next, after, call(began).entry - call(node_).entry, kind);
    }
  }

  /// A send that is larger than most that are over while their receiver makes no call.
  void until_taken(const Link& link, const std::vector<Expected>& needed) {
    const Lane& lane = graph_.lanes[call(link.receive_begin).lane];
    if (link.bytes <= sends_.unaided.within) {
      Index last = lane.first;
      while (last + 1 < lane.last && call(last + 1).entry < call(node_).exit) ++last;
      if (returns_just_after(last)) goes_on(link, last, needed);
      return;
    }
    for (Index next = lane.first; next < lane.last; ++next) {
      if (graph_.ended_at[next] == graph_.ended_at[next + 1]) continue;
      if (next == link.receive_end || call(next).entry > call(node_).entry ||
          call(next).exit > call(node_).entry + 20'000)
        return goes_on(link, next, needed);
    }
  }
  /// From the last that is needed besides, of whomever; there may be several at the same moment.
  void goes_on(const Link& link, Index taken, const std::vector<Expected>& needed) {
    for (const Expected& one : needed) {
      if (std::ranges::any_of(needed, [&](const Expected& other) { return other.until > one.until; })) continue;
      const bool is_of_receiver = one.culprit < taken && call(one.culprit).lane == call(taken).lane;
      if (is_of_receiver && one.early > 0) wait_for(taken, WaitKind::late_fetch, one.early, one.early_kind);
      else wait_for(taken, WaitKind::late_fetch, one.until - call(node_).entry, one.kind);
    }
    if (!needed.empty()) return;
    if (link.receive_begin >= taken) return wait_for(taken, WaitKind::late_receiver);
    wait_for(taken, WaitKind::late_fetch, call(link.receive_begin).entry - call(node_).entry, WaitKind::late_receiver);
  }

  void part(const Operation& operation, Index own) {
    const Collective& of = collective_of(graph_.function(graph_.parts[own].begin));
    Index first = none;
    Index last = none;
    for (Index i = operation.first; i < operation.first + operation.count; ++i) {
      const Part& other = graph_.parts[i];
      const bool is_root = other.rank == operation.root;
      const bool counts = of.waits == For::last || (of.waits == For::root && is_root) ||
                          (of.waits == For::before && other.rank < graph_.parts[own].rank) ||
                          (of.waits == For::others && graph_.parts[own].rank == operation.root && !is_root);
      if (!counts) continue;
      if (first == none || call(other.begin).entry < call(first).entry) first = other.begin;
      if (last == none || call(other.begin).entry > call(last).entry) last = other.begin;
    }
    const bool is_tree = of.waits == For::others || of.waits == For::root;
    if (is_tree || of.kind == WaitKind::wait_at_barrier || of.kind == WaitKind::wait_at_n_to_n)
      kept(operation, own, of.kind, is_tree);
    if (first == none) return;
    if (of.waits == For::others)
      return wait_for(last, of.kind, call(first).entry - call(node_).entry, WaitKind::early_reduce);
    wait_for(last, of.kind);
  }

  /// The last that has come, in a tree, or come back to an operation that does not block; and the call has returned within
  /// a tenth of the time that it had waited by then.
  void kept(const Operation& operation, Index own, WaitKind kind, bool is_tree) {
    Index last = none;
    const auto comes = [&](Index one) {
      if (one == none || call(one).entry >= call(node_).exit) return;
      if (last == none || call(one).entry > call(last).entry) last = one;
    };
    for (Index i = operation.first; i < operation.first + operation.count; ++i) {
      if (i == own) continue;
      const Part& other = graph_.parts[i];
      if (is_tree) comes(other.begin);
      if (other.end != other.begin) comes(other.end);
    }
    if (last != none && returns_just_after(last)) wait_for(last, kind);
    else if (is_tree) until_taken(operation, own, kind);
  }
  /// Who sends in it, until one of those that receive from it, and have not come to it, comes to some call.
  void until_taken(const Operation& operation, Index own, WaitKind kind) {
    const auto is_root = [&](Index part) { return graph_.parts[part].rank == operation.root; };
    const bool is_to_all = kind == WaitKind::wait_at_one_to_n;
    if (is_root(own) != is_to_all) return;
    Index last = none;
    for (Index i = operation.first; i < operation.first + operation.count; ++i) {
      if (is_root(i) == is_to_all || call(graph_.parts[i].begin).entry < call(node_).exit) continue;
      const Lane& lane = graph_.lanes[call(graph_.parts[i].begin).lane];
      for (Index one = lane.first; one < lane.last && call(one).entry < call(node_).exit; ++one)
        if (last == none || call(one).entry > call(last).entry) last = one;
    }
    if (last != none && returns_just_after(last)) wait_for(last, kind);
  }
  bool returns_just_after(Index other) const {
    const std::int64_t waited = call(other).entry - call(node_).entry;
    return waited >= 20'000 && call(other).entry < call(node_).exit &&
           call(node_).exit - call(other).entry <= waited / 10;
  }

  const Graph& graph_;
  SendSizes sends_;
  Index node_ = none;
  std::vector<Expected> found_;
};

/// One of the next messages that it receives had been sent when it began to wait, and was asked for only later.
bool is_in_wrong_order(const Graph& graph, const Wait& wait) {
  int looked_at = 0;
  for (Index node = wait.node + 1; node < graph.lanes[graph.nodes[wait.node].lane].last; ++node)
    for (Index i = graph.ended_at[node]; i < graph.ended_at[node + 1]; ++i) {
      if (graph.ended[i].what != Ended::receive) continue;
      if (++looked_at > 16) return false;
      const Link& later = graph.links[graph.ended[i].which];
      if (graph.nodes[later.send_begin].entry <= graph.nodes[wait.node].entry &&
          graph.nodes[later.receive_begin].entry >= wait.until)
        return true;
    }
  return false;
}

void expect_as_defined(const Graph& graph, const Waits& waits, Index node, const std::vector<Expected>& all) {
  if (all.empty()) {
    EXPECT_EQ(waits.at[node], none) << node;
    return;
  }
  const std::int64_t until = std::ranges::max_element(all, {}, &Expected::until)->until;
  ASSERT_NE(waits.at[node], none) << node;
  const Wait& wait = waits.all[waits.at[node]];
  EXPECT_EQ(wait.until, until) << node;
  const WaitKind kind = wait.kind == WaitKind::wrong_order ? WaitKind::late_sender : wait.kind;
  EXPECT_TRUE(std::ranges::any_of(all,
                                  [&](const Expected& one) {
                                    return one.until == until && one.kind == kind && one.early == wait.early.ns &&
                                           (one.early == 0 || one.early_kind == wait.early.kind);
                                  }))
      << node << ' ' << wait_names[static_cast<std::size_t>(wait.kind)] << ' ' << wait.early.ns;
  if (kind != WaitKind::late_sender) return;
  EXPECT_EQ(wait.kind == WaitKind::wrong_order, is_in_wrong_order(graph, wait)) << node;
}

TEST(WaitsDefinitions, HoldOfCallsOfAllKindsInRandomPrograms) {
  std::map<WaitKind, int> seen;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const Graph graph(RandomJob(seed).ranks());
    const Waits waits(graph);
    Definition definition(graph, waits.sends);
    std::int64_t all = 0;
    for (Index node = 0; node < graph.nodes.size(); ++node) {
      expect_as_defined(graph, waits, node, definition.all_of(node));
      all += waits.ns(graph, node);
    }
    for (const Wait& wait : waits.all) {
      ++seen[wait.kind];
      if (wait.early.ns > 0) ++seen[wait.early.kind];
    }
    double charged = 0;
    for (const CauseSum& cause : causes_of(graph, waits)) charged += cause.cost_ns;
    EXPECT_NEAR(charged, static_cast<double>(all), 1 + 1e-9 * charged);
    std::int64_t on_path = 0;
    for (const PathStep& step : critical_path(graph, waits)) on_path += step.until - step.from;
    EXPECT_EQ(on_path, graph.end_ns - graph.begin_ns);
    const Dependencies dependencies(graph, waits);
    Replay replay(dependencies);
    EXPECT_EQ(replay.run({}), graph.end_ns - graph.begin_ns);
    EXPECT_EQ(dependencies.order().forced(), 0U);
  }
  for (std::size_t kind = 0; kind < wait_names.size(); ++kind) {
    const std::string name(wait_names[kind]);  // the others have tests of their own
    if (name == "wait_at_neighbors" || name == "late_post" || name == "late_complete" || name == "lock_contention")
      continue;
    EXPECT_GT(seen[static_cast<WaitKind>(kind)], 0) << name;
  }
}

}  // namespace
}  // namespace cairn::waits
