// SPDX-License-Identifier: BSD-3-Clause
// place.cc - `cairn place`: which rank should run where, and what that is worth.

#include <fmt/format.h>

#include <utility>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/place/answer.hpp"
#include "cli/place/launch_files.hpp"
#include "cli/place/libraries.hpp"
#include "cli/place/machine.hpp"
#include "cli/place/picture.hpp"
#include "cli/place/reordering.hpp"
#include "formats/ranks.hpp"

namespace cairn::cli {

namespace {

struct PlaceOptions {
  std::string source;
  std::string by = "bytes";
  std::vector<std::string> phases;
  place::MachineWish machine;
  unsigned cores_per_rank = 1;
  unsigned ranks_per_node = 0;
  std::string json;
  std::string rankfile;
  std::string hydra;
  std::string slurm;
  std::string reorder;
  std::string picture;
};

PlaceOptions place_options;

void add_place_options(OptionAdder& add) {
  add.option("source", place_options.source, "A run's folder, with results of 'comm'; or a Matrix Market file")
      .required()
      .type_name("DIR|FILE.mtx");
  add.option("--nodes", place_options.machine.nodes,
             "A number, a list such as n[1-8] or a:16,b:8, or a file with a node a line; default: the run's")
      .type_name("NODES");
  add.option("--machine", place_options.machine.machine,
             "A node: core:8, 'package:2 l3:2 core:4', or a file by lstopo; default: this machine")
      .type_name("NODE");
  add.option("--topology", place_options.machine.topology,
             "The network's switches: Slurm's topology.conf; default: one switch")
      .type_name("FILE");
  add.option("--cores-per-rank", place_options.cores_per_rank, "Cores that each rank needs; default: 1")
      .type_name("N")
      .range(1, 65536);
  add.option("--ranks-per-node", place_options.ranks_per_node,
             "No more ranks on a node, spread over it; default: all its cores")
      .type_name("N")
      .range(1, 65536);
  add.option("--by", place_options.by, "What counts: bytes (default) or messages").type_name("UNIT");
  add.option("--phase", place_options.phases, "Only the traffic of this phase; may be repeated")
      .type_name("NAME")
      .repeatable();
  add.option("--json", place_options.json, "Write all mappings for programs; '-': to standard output, and nothing else")
      .type_name("FILE");
  add.option("--rankfile", place_options.rankfile, "Write the mapping for Open MPI").type_name("FILE");
  add.option("--hydra", place_options.hydra, "Write it for MPICH's Hydra: a host file with bindings").type_name("FILE");
  add.option("--slurm", place_options.slurm, "Write it for srun: the nodes by rank").type_name("FILE");
  add.option("--reorder", place_options.reorder, "Write the rank that each process is to have, for the tool 'reorder'")
      .type_name("FILE");
  add.option("--picture", place_options.picture, "Draw the matrix before and after, with the machine's levels, as SVG")
      .type_name("FILE");
}

place::Unit unit() {
  if (place_options.by == "bytes") return place::Unit::bytes;
  if (place_options.by == "messages") return place::Unit::messages;
  throw Problem("'" + place_options.by + "' is not a unit", "--by bytes, or --by messages", "--by " + place_options.by);
}

void check_names(const place::KnownMachine& known, const std::string& asked_by) {
  if (!known.has_names) throw Problem("the nodes have no names", "--nodes with the names, as in n[1-8]", asked_by);
}

/// Writes a launcher's file; the command that takes it.
using Write = std::string (*)(const placement::Machine&, const placement::Mapping&);
void write_hosts(const char* option, const std::string& path, const place::KnownMachine& known,
                 const placement::Mapping& mapping, Write write) {
  const std::string asked_by = std::string(option) + " " + path;
  check_names(known, asked_by);
  write_output(path, write(known.machine, mapping), asked_by);
}

/// The files that are asked for, and how to use them.
std::string write_launch_files(const place::KnownMachine& known, const placement::Mapping& mapping,
                               const place::Source& source) {
  std::string use;
  const std::size_t ranks = mapping.size();
  if (!place_options.rankfile.empty()) {
    write_output(place_options.rankfile, place::rankfile(known.machine, mapping, known.has_names),
                 "--rankfile " + place_options.rankfile);
    use += fmt::format("  mpirun -n {} --rankfile {} …\n", ranks, place_options.rankfile);
  }
  if (!place_options.hydra.empty()) {
    write_hosts("--hydra", place_options.hydra, known, mapping, place::hydra_file);
    use += fmt::format("  mpiexec -f {} -n {} …\n", place_options.hydra, ranks);
  }
  if (!place_options.slurm.empty()) {
    write_hosts("--slurm", place_options.slurm, known, mapping, place::slurm_file);
    use += fmt::format("  SLURM_HOSTFILE={} srun -n {} --distribution=arbitrary …\n", place_options.slurm, ranks);
  }
  if (!place_options.reorder.empty()) {
    const place::Reordering made = reordering(known.machine, mapping, source);
    write_output(place_options.reorder, formats::rank_order_text(made.order), "--reorder " + place_options.reorder);
    use += fmt::format("  mpirun -n {} cairn run --tools reorder=file:{} …\n", ranks, place_options.reorder);
    if (made.are_cores_guessed)
      use +=
          "  (Not all processes are known to be bound to a core of their own: those of a node are assumed to have its "
          "cores in order.)\n";
  }
  return use.empty() ? use : "\nTo use it:\n" + use;
}

/// Where the machine is that of the run.
void warn_of_unknown_nodes(const place::Source& source) {
  if (const std::vector<int> unknown = ranks_without_node(source); !unknown.empty())
    tell(Severity::warning,
         "it is unknown on which node " + formats::named_ranks(unknown) +
             " ran: the machine has the nodes of the others",
         "", "--nodes with all of them");
}

void check_place_files() {
  for (const auto& [option, path] : {std::pair<const char*, const std::string&>{"--json ", place_options.json},
                                     {"--rankfile ", place_options.rankfile},
                                     {"--hydra ", place_options.hydra},
                                     {"--slurm ", place_options.slurm},
                                     {"--reorder ", place_options.reorder},
                                     {"--picture ", place_options.picture}})
    check_output(path, option + path);
}

int place_ranks(const std::vector<std::string>& /*program*/) {
  place_options.machine.seats = {static_cast<int>(place_options.cores_per_rank),
                                 static_cast<int>(place_options.ranks_per_node)};
  const place::Source source = place::read_source(place_options.source, unit(), place_options.phases);
  for (const Problem& warning : source.warnings) tell(Severity::warning, warning.what(), "", warning.remedy);
  check_place_files();
  if (!place_options.reorder.empty() && place_options.machine.nodes.empty()) {
    place_options.machine.nodes = nodes_as_taken(source);
    place_options.machine.processes = processes_as_taken(source);
  } else if (place_options.machine.nodes.empty()) {
    warn_of_unknown_nodes(source);
  }
  const placement::Libraries& libraries = place::libraries();
  const place::KnownMachine known =
      place::machine_of(place_options.machine, source.matrix.size, source.nodes, libraries);
  const placement::Traffic traffic(source.matrix);
  const placement::Comparison all = compare_mappings(traffic, known.machine, &libraries);
  if (!place_options.json.empty())
    write_output(place_options.json, answer_json(source, known.machine, all), "--json " + place_options.json);
  if (!place_options.picture.empty())
    write_output(place_options.picture, place::picture(source.run, traffic, known.machine, all),
                 "--picture " + place_options.picture);
  const std::string use = write_launch_files(known, all.own().mapping, source);
  if (place_options.json != "-") fmt::print("{}{}", answer_text(source, known.machine, all), use);
  return 0;
}

}  // namespace

Command place_command() {
  return {
      .name = "place",
      .synopsis =
          "DIR|FILE.mtx [--nodes NODES] [--machine NODE] [--topology FILE] [--cores-per-rank N] [--ranks-per-node N] "
          "[--by UNIT] [--phase NAME] [--json FILE] [--rankfile FILE] [--hydra FILE] [--slurm FILE] "
          "[--reorder FILE] [--picture FILE]",
      .summary = "Find a better place for each rank, by who sends how much to whom",
      .more = {{"EXAMPLES",
                "  mpirun -n 64 cairn run --tools comm --out results ./app\n"
                "  cairn place results\n"
                "  cairn place results --nodes 'n[1-8]' --machine node.xml --rankfile ranks.txt\n"
                "  cairn place results --reorder order.txt\n"
                "  cairn place results/comm/total.bytes.mtx --nodes 8 --machine core:8 --json -"},
               {"OUTPUT",
                "  What to expect of cairn's mapping, and of those that launchers make: by slot (one node after the "
                "other),\n"
                "  by node (in turn), at random. Hop-bytes: every byte times the edges of the machine's tree that it "
                "passes.\n"
                "  The program does not run. docs/placement.md explains the figures."},
               {"EXIT STATUS", "  0, also if nothing is to be gained; 125: the mapping could not be made or written."}},
      .add_options = add_place_options,
      .action = place_ranks,
  };
}

}  // namespace cairn::cli
