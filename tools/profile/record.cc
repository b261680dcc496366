// SPDX-License-Identifier: BSD-3-Clause
// record.cc - call sites that are new

#include "record.hpp"

#include <atomic>
#include <cstring>

namespace profile {

namespace board = cairn::formats::profile;
using board::SiteFigures;

static_assert(offsetof(Site, figures) == 0 && offsetof(Figures, by_size) == sizeof(SiteFigures) &&
              offsetof(Figures, transfers) == offsetof(SiteFigures, transfers) &&
              offsetof(Figures, by_time) == offsetof(SiteFigures, by_time) &&
              offsetof(Figures, depth) == offsetof(SiteFigures, depth));

namespace {

std::atomic<shared::Board*> board_of_sites{nullptr};

/// Null: there is no board, or no room on it.
Site* published_site(cairn::Function function, Addresses addresses) {
  shared::Board* const board = board_of_sites.load(std::memory_order_acquire);
  if (board == nullptr) return nullptr;
  const auto fill = [&](void* room) {
    Site* const site = new (room) Site;
    site->is_published = true;
    site->figures.addresses_at = sizeof(Site);
    site->figures.depth = static_cast<std::uint32_t>(addresses.size());
    std::memcpy(static_cast<void*>(site + 1), addresses.data(), addresses.size_bytes());
  };
  return static_cast<Site*>(board->add(static_cast<std::uint32_t>(board::Published::site),
                                       static_cast<std::uint64_t>(function), sizeof(Site) + addresses.size_bytes(),
                                       fill));
}

}  // namespace

void publish_sites(shared::Board* board) { board_of_sites.store(board, std::memory_order_release); }

void Sites::Free::operator()(Site* site) const {
  if (site->is_published) site->~Site();
  else delete site;
}

Site& Sites::add(cairn::Function function, Place place, Addresses addresses) {
  if (count_ >= limit && place != 0) {
    ++merged_calls_;
    return at(function, 0);
  }
  Site* const published = published_site(function, addresses);
  Site& site = *sites_.emplace_back(published != nullptr ? published : new Site);
  ++count_;
  site.function = function;
  site.place = place;
  site.owner = owner_;
  by_key_.add(key_of(function, place), &site);
  return site;
}

}  // namespace profile
