// SPDX-License-Identifier: BSD-3-Clause
// places.cc - asks the system for this process's place; puts places together, and as bytes

#include "job/places.hpp"

#include "base/host_name.hpp"
#include "base/processes.hpp"
#include "formats/ranks.hpp"
#include "job/bytes.hpp"

namespace cairn::engine {

Place Place::of_this_process() { return {host_name(), formats::ranks_text(own_processors())}; }

void Places::add(const Places& other) {
  for (const auto& [place, ranges] : other.ranks_) {
    RankRanges& mine = ranks_[place];
    mine.insert(mine.end(), ranges.begin(), ranges.end());
    mine = joined(std::move(mine));
  }
}

std::string Places::to_bytes() const {
  std::string out;
  for (const auto& [place, ranges] : ranks_) {
    put(out, place.node);
    put(out, place.processors);
    put(out, ranges);
  }
  return out;
}

Places Places::from_bytes(std::string_view bytes) {
  Places places;
  for (Bytes in(bytes); !in.empty();) {
    std::string node = in.text();
    std::string processors = in.text();
    places.ranks_[{std::move(node), std::move(processors)}] = in.ranges();
  }
  return places;
}

}  // namespace cairn::engine
