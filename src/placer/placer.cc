// SPDX-License-Identifier: BSD-3-Clause
// placer.cc - libcairn-placement.so: nodes by hwloc, mappings by Scotch

#include "placement/libraries.hpp"
#include "placer/node.hpp"
#include "placer/scotch.hpp"

extern "C" __attribute__((visibility("default"))) const cairn::placement::Libraries cairn_placement_libraries = {
    cairn::placer::read_node, cairn::placer::map_to_tree, cairn::placer::part};
