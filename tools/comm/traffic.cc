// SPDX-License-Identifier: BSD-3-Clause
// traffic.cc - cells that are new

#include "traffic.hpp"

#include <memory>
#include <new>

namespace comm {

void Amount::add(const Cell& cell) {
  messages += cell.messages;
  bytes = shared::saturating_sum(bytes, cell.bytes);
  for (std::size_t i = 0; i < bin_count; ++i) sizes[i] += cell.sizes[i];
}

void Amount::add(const Amount& other) {
  messages += other.messages;
  bytes = shared::saturating_sum(bytes, other.bytes);
  for (std::size_t i = 0; i < bin_count; ++i) sizes[i] += other.sizes[i];
}

void Amount::subtract(const Amount& before) {
  messages -= before.messages;
  bytes -= before.bytes;
  for (std::size_t i = 0; i < bin_count; ++i) sizes[i] -= before.sizes[i];
}

void ChangedCells::add(Cell& cell) {
  if (cell.is_listed.exchange(true)) return;
  cell.next_changed = first_.load(std::memory_order_relaxed);
  while (!first_.compare_exchange_weak(cell.next_changed, &cell, std::memory_order_release)) {
  }
}

namespace {

std::atomic<shared::Board*> board_of_cells{nullptr};

Cell* published_cell(Key key) {
  shared::Board* const board = board_of_cells.load(std::memory_order_acquire);
  if (board == nullptr) return nullptr;
  constexpr auto what = static_cast<std::uint32_t>(cairn::formats::comm::Published::cell);
  return static_cast<Cell*>(
      board->add(what, 0, sizeof(Cell), [&](void* room) { (new (room) Cell(key))->is_published = true; }));
}

void free_cell(Cell* cell) {
  if (cell->is_published) cell->~Cell();
  else delete cell;
}

}  // namespace

void publish_cells(shared::Board* board) { board_of_cells.store(board, std::memory_order_release); }

Traffic::~Traffic() {
  for (Cell* cell = cells_.load(); cell != nullptr;) free_cell(std::exchange(cell, cell->next));
}

Cell* Traffic::add(Key key) try {
  Cell* const published = published_cell(key);
  std::unique_ptr<Cell, void (*)(Cell*)> cell(published != nullptr ? published : new Cell(key), free_cell);
  by_key_.add(key.bits(), cell.get());
  Cell* const made = cell.release();
  made->next = cells_.load(std::memory_order_relaxed);
  cells_.store(made, std::memory_order_release);
  return made;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Traffic* PhaseTraffic::add(std::uint32_t phase) try {
  if (by_phase_.size() <= phase) by_phase_.resize(phase + 1);
  auto* const made = new Traffic(phase);
  by_phase_[phase] = made;
  made->next = all_.load(std::memory_order_relaxed);
  all_.store(made, std::memory_order_release);
  return made;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace comm
