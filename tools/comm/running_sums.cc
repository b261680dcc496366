// SPDX-License-Identifier: BSD-3-Clause
// running_sums.cc - taking in what has come to cells since the last reading

#include "running_sums.hpp"

#include <new>
#include <utility>

namespace comm {

namespace {

void add_growth(const Cell& cell, Histogram& seen, Histogram& one, Histogram& all) {
  for (std::size_t bin = 0; bin < bin_count; ++bin) {
    const std::uint64_t now = cell.sizes[bin];
    const std::uint64_t more = now - std::exchange(seen[bin], now);
    one[bin] += more;
    all[bin] += more;
  }
}

bool is_call(Kind kind) { return kind >= Kind::one_to_all && kind <= Kind::written; }

}  // namespace

Volume RunningSums::volume_in(const Row& row, int world) {
  const auto found = row.find(world < 0 ? outside : world);
  return found == row.end() ? Volume{} : found->second;
}

Rows RunningSums::rows() {
  const std::lock_guard lock(lock_);
  take_in();
  return rows_;
}

Volume RunningSums::of(Key key) {
  const std::lock_guard lock(lock_);
  take_in();
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? Volume{} : found->second;
}

Histogram RunningSums::sizes_to(int world) {
  const std::lock_guard lock(lock_);
  take_in();
  const auto found = sizes_to_.find(world < 0 ? outside : world);
  return found == sizes_to_.end() ? Histogram{} : found->second;
}

Histogram RunningSums::sizes() {
  const std::lock_guard lock(lock_);
  take_in();
  return sizes_;
}

void RunningSums::take_in() {
  Cell* changed = changed_.take();
  for (Cell* cell = std::exchange(again_, nullptr); cell != nullptr; cell = cell->next_again) take_in(*cell);
  while (changed != nullptr) {
    Cell& cell = *changed;
    changed = cell.next_changed;
    cell.is_listed.exchange(false);  // what is added from here on lists it anew
    take_in(cell);
    cell.next_again = again_;
    again_ = &cell;
  }
}

/// Without memory its growth stays out of the sums.
void RunningSums::take_in(Cell& cell) try {
  const std::uint64_t messages = cell.messages;
  const std::uint64_t bytes = cell.bytes;
  const Volume more{messages - std::exchange(cell.seen_messages, messages),
                    bytes - std::exchange(cell.seen_bytes, bytes)};
  if (more.messages != 0 || more.bytes != 0) add(cell.key, more);
  if (cell.key.kind != Kind::p2p) return;
  if (cell.seen_sizes == nullptr) cell.seen_sizes = std::make_unique<Histogram>();
  add_growth(cell, *cell.seen_sizes, sizes_to_[cell.key.number], sizes_);
} catch (const std::bad_alloc&) {
}

void RunningSums::add(Key key, const Volume& more) {
  if (is_call(key.kind)) return by_key_[key].add(more);
  switch (key.kind) {
    case Kind::p2p:
      return rows_[p2p][key.number].add(more);
    case Kind::put:
      return rows_[put][key.number].add(more);
    case Kind::fetched:
      return rows_[fetched][key.number].add(more);
    case Kind::coll:
      return rows_[coll][key.number].add(more);
    case Kind::to_all:
    case Kind::to_later:
      for (const int to : partners_(key.number, key.kind == Kind::to_all ? Reach::to_all : Reach::to_later))
        rows_[coll][to < 0 ? outside : to].add(more);
      return;
    default:  // what others have sent, or what the model needs
      return;
  }
}

}  // namespace comm
