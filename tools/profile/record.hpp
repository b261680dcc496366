// SPDX-License-Identifier: BSD-3-Clause
// record.hpp - what the handler writes: one table per thread, an entry per call site, no locks
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/clock.hpp"
#include "cairn/kit/flat_table.hpp"
#include "formats/profile_board.hpp"
#include "shared/board.hpp"
#include "shared/figure.hpp"
#include "shared/histogram.hpp"

namespace profile {

using cairn::ticks_now;
using shared::bin_count;
using shared::Figure;
using shared::Histogram;
using shared::WideHistogram;
using shared::width_of;

/// Of the run: its first anchor is the tool's start.
inline cairn::Clock run_clock;

/// Of the requests that calls have made, once they are complete (MPI_Isend to MPI_Wait).
struct Transfers {
  std::uint64_t completed = 0;
  std::uint64_t under_way = 0;  // ticks from the call that made or started it to its completion
  std::uint64_t waited = 0;     // ticks of these in the call that completed it

  void add(const Transfers& other) {
    completed += other.completed;
    under_way += other.under_way;
    waited += other.waited;
  }
};

/// What the calls of one function from one place have come to, in one thread. What comes before by_size lies on the board
/// as it is.
struct Figures {
  std::uint64_t calls = 0;
  std::uint64_t ticks = 0;
  std::uint64_t least_ticks = ~std::uint64_t{0};
  std::uint64_t most_ticks = 0;
  std::uint64_t sent = 0;      // bytes
  std::uint64_t received = 0;  // bytes
  std::uint64_t in_vain = 0;   // of the calls that ask: those that found nothing
  Transfers transfers;
  WideHistogram by_time{};                 // calls by ticks
  std::uint32_t addresses_at = 0;          // on the board
  std::uint32_t depth = 0;                 // how many there are
  std::unique_ptr<WideHistogram> by_size;  // calls by bytes sent; made when the first bytes are

  [[gnu::always_inline]] void add(std::uint64_t spent) {
    ++calls;
    ticks += spent;
    if (spent < least_ticks) least_ticks = spent;
    if (spent > most_ticks) most_ticks = spent;
    ++by_time[width_of(spent)];
  }
  void add(const Figures& other) {
    calls += other.calls;
    ticks += other.ticks;
    least_ticks = std::min(least_ticks, other.least_ticks);
    most_ticks = std::max(most_ticks, other.most_ticks);
    sent += other.sent;
    received += other.received;
    in_vain += other.in_vain;
    transfers.add(other.transfers);
    for (std::size_t i = 0; i < by_time.size(); ++i) by_time[i] += other.by_time[i];
    if (other.by_size == nullptr) return;
    if (by_size == nullptr) by_size = std::make_unique<WideHistogram>();
    for (std::size_t i = 0; i < by_time.size(); ++i) (*by_size)[i] += (*other.by_size)[i];
  }
  void add_sent(std::uint64_t bytes) {
    sent += bytes;
    if (by_size == nullptr) [[unlikely]]
      return begin_by_size(bytes);
    ++(*by_size)[width_of(bytes)];
  }

 private:
  [[gnu::noinline, gnu::cold]] void begin_by_size(std::uint64_t bytes) {
    by_size.reset(new (std::nothrow) WideHistogram{});
    if (by_size != nullptr) ++(*by_size)[width_of(bytes)];
  }
};

/// Where a call comes from: a return address, or the number of a chain of them; 0 stands for all places.
using Place = std::uint64_t;

class Thread;

/// A call site: a function and a place.
struct Site {
  Figures figures;
  cairn::Function function;
  Place place;
  Thread* owner;  // records its calls
  /// Whether the place is no code of the program's: then who called it is asked (shared/stack_walk.hpp).
  enum Kind { unknown, direct, indirect } kind = unknown;
  bool is_published = false;  // it lies on the board, and stays there
};

/// From here on new sites are on the board, where there is room. Null: no longer.
void publish_sites(shared::Board* board);

/// Of the code that a place means: one, or a chain of them; none: all places together.
using Addresses = std::span<const void* const>;

/// Call sites of one thread. Memory is taken when a site is met for the first time; of those beyond `limit` only the
/// function is kept.
class Sites {
 public:
  static constexpr std::size_t limit = 100'000;

  /// `count`: of all sites of the thread `owner`, which may have several tables.
  Sites(std::size_t& count, Thread* owner) : count_(count), owner_(owner) {}

  /// Never 0, which FlatTable has no place for.
  static constexpr std::uint64_t key_of(cairn::Function function, Place place) {
    return (static_cast<std::uint64_t>(function) + 1) << 48U | place;
  }

  static constexpr cairn::Function function_of(std::uint64_t key) {
    return static_cast<cairn::Function>((key >> 48U) - 1);
  }
  static constexpr Place place_of(std::uint64_t key) { return key & ((Place{1} << 48U) - 1); }

  /// The site's entry, new or known. It stays where it is.
  Site& at(cairn::Function function, Place place, Addresses addresses = {}) {
    return *by_key_.find_or_add(key_of(function, place), [&] { return &add(function, place, addresses); });
  }

  struct Free {
    void operator()(Site* site) const;
  };
  const std::deque<std::unique_ptr<Site, Free>>& all() const { return sites_; }
  /// How many calls came from places beyond the limit.
  std::uint64_t merged_calls() const { return merged_calls_; }

 private:
  [[gnu::noinline, gnu::cold]] Site& add(cairn::Function function, Place place, Addresses addresses);

  std::size_t& count_;
  Thread* owner_;
  cairn::FlatTable<Site> by_key_{256};
  std::deque<std::unique_ptr<Site, Free>> sites_;
  std::uint64_t merged_calls_ = 0;
};

}  // namespace profile
