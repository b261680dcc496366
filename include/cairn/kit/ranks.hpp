// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - gathers what the ranks have recorded on rank 0
//
//   void finish() {                                    // on every rank that has the tool
//     cairn::World world(self_);                       // first, so that it notices if memory runs out below
//     Summary summary = own_summary();
//     world.sum(std::span(counts_));                   // on rank 0: the sums over all of them
//     for (const std::string& text : world.gather(name)) …   // on rank 0: every rank's, by rank
//     if (world.rank() == 0) …
//   }
//
// Collective over the ranks that have the same instance of the tool, usually all (services/job.hpp): each of
// them must call the same functions in the same order, in finish(). It uses a communicator of Cairn's and bypasses the
// layers below, so it cannot match messages of the program, and no tool counts it. Include it after <mpi.h>.
//
// Out of memory: if finish() throws std::bad_alloc on a rank before it has used the World, that rank tells the others,
// which go on without it. So allocate what is large first. pack() and merge() may throw it too: then the results of
// this rank, and of those that were merged into it, are missing. If it comes from finish() itself on rank 0 after that,
// all results are. The user is warned in each case.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/kit/self.hpp"
#include "cairn/services/clocks.hpp"
#include "cairn/services/job.hpp"

namespace cairn {

/// The ranks that have the tool; to be constructed on all of them.
class World {
 public:
  explicit World(const Self& self) : self_(self), job_(self.find<Job>()) {}
  ~World() {
    if (std::uncaught_exceptions() == exceptions_) return;
    if (!has_joined_) join(false);
    else if (rank_ == 0)
      self_.raw().warn(&self_.raw(), "its results are lost: out of memory where they are put together");
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// This process among those that take part; rank 0 gets the results.
  int rank() const { return joined().rank_; }
  int size() const { return joined().size_; }
  /// Its rank in MPI_COMM_WORLD, which users know.
  int world_rank() const { return joined().world_rank_; }

  /// Element-wise over the ranks, which pass equally many; in place on rank 0, undefined on the others afterwards.
  template <class Number, std::size_t N>
  void sum(std::span<Number, N> numbers) const {
    reduce(numbers, [](Number a, Number b) { return static_cast<Number>(a + b); });
  }
  template <class Number, std::size_t N>
  void min(std::span<Number, N> numbers) const {
    reduce(numbers, [](Number a, Number b) { return std::min(a, b); });
  }
  template <class Number, std::size_t N>
  void max(std::span<Number, N> numbers) const {
    reduce(numbers, [](Number a, Number b) { return std::max(a, b); });
  }

  /// The same in place on all ranks.
  template <class Number, std::size_t N>
  void max_everywhere(std::span<Number, N> numbers) const {
    max(numbers);
    broadcast(numbers.data(), numbers.size_bytes());
  }
  /// Whether all ranks are on one node: one system, whose clock they share (clock.hpp). A time namespace has its own.
  bool is_one_node() const {
    const std::uint64_t here = own_clock();
    std::array<std::uint64_t, 2> greatest = {here, ~here};
    max_everywhere(std::span(greatest));
    return greatest[0] == ~greatest[1];
  }
  /// The least number over the ranks on this rank's node, on all of them. If each passes when it was ready, on the
  /// system's clock (clock.hpp), the result is a common origin of time.
  std::uint64_t least_on_node(std::uint64_t number) const;

  /// One number over the ranks; undefined on ranks other than 0.
  template <class Number>
  Number sum(Number number) const {
    sum(std::span<Number, 1>(&number, 1));
    return number;
  }
  template <class Number>
  Number min(Number number) const {
    min(std::span<Number, 1>(&number, 1));
    return number;
  }
  template <class Number>
  Number max(Number number) const {
    max(std::span<Number, 1>(&number, 1));
    return number;
  }

  /// Merges pairwise in a binomial tree: `pack` serializes what this rank has so far, `merge` adds
  /// that of another rank. In the end rank 0 has everything. Ranks are merged in ascending order.
  template <class Pack, class Merge>
  void merge(Pack pack, Merge merge) const {
    bool is_whole = true;
    joined();
    for (int step = 1; step < size_; step *= 2) {
      if (rank_ % (2 * step) != 0) return send_packed(pack, is_whole, rank_ - step);
      if (rank_ + step < size_) is_whole = merge_from(rank_ + step, merge) && is_whole;
    }
    if (!is_whole) self_.warn("its results are incomplete: some ranks ran out of memory while gathering them");
  }

  /// On rank 0 the bytes of each rank, by rank; nothing on the others. For small data, as rank 0 holds all of it.
  std::vector<std::string> gather(const std::string& own) const {
    std::string all;  // each with its length before it; the lowest rank first
    const auto with_own = [&]() -> std::string& {
      if (all.empty()) append(all, own);
      return all;
    };
    merge(with_own, [&](const std::string& more) { with_own() += more; });
    std::vector<std::string> parts;
    if (rank_ != 0) return parts;
    with_own();
    for (std::size_t at = 0; at < all.size(); at += parts.back().size()) {
      std::uint64_t length = 0;
      std::memcpy(&length, all.data() + at, sizeof length);
      at += sizeof length;
      parts.push_back(all.substr(at, length));
    }
    return parts;
  }

 private:
  static constexpr std::size_t piece = std::size_t{1} << 30U;  // what an int cannot count goes in pieces
  static constexpr std::size_t room = 4096;                    // bytes of numbers on the stack
  static constexpr int tag = 1;
  static constexpr int most_absent = 64;

  /// Members that cannot take part, ascending; more than there is room for: nobody does.
  struct Absent {
    int count = 0;
    std::array<int, most_absent> ranks{};

    void add(const Absent& more) {
      for (int i = 0; i < std::min(more.count, most_absent); ++i)
        if (count + i < most_absent)
          ranks[static_cast<std::size_t>(count + i)] = more.ranks[static_cast<std::size_t>(i)];
      count = std::min(count + more.count, most_absent + 1);
    }
  };

  // ---------------------------------------------------------- who takes part

  /// Throws where too many cannot, or the MPI library has no memory for it.
  const World& joined() const {
    if (!has_joined_) join(true);
    if (cannot_join_ || absent_.count > most_absent) throw std::bad_alloc();
    return *this;
  }

  /// Up the tree of all members, and down again; allocates nothing.
  void join(bool is_able) const {
    has_joined_ = true;
    const JobMembers* const members = job_ == nullptr ? nullptr : job_->members(&self_.raw());
    comm_ = members == nullptr ? MPI_COMM_NULL : job_->communicator(&self_.raw());
    cannot_join_ = comm_ == MPI_COMM_NULL && members != nullptr && members->size > 1;
    if (comm_ == MPI_COMM_NULL) return;
    rank_ = members->rank;
    size_ = members->size;
    world_rank_ = members->in_world[rank_];
    Absent absent;
    if (!is_able) absent.add({1, {rank_}});
    reduce_bytes(&absent, sizeof absent, [&](const Absent& more) { absent.add(more); });
    broadcast(&absent, sizeof absent);
    leave_out(absent);
    if (absent.count > 0 && members->rank == 0) tell(*members);
  }

  /// From here on ranks are counted without them.
  void leave_out(const Absent& absent) const {
    absent_ = absent;
    if (absent.count > most_absent) return;
    const auto end = absent_.ranks.begin() + absent.count;
    rank_ -= static_cast<int>(std::count_if(absent_.ranks.begin(), end, [this](int rank) { return rank < rank_; }));
    size_ -= absent.count;
  }

  void tell(const JobMembers& members) const {
    std::array<char, 1024> text;
    int length = std::snprintf(text.data(), text.size(), "its results are without rank");
    for (int i = 0; i < std::min(absent_.count, most_absent) && length < 900; ++i)
      length += std::snprintf(text.data() + length, text.size() - static_cast<std::size_t>(length), "%s %d",
                              i == 0 ? "" : ",", members.in_world[absent_.ranks[static_cast<std::size_t>(i)]]);
    std::snprintf(text.data() + length, text.size() - static_cast<std::size_t>(length), ": out of memory there");
    self_.raw().warn(&self_.raw(), text.data());
  }

  /// In the communicator.
  int member(int rank) const {
    for (int i = 0; i < std::min(absent_.count, most_absent); ++i)
      if (absent_.ranks[static_cast<std::size_t>(i)] <= rank) ++rank;
    return rank;
  }

  // ---------------------------------------------------------- messages

  void send(const void* bytes, std::size_t length, int to) const {
    for (std::size_t at = 0; at < length; at += piece)
      job_->send(static_cast<const char*>(bytes) + at, static_cast<int>(std::min(piece, length - at)), MPI_BYTE,
                 member(to), tag, comm_);
  }
  void receive(void* bytes, std::size_t length, int from) const {
    for (std::size_t at = 0; at < length; at += piece)
      job_->receive(static_cast<char*>(bytes) + at, static_cast<int>(std::min(piece, length - at)), MPI_BYTE,
                    member(from), tag, comm_);
  }

  /// From rank 0 to all.
  void broadcast(void* bytes, std::size_t length) const {
    int step = 1;
    while (step < size_ && rank_ % (2 * step) == 0) step *= 2;
    if (rank_ != 0) receive(bytes, length, rank_ - step);
    for (step /= 2; step > 0; step /= 2)
      if (rank_ + step < size_) send(bytes, length, rank_ + step);
  }

  /// To rank 0: `add` gets what others have.
  template <class Value, class Add>
  void reduce_bytes(const Value* value, std::size_t length, Add add) const {
    for (int step = 1; step < size_; step *= 2) {
      if (rank_ % (2 * step) != 0) return send(value, length, rank_ - step);
      if (rank_ + step >= size_) continue;
      Value more;
      receive(&more, length, rank_ + step);
      add(more);
    }
  }

  template <class Number, std::size_t N, class Combine>
  void reduce(std::span<Number, N> numbers, Combine combine) const {
    static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>, "numbers only");
    using Some = std::array<Number, room / sizeof(Number)>;
    joined();
    for (std::size_t at = 0; at < numbers.size(); at += Some{}.size()) {
      const auto part = numbers.subspan(at, std::min(Some{}.size(), numbers.size() - at));
      reduce_bytes(reinterpret_cast<const Some*>(part.data()), part.size_bytes(), [&](const Some& more) {
        for (std::size_t i = 0; i < part.size(); ++i) part[i] = combine(part[i], more[i]);
      });
    }
  }

  /// What goes before bytes. The receiver answers whether it has room for them.
  struct Header {
    std::uint64_t length;
    std::uint64_t is_whole;  // nothing of what these ranks had is missing
  };

  template <class Pack>
  void send_packed(Pack pack, bool is_whole, int to) const {
    std::string bytes;
    try {
      bytes = pack();
    } catch (const std::bad_alloc&) {
      is_whole = false;
    }
    const Header header{bytes.size(), is_whole ? 1U : 0U};
    send(&header, sizeof header, to);
    char has_room = 0;
    receive(&has_room, 1, to);
    if (has_room != 0) send(bytes.data(), bytes.size(), to);
  }

  /// False: something is missing.
  template <class Merge>
  bool merge_from(int from, Merge merge) const {
    Header header{};
    receive(&header, sizeof header, from);
    std::string bytes;
    char has_room = 0;
    try {
      bytes.resize(header.length);
      has_room = 1;
    } catch (const std::bad_alloc&) {
    }
    send(&has_room, 1, from);
    if (has_room == 0) return false;
    receive(bytes.data(), bytes.size(), from);
    try {
      if (!bytes.empty()) merge(bytes);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return header.is_whole != 0;
  }

  // ---------------------------------------------------------- nodes

  struct OfNode {
    std::uint64_t node;
    std::uint64_t least;
  };
  /// The same number in processes that have the same clock.
  std::uint64_t own_clock() const {
    const Clocks* const clocks = self_.find<Clocks>();
    const ClockComparison* const start = clocks == nullptr ? nullptr : clocks->at_start();
    return start == nullptr ? 0 : start->clock;
  }
  static void take_least(std::vector<OfNode>& all, const std::string& more);

  static void append(std::string& all, const std::string& text) {
    const std::uint64_t length = text.size();
    all.append(reinterpret_cast<const char*>(&length), sizeof length);
    all += text;
  }

  Self self_;
  const Job* job_;
  const int exceptions_ = std::uncaught_exceptions();
  // Known once the rank has joined.
  mutable bool has_joined_ = false;
  mutable bool cannot_join_ = false;
  mutable MPI_Comm comm_ = MPI_COMM_NULL;
  mutable int rank_ = 0;
  mutable int size_ = 1;
  mutable int world_rank_ = 0;
  mutable Absent absent_;
};

inline std::uint64_t World::least_on_node(std::uint64_t number) const {
  const std::uint64_t here = own_clock();
  std::vector<OfNode> all = {{here, number}};
  merge([&] { return std::string(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(OfNode)); },
        [&](const std::string& more) { take_least(all, more); });
  std::uint64_t count = all.size();
  broadcast(&count, sizeof count);
  std::array<OfNode, room / sizeof(OfNode)> some{};
  for (std::uint64_t at = 0; at < count; at += some.size()) {
    const std::uint64_t length = std::min<std::uint64_t>(some.size(), count - at);
    if (rank_ == 0) std::copy_n(all.data() + at, length, some.data());
    broadcast(some.data(), length * sizeof(OfNode));
    for (const OfNode& one : std::span(some).first(length))
      if (one.node == here) number = std::min(number, one.least);
  }
  return number;
}

inline void World::take_least(std::vector<OfNode>& all, const std::string& more) {
  for (std::size_t at = 0; at < more.size(); at += sizeof(OfNode)) {
    OfNode one;
    std::memcpy(&one, more.data() + at, sizeof one);
    const auto known = std::find_if(all.begin(), all.end(), [&](const OfNode& has) { return has.node == one.node; });
    if (known == all.end()) all.push_back(one);
    else known->least = std::min(known->least, one.least);
  }
}

}  // namespace cairn
