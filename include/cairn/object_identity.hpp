// SPDX-License-Identifier: BSD-3-Clause
// object_identity.hpp - the identity of a communicator, window or file (page::Object): all its processes compute
// the same number without a message, and readers find by it which call made it
#pragma once

#include <cstdint>

#include "cairn/kit/flat_table.hpp"

namespace cairn::identity {

/// Small numbers, which most are, must not cancel each other.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = cairn::spread(hash ^ cairn::spread(value + 1)) + 1;
  return hash ^ hash >> 29U;
}

/// What the communicators consist of.
inline constexpr std::uint64_t world = 1;
inline constexpr std::uint64_t self = 2;
/// Made from `parent` by its collective call of that number, or by a call with that tag.
inline std::uint64_t made_from(std::uint64_t parent, std::uint32_t number) { return mix(parent, number); }
inline std::uint64_t made_with(std::int32_t tag) { return cairn::spread(static_cast<std::uint32_t>(tag) + 1U); }

/// Of its processes, by their ranks in the world.
inline std::uint64_t of_members(const std::int32_t* members, std::int32_t count) {
  std::uint64_t hash = 0;
  for (std::int32_t i = 0; i < count; ++i) hash = mix(hash, static_cast<std::uint32_t>(members[i]));
  return hash;
}
inline std::uint64_t of(std::uint64_t origin, std::uint64_t members, std::uint32_t what) {
  return mix(mix(origin, members), what);
}
/// Where the same processes may make several in the same way: the `count`-th, from 0.
inline std::uint64_t repeated(std::uint64_t identity, std::uint64_t count) { return mix(identity, count); }

}  // namespace cairn::identity
