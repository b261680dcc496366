// SPDX-License-Identifier: BSD-3-Clause
// rank_figures.cc - what the keys are made of.

#include "rank_figures.hpp"

#include "shared/object_place.hpp"

namespace profile {

namespace {

KeyWriter key_of(RowKind kind, const shared::CommGroup& group) {
  KeyWriter key(kind);
  key.put(group.name).put(group.processes).put(group.hash).put(group.size).put(group.remote_size);
  return key;
}

/// Of what has no calls of its own.
Figures count_and_ticks(std::uint64_t count, std::uint64_t ticks) {
  Figures figures;
  figures.calls = count;
  figures.ticks = ticks;
  return figures;
}

}  // namespace

void RankFigures::add_function(cairn::Function function, const Figures& figures) {
  add(KeyWriter(RowKind::function).put(function), figures);
}

void RankFigures::add_site(cairn::Function function, const Chain& chain, const Figures& figures) {
  KeyWriter key(RowKind::site);
  key.put(function);
  for (std::size_t i = 0; i < chain.length; ++i) {
    const shared::ObjectPlace place = shared::object_place(chain.addresses[i], program_);
    key.put(place.offset).put(place.path);
  }
  add(key, figures);
}

void RankFigures::add_visits(const std::string& region, std::uint64_t visits, std::uint64_t ticks) {
  add(KeyWriter(RowKind::region_visits).put(region), count_and_ticks(visits, ticks));
}

void RankFigures::add_region(const std::string& region, cairn::Function function, const Figures& figures) {
  add(KeyWriter(RowKind::region_calls).put(region), figures);
  add(KeyWriter(RowKind::region_function).put(region).put(function), figures);
}

void RankFigures::add_communicators(const shared::CommGroup& group, std::uint64_t communicators) {
  add(key_of(RowKind::communicators, group), count_and_ticks(communicators, 0));
}

void RankFigures::add_communicator(const shared::CommGroup& group, const Figures& figures) {
  add(key_of(RowKind::communicator, group), figures);
}

std::uint64_t RankFigures::ticks() const {
  std::uint64_t ticks = 0;
  for_each_function([&](cairn::Function, const Figures& figures) { ticks += figures.ticks; });
  return ticks;
}

std::uint64_t RankFigures::ticks_in(cairn::Function wanted) const {
  const auto found = all_.find(KeyWriter(RowKind::function).put(wanted).key());
  return found == all_.end() ? 0 : found->second.ticks;
}

Rows RankFigures::rows(int rank) const {
  Rows rows;
  for (const auto& [key, figures] : all_) rows.emplace(key, row_of(figures, rank));
  return rows;
}

}  // namespace profile
