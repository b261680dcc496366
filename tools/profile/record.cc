// SPDX-License-Identifier: BSD-3-Clause
// record.cc - the table of call sites as it grows

#include "record.hpp"

namespace profile {

Site& Sites::add(cairn::Function function, Place place) {
  if (count_ >= limit && place != 0) {
    ++merged_calls_;
    return at(function, 0);
  }
  ++count_;
  Site& site = sites_.emplace_back();
  site.function = function;
  site.place = place;
  site.owner = owner_;
  if (2 * sites_.size() > slots_.size()) grow();
  std::size_t i = hash_of(key_of(function, place)) & mask_;
  while (slots_[i].site != nullptr && slots_[i].site != &site) i = (i + 1) & mask_;
  slots_[i] = {key_of(function, place), &site};
  return site;
}

void Sites::grow() {
  std::vector<Slot> wider(4 * slots_.size());
  mask_ = wider.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.site == nullptr) continue;
    std::size_t i = hash_of(slot.key) & mask_;
    while (wider[i].site != nullptr) i = (i + 1) & mask_;
    wider[i] = slot;
  }
  slots_ = std::move(wider);
}

}  // namespace profile
