// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - gathers what the ranks have recorded on rank 0
//
//   void finish() {                                    // on every rank that has the tool
//     cairn::World world(self_);
//     world.sum(std::span(counts_));                   // on rank 0: the sums over all of them
//     for (const std::string& text : world.gather(name)) …   // on rank 0: every rank's, by rank
//     if (world.rank() == 0) …
//   }
//
// Collective over the ranks that have the same instance of the tool, usually all (services/job.hpp): each of
// them must call the same functions in the same order, in finish(). It uses a communicator of Cairn's and bypasses the
// layers below, so it cannot match messages of the program, and no tool counts it. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "cairn/kit/own_work.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/services/job.hpp"

namespace cairn {

namespace kit {

/// The MPI datatype of a number (MPI-4.1 section 3.2.2).
template <class Number>
MPI_Datatype datatype_of() {
  static_assert(std::is_arithmetic_v<Number> && !std::is_same_v<Number, bool>, "numbers only");
  if constexpr (std::is_same_v<Number, double>) return MPI_DOUBLE;
  else if constexpr (std::is_same_v<Number, float>) return MPI_FLOAT;
  else if constexpr (std::is_same_v<Number, long double>) return MPI_LONG_DOUBLE;
  else if constexpr (sizeof(Number) == 8) return std::is_signed_v<Number> ? MPI_INT64_T : MPI_UINT64_T;
  else if constexpr (sizeof(Number) == 4) return std::is_signed_v<Number> ? MPI_INT32_T : MPI_UINT32_T;
  else if constexpr (sizeof(Number) == 2) return std::is_signed_v<Number> ? MPI_INT16_T : MPI_UINT16_T;
  else return std::is_signed_v<Number> ? MPI_INT8_T : MPI_UINT8_T;
}

}  // namespace kit

/// The ranks that have the tool; to be constructed on all of them. If they cannot communicate, each is alone.
class World {
 public:
  explicit World(const Self& self) : self_(&self.raw()), job_(self.find<Job>()) {
    const JobMembers* const members = job_ == nullptr ? nullptr : job_->members(self_);
    comm_ = members == nullptr ? MPI_COMM_NULL : job_->communicator(self_);
    if (comm_ == MPI_COMM_NULL) return;
    rank_ = members->rank;
    size_ = members->size;
    world_rank_ = members->in_world[rank_];
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// This process among those that have the tool; rank 0 gets the results.
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Its rank in MPI_COMM_WORLD, which users know.
  int world_rank() const { return world_rank_; }

  /// Element-wise over the ranks, which pass equally many; in place on rank 0, unchanged on the others.
  template <class Number, std::size_t N>
  void sum(std::span<Number, N> numbers) const {
    reduce(numbers, MPI_SUM);
  }
  template <class Number, std::size_t N>
  void min(std::span<Number, N> numbers) const {
    reduce(numbers, MPI_MIN);
  }
  template <class Number, std::size_t N>
  void max(std::span<Number, N> numbers) const {
    reduce(numbers, MPI_MAX);
  }

  /// The same, in place on all ranks.
  template <class Number, std::size_t N>
  void max_everywhere(std::span<Number, N> numbers) const {
    if (size_ == 1) return;
    for (std::size_t at = 0; at < numbers.size(); at += piece)
      job_->all_reduce(MPI_IN_PLACE, &numbers[at], length_of(numbers.size() - at), kit::datatype_of<Number>(), MPI_MAX,
                       comm_);
  }
  /// The least number over the ranks on this rank's node, on all of them. If each passes when it was ready, on the
  /// system's clock (clock.hpp), the result is a common origin of time.
  std::uint64_t least_on_node(std::uint64_t number) const {
    std::uint64_t least = number;
    if (size_ > 1) job_->all_reduce(&number, &least, 1, MPI_UINT64_T, MPI_MIN, job_->node_communicator(self_));
    return least;
  }
  /// Whether all ranks are on one node.
  bool is_one_node() const {
    if (size_ == 1) return true;
    const OwnWork own;
    int size = 0;
    PMPI_Comm_size(job_->node_communicator(self_), &size);
    std::array<int, 1> apart{size == size_ ? 0 : 1};
    max_everywhere(std::span(apart));
    return apart[0] == 0;
  }

  /// One number over the ranks; ranks other than 0 get their own.
  template <class Number>
  Number sum(Number number) const {
    return reduce(number, MPI_SUM);
  }
  template <class Number>
  Number min(Number number) const {
    return reduce(number, MPI_MIN);
  }
  template <class Number>
  Number max(Number number) const {
    return reduce(number, MPI_MAX);
  }

  /// Merges pairwise in a binomial tree: `pack` serializes what this rank has so far, `merge` adds
  /// that of another rank. In the end rank 0 has everything. Ranks are merged in ascending order.
  template <class Pack, class Merge>
  void merge(Pack pack, Merge merge) const {
    for (int step = 1; step < size_; step *= 2) {
      if (rank_ % (2 * step) != 0) return send(pack(), rank_ - step);
      if (rank_ + step < size_) merge(receive(rank_ + step));
    }
  }

  /// On rank 0 the bytes of each rank, by rank; nothing on the others. For small data, as rank 0 holds all of it.
  std::vector<std::string> gather(const std::string& own) const {
    std::string all;  // each with its length before it; the lowest rank first
    append(all, own);
    merge([&] { return all; }, [&](const std::string& more) { all += more; });
    std::vector<std::string> parts;
    if (rank_ != 0) return parts;
    for (std::size_t at = 0; at < all.size(); at += parts.back().size()) {
      std::uint64_t length = 0;
      std::memcpy(&length, all.data() + at, sizeof length);
      at += sizeof length;
      parts.push_back(all.substr(at, length));
    }
    return parts;
  }

 private:
  // More than an int can count is sent in pieces.
  static constexpr std::size_t piece = std::size_t{1} << 30U;
  static constexpr int tag = 1;

  static int length_of(std::size_t rest) { return static_cast<int>(std::min(piece, rest)); }

  static void append(std::string& all, const std::string& text) {
    const std::uint64_t length = text.size();
    all.append(reinterpret_cast<const char*>(&length), sizeof length);
    all += text;
  }

  template <class Number, std::size_t N>
  void reduce(std::span<Number, N> numbers, MPI_Op op) const {
    if (size_ == 1) return;
    const MPI_Datatype type = kit::datatype_of<Number>();
    for (std::size_t at = 0; at < numbers.size(); at += piece) {
      const int count = length_of(numbers.size() - at);
      if (rank_ == 0) job_->reduce(MPI_IN_PLACE, &numbers[at], count, type, op, 0, comm_);
      else job_->reduce(&numbers[at], nullptr, count, type, op, 0, comm_);
    }
  }
  template <class Number>
  Number reduce(Number number, MPI_Op op) const {
    reduce(std::span<Number, 1>(&number, 1), op);
    return number;
  }

  void send(const std::string& text, int to) const {
    const std::uint64_t length = text.size();
    job_->send(&length, 1, MPI_UINT64_T, to, tag, comm_);
    for (std::size_t at = 0; at < text.size(); at += piece)
      job_->send(text.data() + at, length_of(text.size() - at), MPI_BYTE, to, tag, comm_);
  }
  std::string receive(int from) const {
    std::uint64_t length = 0;
    job_->receive(&length, 1, MPI_UINT64_T, from, tag, comm_);
    std::string text(length, '\0');
    for (std::size_t at = 0; at < text.size(); at += piece)
      job_->receive(text.data() + at, length_of(text.size() - at), MPI_BYTE, from, tag, comm_);
    return text;
  }

  const cairn_tool_instance* self_;
  const Job* job_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  int world_rank_ = 0;
};

}  // namespace cairn
