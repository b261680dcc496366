// SPDX-License-Identifier: BSD-3-Clause
// node.cc - asks hwloc which cores share a cache, a NUMA node, a package

#include "placer/node.hpp"

#include <hwloc.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace cairn::placer {

namespace {

using placement::Distance;
using placement::NodeShape;

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;

/// As in 'package:2 core:8'. hwloc would make all objects before anything could be refused.
bool is_too_large(const std::string& machine) {
  constexpr double most = 65536;
  double objects = 1;
  for (std::size_t at = 0; (at = machine.find(':', at)) != std::string::npos; ++at)
    if (const double number = std::strtod(machine.c_str() + at + 1, nullptr); number > 1) objects *= number;
  return !(objects <= most);
}

/// hwloc wants processing units at the end; who thinks in cores need not write them. It would complain on standard error.
bool set_synthetic(hwloc_topology_t topology, const std::string& machine) {
  setenv("HWLOC_HIDE_ERRORS", "2", 1);
  if (hwloc_topology_set_synthetic(topology, machine.c_str()) == 0) return true;
  return hwloc_topology_set_synthetic(topology, (machine + " pu:1").c_str()) == 0;
}

/// Variables by which hwloc takes another machine than the one that it was given, or takes it for this one, of which it leaves
/// out what this process may not use.
void hide_other_machines() {
  for (const char* const name : {"HWLOC_XMLFILE", "HWLOC_SYNTHETIC", "HWLOC_FSROOT", "HWLOC_CPUID_PATH",
                                 "HWLOC_THISSYSTEM", "HWLOC_THISSYSTEM_ALLOWED_RESOURCES"})
    unsetenv(name);
}

std::string load(hwloc_topology_t topology, const std::string& machine) {
  if (machine.empty()) return hwloc_topology_load(topology) == 0 ? "" : "hwloc cannot look at this machine";
  hide_other_machines();
  const bool is_file = access(machine.c_str(), F_OK) == 0;
  if (is_file && hwloc_topology_set_xml(topology, machine.c_str()) != 0)
    return "'" + machine + "' is no description of a node that hwloc has written";
  if (!is_file && is_too_large(machine)) return "'" + machine + "' has more than 65536 cores or other parts";
  if (!is_file && !set_synthetic(topology, machine))
    return "'" + machine + "' is no machine that hwloc knows, and no file";
  return hwloc_topology_load(topology) == 0 ? "" : "'" + machine + "' is damaged: hwloc cannot load it";
}

/// The object of a kind that each core is in; false if some core is in none, or all are in the same one.
bool group_cores(hwloc_topology_t topology, hwloc_obj_type_t kind, int cores, NodeShape::Level& level) {
  for (int i = 0; i < cores; ++i) {
    const hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    int found = -1;
    for (hwloc_obj_t one = nullptr; (one = hwloc_get_next_obj_by_type(topology, kind, one)) != nullptr && found < 0;)
      if (hwloc_bitmap_isincluded(core->cpuset, one->cpuset) != 0) found = static_cast<int>(one->logical_index);
    if (found < 0) return false;
    level.object_of.push_back(found);
  }
  return true;
}

}  // namespace

std::string read_node(const std::string& machine, NodeShape& shape) {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return "hwloc cannot be started";
  const Topology topology(made);
  if (std::string why = load(made, machine); !why.empty()) return why;
  shape.cores = hwloc_get_nbobjs_by_type(made, HWLOC_OBJ_CORE);
  if (shape.cores <= 0) return "'" + machine + "' has no cores";
  for (int i = 0; i < shape.cores; ++i)
    shape.units.push_back(
        hwloc_bitmap_first(hwloc_get_obj_by_type(made, HWLOC_OBJ_CORE, static_cast<unsigned>(i))->cpuset));
  struct Kind {
    hwloc_obj_type_t type;
    Distance within;
  };
  for (const Kind kind : {Kind{HWLOC_OBJ_PACKAGE, Distance::node}, Kind{HWLOC_OBJ_NUMANODE, Distance::numa},
                          Kind{HWLOC_OBJ_L3CACHE, Distance::cache}, Kind{HWLOC_OBJ_L2CACHE, Distance::cache}}) {
    NodeShape::Level level{kind.within, {}};
    if (!group_cores(made, kind.type, shape.cores, level)) continue;
    const bool is_whole = level.object_of.front() == level.object_of.back();
    if (kind.within != Distance::cache && is_whole) continue;
    shape.levels.push_back(std::move(level));
  }
  return {};
}

}  // namespace cairn::placer
