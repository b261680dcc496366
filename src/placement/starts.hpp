// SPDX-License-Identifier: BSD-3-Clause
// starts.hpp - mappings to begin with: tiles of a grid of ranks, a walk, and Scotch's
#pragma once

#include <vector>

#include "placement/libraries.hpp"
#include "placement/mapping.hpp"

namespace cairn::placement {

/// If ranks talk to those a few fixed distances away, as on a grid whose rows follow each other: mappings that give each
/// part of the machine a box of it.
std::vector<Mapping> tilings(const Traffic& traffic, const Machine& machine);

/// Partners one after the other.
Mapping along_a_walk(const Traffic& traffic);

/// By Scotch: onto the whole tree, if it is regular and not too large, and from level to level.
std::vector<Mapping> by_scotch(const Traffic& traffic, const Machine& machine, const Libraries& libraries);

}  // namespace cairn::placement
