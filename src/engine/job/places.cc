// SPDX-License-Identifier: BSD-3-Clause
// places.cc - asks the system for this process's place; puts places together, and as bytes

#include "job/places.hpp"

#include <sched.h>
#include <unistd.h>

#include <vector>

#include "formats/ranks.hpp"
#include "job/bytes.hpp"

namespace cairn::engine {

namespace {

constexpr std::size_t most_processors = 8192;

std::string own_processors() {
  std::vector<cpu_set_t> set(most_processors / (8 * sizeof(cpu_set_t)));
  const std::size_t size = set.size() * sizeof(cpu_set_t);
  if (sched_getaffinity(0, size, set.data()) != 0) return "";
  std::vector<int> all;
  for (std::size_t i = 0; i < most_processors; ++i)
    if (CPU_ISSET_S(i, size, set.data())) all.push_back(static_cast<int>(i));
  return formats::ranks_text(all);
}

}  // namespace

Place Place::of_this_process() {
  char name[256] = "";
  gethostname(name, sizeof name - 1);
  return {name, own_processors()};
}

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
