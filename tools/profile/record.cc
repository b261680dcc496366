// SPDX-License-Identifier: BSD-3-Clause
// record.cc - call sites that are new

#include "record.hpp"

namespace profile {

Site& Sites::add(cairn::Function function, Place place) {
  if (count_ >= limit && place != 0) {
    ++merged_calls_;
    return at(function, 0);
  }
  Site& site = sites_.emplace_back();
  ++count_;
  site.function = function;
  site.place = place;
  site.owner = owner_;
  by_key_.add(key_of(function, place), &site);
  return site;
}

}  // namespace profile
