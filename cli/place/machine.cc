// SPDX-License-Identifier: BSD-3-Clause
// machine.cc - nodes by number, list, file, run or topology; cores by hwloc

#include "cli/place/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "base/host_name.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/asking.hpp"
#include "cli/place/hosts.hpp"
#include "cli/place/topology.hpp"
#include "cli/report/wording.hpp"

namespace cairn::place {

namespace {

using placement::NodeShape;
using report::plural;

constexpr int most_nodes = 1 << 20;

struct Hosts {
  std::vector<Host> all;
  bool have_names = true;
};

/// Names of nodes may be those of a run.
std::string asked_nodes(const MachineWish& wish) { return "--nodes " + harmless(wish.nodes); }

std::vector<Host> named(const std::vector<std::string>& names) {
  std::vector<Host> hosts;
  for (const std::string& name : names) hosts.push_back({name, 0});
  return hosts;
}

Hosts by_number(const std::string& number, const std::vector<std::string>& known) {
  const int count = number.size() > 7 ? 0 : std::stoi(number);
  if (count < 1 || count > most_nodes)
    throw Problem(fmt::format("'{}' is not a number of nodes", number), "--nodes 8", "--nodes " + number);
  if (known.size() >= static_cast<std::size_t>(count)) return {named({known.begin(), known.begin() + count})};
  Hosts hosts{{}, false};
  for (int i = 0; i < count; ++i) hosts.all.push_back({fmt::format("node{}", i), 0});
  return hosts;
}

Hosts hosts_of(const MachineWish& wish, const std::vector<std::string>& nodes_of_run,
               const std::optional<Topology>& topology) {
  const std::vector<std::string>& known = topology ? topology->nodes : nodes_of_run;
  if (wish.nodes.empty()) {
    if (!nodes_of_run.empty()) return {named(nodes_of_run)};
    return topology ? Hosts{named(known)} : by_number("1", {});
  }
  if (wish.nodes.find_first_not_of("0123456789") == std::string::npos) return by_number(wish.nodes, known);
  return cli::on_behalf_of(asked_nodes(wish), [&]() -> Hosts {
    return {std::filesystem::is_regular_file(wish.nodes) ? hosts_in_file(wish.nodes) : place::hosts_of(wish.nodes)};
  });
}

/// The first core of each process; none, if not each is bound to cores of its own.
std::vector<int> cores_of(const std::vector<std::vector<int>>& processes, const NodeShape& shape) {
  std::vector<int> first;
  std::set<int> taken;
  for (const std::vector<int>& processors : processes) {
    const std::size_t before = taken.size();
    for (int core = shape.cores; core-- > 0;) {
      if (!std::ranges::binary_search(processors, shape.units[static_cast<std::size_t>(core)])) continue;
      if (!taken.insert(core).second) return {};
      if (taken.size() == before + 1) first.push_back(core);
      first.back() = core;
    }
    if (taken.size() == before) return {};
  }
  std::ranges::sort(first);
  return first;
}

/// Whether a run's processes are bound to cores of the machine on which the command runs, which is `here` then.
bool are_bound_here(const MachineWish& wish, const placement::Libraries& libraries, NodeShape& here) {
  const std::string name = host_name();
  if (wish.processes.size() != 1 || name.empty()) return false;
  const auto& [node, processes] = *wish.processes.begin();
  return node == name && libraries.read_node("", here).empty() && !cores_of(processes, here).empty();
}

NodeShape shape_of(const MachineWish& wish, const Hosts& hosts, const placement::Libraries& libraries) {
  const bool says_cores =
      !hosts.all.empty() && std::ranges::all_of(hosts.all, [](const Host& host) { return host.cores > 0; });
  NodeShape shape;
  if (wish.machine.empty() && are_bound_here(wish, libraries, shape)) return shape;
  if (wish.machine.empty() && says_cores) return NodeShape::flat(std::ranges::max(hosts.all, {}, &Host::cores).cores);
  shape = {};
  if (const std::string why = libraries.read_node(wish.machine, shape); !why.empty())
    throw Problem(why, "core:8, 'package:2 l3:2 core:4', or a file written by 'lstopo node.xml'",
                  wish.machine.empty() ? "" : "--machine " + wish.machine);
  return shape;
}

placement::Node node_of(const Host& host, const NodeShape& shape, const MachineWish& wish,
                        const std::optional<Topology>& topology) {
  placement::Node node{host.name, host.cores > 0 ? host.cores : shape.cores};
  if (const auto found = wish.processes.find(host.name); found != wish.processes.end())
    node.seats = cores_of(found->second, shape);
  if (!node.seats.empty()) node.cores = shape.cores;
  if (node.cores > shape.cores)
    throw Problem(fmt::format("node '{}' has {}, its machine {}", harmless(host.name),
                              plural(static_cast<std::uint64_t>(host.cores), "core"), shape.cores),
                  "--machine core:" + std::to_string(host.cores), asked_nodes(wish));
  if (!topology) return node;
  const auto found = topology->path_of.find(host.name);
  if (found == topology->path_of.end())
    throw Problem(fmt::format("node '{}' is behind no switch of '{}'", harmless(host.name), wish.topology),
                  "--nodes with names that it has, such as " + harmless(topology->nodes.front()),
                  "--topology " + wish.topology);
  node.switches = found->second;
  return node;
}

void check_room(const placement::Machine& machine, int ranks) {
  const int room = machine.slots();
  if (room >= ranks) return;
  const std::size_t nodes = machine.nodes().size();
  const std::size_t enough = room > 0 ? (static_cast<std::size_t>(ranks) * nodes + static_cast<std::size_t>(room) - 1) /
                                            static_cast<std::size_t>(room)
                                      : 0;
  throw Problem(
      fmt::format("{} do not fit on {}: there is room for {}", plural(static_cast<std::uint64_t>(ranks), "rank"),
                  plural(nodes, "node"), room),
      enough > 0 ? fmt::format("--nodes {}, or nodes with more cores (--machine)", enough) : "fewer --cores-per-rank");
}

}  // namespace

KnownMachine machine_of(const MachineWish& wish, int ranks, const std::vector<std::string>& nodes_of_run,
                        const placement::Libraries& libraries) {
  std::optional<Topology> topology;
  if (!wish.topology.empty()) topology = read_topology_file(wish.topology);
  const Hosts hosts = hosts_of(wish, nodes_of_run, topology);
  const NodeShape shape = shape_of(wish, hosts, libraries);
  std::vector<placement::Node> nodes;
  std::set<std::string> names;
  for (const Host& host : hosts.all) {
    if (!names.insert(host.name).second)
      throw Problem(fmt::format("node '{}' is listed twice", harmless(host.name)), "each node once, with all its cores",
                    asked_nodes(wish));
    nodes.push_back(node_of(host, shape, wish, topology));
  }
  placement::Machine machine(std::move(nodes), shape, wish.seats);
  check_room(machine, ranks);
  return {std::move(machine), hosts.have_names};
}

}  // namespace cairn::place
