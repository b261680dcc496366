// SPDX-License-Identifier: BSD-3-Clause
// traffic.hpp - what the handlers write: per thread and phase a table of cells, one per kind of traffic and partner
//
// One thread writes a table, without locks; any may read it meanwhile. Memory is taken when a partner is met for the
// first time. Cells only grow: who wants to know what came since a moment keeps the totals of that moment.
#pragma once

#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "cairn/kit/flat_table.hpp"
#include "formats/comm_cells.hpp"
#include "formats/comm_operation.hpp"
#include "shared/board.hpp"
#include "shared/figure.hpp"
#include "shared/histogram.hpp"

namespace comm {

using cairn::formats::comm::is_rooted;
using cairn::formats::comm::Operation;

using shared::bin_count;
using shared::bin_of;
using shared::Figure;
using shared::Histogram;

using cairn::formats::comm::Kind;

/// The number of a process that is not in this MPI_COMM_WORLD.
inline constexpr int outside = -1;

/// A kind and a number.
struct Key {
  Kind kind;
  int number;

  friend auto operator<=>(const Key&, const Key&) = default;
  /// Never 0.
  std::uint64_t bits() const {
    return (std::uint64_t{static_cast<unsigned>(kind)} + 1) << 32U | static_cast<std::uint32_t>(number);
  }
};

using cairn::formats::comm::operation_bins;
using cairn::formats::comm::operation_codes;
constexpr int most_operation_slots = INT32_MAX / operation_codes;
inline Key operation_key(int slot, Operation what, std::uint64_t bytes) {
  return {Kind::operation,
          slot * operation_codes + static_cast<int>(what) * operation_bins + static_cast<int>(bin_of(bytes))};
}

/// What the board tells of a cell.
struct CellHead {
  const Key key;
  Figure messages;
  Figure bytes;
};
static_assert(sizeof(CellHead) == sizeof(cairn::formats::comm::CellFigures) && offsetof(CellHead, messages) == 8 &&
              offsetof(CellHead, bytes) == 16 && offsetof(Key, number) == 4);

struct Cell : CellHead {
  explicit Cell(Key what) : CellHead{what, {}, {}} {}

  void add(std::uint64_t size) {
    ++messages;
    bytes += size;
    ++sizes[bin_of(size)];
  }

  Cell* next = nullptr;
  std::array<Figure, bin_count> sizes;
  bool is_published = false;  // it lies on the board, and stays there

  // For RunningSums. Those but the first two are the reader's.
  std::atomic<bool> is_listed{false};  // among the changed cells
  Cell* next_changed = nullptr;
  Cell* next_again = nullptr;
  std::uint64_t seen_messages = 0;  // what was there at the last reading
  std::uint64_t seen_bytes = 0;
  std::unique_ptr<Histogram> seen_sizes;
};

/// The cells that were added to since they were last taken: from any thread, in no order.
class ChangedCells {
 public:
  /// After it was added to.
  void note(Cell& cell) {
    if (!cell.is_listed.load(std::memory_order_relaxed)) [[unlikely]]
      add(cell);
  }
  /// All of them, linked by next_changed. One thread at a time.
  Cell* take() { return first_.exchange(nullptr, std::memory_order_acquire); }

 private:
  [[gnu::noinline, gnu::cold]] void add(Cell& cell);

  std::atomic<Cell*> first_{nullptr};
};

/// A cell's figures at one moment, or the sum of several.
struct Amount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  Histogram sizes{};

  void add(const Cell& cell);
  void add(const Amount& other);
  /// Takes off what there was before.
  void subtract(const Amount& before);
};

/// From here on new cells are on the board, where there is room. Null: no longer.
void publish_cells(shared::Board* board);

/// Deletes what is linked by `next`.
template <class Link>
void free_chain(Link* link) {
  while (link != nullptr) delete std::exchange(link, link->next);
}

/// One thread's traffic in one phase.
class Traffic {
 public:
  explicit Traffic(std::uint32_t phase_number) : phase(phase_number) {}
  ~Traffic();
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  /// New or known; it stays where it is. Null: memory is out. By the owning thread only.
  Cell* at(Key key) {
    return by_key_.find_or_add(key.bits(), [&] { return add(key); });
  }

  /// By any thread.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Cell* cell = cells_.load(std::memory_order_acquire); cell != nullptr; cell = cell->next) visit(*cell);
  }

  const std::uint32_t phase;
  Traffic* next = nullptr;

 private:
  [[gnu::noinline, gnu::cold]] Cell* add(Key key);

  cairn::FlatTable<Cell> by_key_{64};
  std::atomic<Cell*> cells_{nullptr};
};

/// One thread's traffic in all phases.
class PhaseTraffic {
 public:
  PhaseTraffic() = default;
  ~PhaseTraffic() { free_chain(all_.load()); }
  PhaseTraffic(const PhaseTraffic&) = delete;
  PhaseTraffic& operator=(const PhaseTraffic&) = delete;

  /// Null: memory is out. By the owning thread only.
  Traffic* in(std::uint32_t phase) {
    return phase < by_phase_.size() && by_phase_[phase] != nullptr ? by_phase_[phase] : add(phase);
  }

  /// By any thread.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const Traffic* one = all_.load(std::memory_order_acquire); one != nullptr; one = one->next) visit(*one);
  }

 private:
  [[gnu::noinline, gnu::cold]] Traffic* add(std::uint32_t phase);

  std::vector<Traffic*> by_phase_;
  std::atomic<Traffic*> all_{nullptr};
};

/// All threads' traffic together, by phase.
using Amounts = std::map<std::pair<std::uint32_t, Key>, Amount>;

}  // namespace comm
