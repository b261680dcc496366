// SPDX-License-Identifier: BSD-3-Clause
// monitor.cc - what handlers seldom need, and reading the record

#include "monitor.hpp"

#include <algorithm>

#include "cairn/kit/own_work.hpp"

namespace comm {

void Monitor::learn_place(cairn::JobPlace place) {
  const cairn::OwnWork own;
  char node[MPI_MAX_PROCESSOR_NAME] = "";
  int length = 0;
  place_.ranks = place.size;
  PMPI_Get_processor_name(node, &length);
  place_.node.assign(node, static_cast<std::size_t>(length));
  place_.rank = place.rank;
}

void Monitor::publish(unsigned instance) {
  board_.create(cairn::board::traffic, instance);
  communicators.publish(board_);
  publish_cells(&board_);
}

void Monitor::withdraw() {
  publish_cells(nullptr);
  board_.remove();
}

void Monitor::find_world() {
  int has_world = 0;
  PMPI_Initialized(&has_world);
  if (has_world != 0) communicators.find(MPI_COMM_WORLD);
}

/// The phase has changed, or handles mean something else.
[[gnu::noinline, gnu::cold]] void Monitor::turn(Recorded& mine) {
  mine.handles_ = handles_.load(std::memory_order_relaxed);
  mine.phase_ = regions.current(mine.regions);
  mine.now_ = mine.traffic.in(mine.phase_);
  mine.known_cells_.fill({});
}

[[gnu::noinline, gnu::cold]] Cell* Monitor::cell_of(Recorded& mine, Kind kind, int world) {
  if (world >= 0 && world == place_.rank) return nullptr;
  Cell* const cell = mine.now_ == nullptr ? nullptr : mine.now_->at({kind, world < 0 ? outside : world});
  if (cell == nullptr) lost_ = true;
  return cell;
}

std::vector<int> Monitor::worlds(MPI_Comm comm) const {
  const cairn::Members* const members = ranks_.members(comm);
  const int* const worlds = ranks_.worlds(comm);
  return members == nullptr || worlds == nullptr ? std::vector<int>()
                                                 : std::vector<int>(worlds, worlds + members->peers);
}

Amounts Monitor::amounts() {
  Amounts all;
  recorded_.for_each([&](const Recorded& thread) {
    thread.traffic.for_each([&](const Traffic& traffic) {
      traffic.for_each([&](const Cell& cell) { all[{traffic.phase, cell.key}].add(cell); });
    });
  });
  return all;
}

Amounts difference(Amounts now, const Amounts& before) {
  for (const auto& [key, amount] : before) now[key].subtract(amount);
  return now;
}

// ------------------------------------------------------------ as a summary

namespace {

/// With communicators' indices in place of slots.
Amounts by_communicator(const Amounts& amounts, const std::vector<int>& indices) {
  Amounts all;
  for (const auto& [key, amount] : amounts) {
    const auto& [phase, what] = key;
    const cairn::formats::comm::CellFigures cell =
        with_index({what.kind, what.number, 0, 0}, [&](int slot) { return indices[static_cast<std::size_t>(slot)]; });
    all[{phase, {what.kind, cell.number}}].add(amount);
  }
  return all;
}

Sizes sizes_of(const Histogram& histogram) {
  Sizes sizes;
  for (std::size_t bin = 0; bin < histogram.size(); ++bin)
    if (histogram[bin] != 0) sizes.push_back({static_cast<std::uint8_t>(bin), histogram[bin]});
  return sizes;
}

}  // namespace

Summary Monitor::summary(const Amounts& amounts) {
  Summary summary;
  summary.rank = place_.rank;
  summary.ranks = place_.ranks;
  summary.nodes = {{place_.node, {place_.rank}}};
  summary.lost = lost_;
  summary.of_tools = {tools_messages_, tools_bytes_};
  std::vector<int> numbers;
  communicators.for_each_kind([&](const CommKind& one) {
    for (const int slot : one.slots) {
      if (numbers.size() <= static_cast<std::size_t>(slot)) numbers.resize(static_cast<std::size_t>(slot) + 1);
      numbers[static_cast<std::size_t>(slot)] = static_cast<int>(summary.communicators.size());
    }
    summary.communicators.push_back({one.name, one.members, one.remote, one.number});
  });
  std::uint32_t phase = ~std::uint32_t{0};
  for (const auto& [key, amount] : by_communicator(amounts, numbers)) {
    if (amount.messages == 0) continue;
    if (summary.phases.empty() || key.first != phase)
      summary.phases.push_back({regions.path(key.first), {}, {}, {}, {}});
    phase = key.first;
    summary.saturated |= amount.bytes == UINT64_MAX;
    add_cell(summary.phases.back(), {key.second.kind, key.second.number, amount.messages, amount.bytes},
             sizes_of(amount.sizes), place_.rank);
  }
  std::ranges::sort(summary.phases, {}, &Phase::name);
  return summary;
}

}  // namespace comm
