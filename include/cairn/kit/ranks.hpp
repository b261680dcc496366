// SPDX-License-Identifier: BSD-3-Clause
// ranks.hpp - bringing what the ranks have recorded to rank 0, in trees
//
//   void finish() {                                    // on every rank that has the tool
//     cairn::World world(self_);
//     world.sum(std::span(counts_));                   // on the first: the sums over all of them
//     for (const std::string& text : world.gather(name)) …   // on the first: every rank's, by rank
//     if (world.rank() == 0) …
//   }
//
// Collective over the ranks that have the same instance of the tool, as a rule all (cairn/services/job.hpp): each of
// them calls the same functions in the same order, in finish(). It is on a communicator of Cairn's and past the layers
// below, so it meets no message of the program, and no tool counts it. Include it after <mpi.h>.
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

/// MPI's type of a number (MPI-4.1 section 3.2.2).
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

/// The ranks that have the tool; to be made on all of them. Where they cannot meet, each is alone.
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

  /// This process among those that have the tool; the first of them brings everything together.
  int rank() const { return rank_; }
  int size() const { return size_; }
  /// Its rank in MPI_COMM_WORLD, by which users know it.
  int world_rank() const { return world_rank_; }

  /// Entry by entry over the ranks, which give equally many; in place on rank 0, the others' stay as they are.
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

  /// The same in place on all ranks.
  template <class Number, std::size_t N>
  void max_everywhere(std::span<Number, N> numbers) const {
    if (size_ == 1) return;
    for (std::size_t at = 0; at < numbers.size(); at += piece)
      job_->all_reduce(MPI_IN_PLACE, &numbers[at], length_of(numbers.size() - at), kit::datatype_of<Number>(), MPI_MAX,
                       comm_);
  }
  /// The least of the numbers that the ranks of this one's node give, on all of them. Given when each was ready, by the
  /// system's clock (clock.hpp), it is the origin from which all of them can count time.
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

  /// One number over the ranks; a rank other than 0 gets its own.
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

  /// The ranks meet pairwise in a binomial tree: `pack` says what this rank has so far as bytes of any number, `merge`
  /// takes another's into it. On rank 0 everything has been merged afterwards. Ranks are met in ascending order.
  template <class Pack, class Merge>
  void merge(Pack pack, Merge merge) const {
    for (int step = 1; step < size_; step *= 2) {
      if (rank_ % (2 * step) != 0) return send(pack(), rank_ - step);
      if (rank_ + step < size_) merge(receive(rank_ + step));
    }
  }

  /// Every rank's bytes by rank on rank 0; nothing on the others. For little: rank 0 holds all of it.
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
  // What an int cannot count goes in pieces.
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
