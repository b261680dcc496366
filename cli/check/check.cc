// SPDX-License-Identifier: BSD-3-Clause
// check.cc - `cairn check`: what would happen with these tools on this program, without running it.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/asking.hpp"
#include "cli/check/needs.hpp"
#include "cli/check/unseen.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/stack_file/stack_file.hpp"
#include "request/filters.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

struct CheckOptions {
  std::string tools;
  std::string stack_file;
  std::string mpi;
  std::string program;
  bool functions = false;
};

CheckOptions check_wishes;

void add_check_options(OptionAdder& add) {
  add.option("program", check_wishes.program, "The program").required().type_name("PROGRAM");
  add.option("--tools", check_wishes.tools, "Tools, as for 'cairn run'").type_name("LIST");
  add.option("--stack", check_wishes.stack_file, "Stack file, as for 'cairn run'").type_name("FILE");
  add.option("--mpi", check_wishes.mpi, "The MPI to check for if the program opens it itself: openmpi, mpich or abi")
      .type_name("MPI");
  add.flag("--functions", check_wishes.functions, "List the functions that each tool intercepts");
}

const MpiFamily& family_by_id(const std::string& id) {
  for (const MpiFamily& family : mpi_families())
    if (family.id == id) return family;
  throw Problem("there is no MPI '" + id + "'", "--mpi openmpi, --mpi mpich or --mpi abi");
}

/// The MPI that tools will meet; prints what is known of the program and it.
std::optional<TargetMpi> show_program(const std::string& path) {
  const ProgramKind kind = kind_of_program(path);
  constexpr const char* kinds[] = {"dynamically linked", "statically linked: no tool can be loaded", "a script",
                                   "not a program for this machine"};
  const std::string rights = special_rights(path);
  fmt::print("program  {}: {}{}\n", path, kinds[static_cast<int>(kind)],
             rights.empty() ? "" : "; " + rights + ": no tool can be loaded");
  if (kind == ProgramKind::statically_linked || kind == ProgramKind::unknown || !rights.empty()) return std::nullopt;

  if (const auto mpi = linked_mpi(path)) {
    const TargetMpi target{mpi->family, describe_library(*mpi)};
    fmt::print("MPI      {} ({})\n", target.description, mpi->library);
    if (!is_known(*mpi->family))
      fmt::print("         not known to Cairn: it hosts PMPI tools, but no bundled tools, QMPI tools and services\n");
    if (const auto unseen = unseen_functions(path, mpi->library); !unseen.empty())
      fmt::print("         calls past all tools, unknown to Cairn: {}\n", fmt::join(unseen, " "));
    return target;
  }
  if (check_wishes.mpi.empty()) {
    fmt::print(
        "MPI      the program is not linked with one; if it opens one itself (as Python does), name it with --mpi\n");
    return std::nullopt;
  }
  const MpiFamily& family = family_by_id(check_wishes.mpi);
  fmt::print("MPI      the program is not linked with one; checking for {} (--mpi)\n", family.name);
  return TargetMpi{&family, std::string(family.name)};
}

/// What the filters are, and what those over functions leave of `functions`.
void show_filters_of(const LayerRequest& layer, const Filters& filters, std::vector<std::string_view>& functions) {
  fmt::print("         filters {}\n", show_filters(layer.filters));
  if (filters.restricts && !functions.empty() && !filters.can_affect(functions))
    return fmt::print("         warning: they have no effect: all functions that it wraps reach it always\n");
  if (!filters.chooses_functions() || functions.empty()) return;
  const std::size_t before = functions.size();
  const auto useless = filters.useless_globs(functions);
  std::erase_if(functions, [&](std::string_view name) { return !filters.admits_function(name); });
  fmt::print("         leaves {} of {}: {}\n", functions.size(), before, fmt::join(functions, " "));
  for (const std::string& glob : useless)
    fmt::print("         warning: '{}' matches no function that it wraps\n", glob);
}

/// What is known of a tool without running anything of it.
void show_functions(std::size_t number, const LayerRequest& layer, const ToolFile& tool) {
  const Filters filters = parse_filters(layer);
  std::vector<std::string_view> functions;
  if (tool.kind == ToolKind::fortran) {
    fmt::print(
        "layer {:<2} {}: wraps {} procedure{} of MPI for Fortran; preloaded, it sees what mpif.h and 'use mpi' call "
        "({})\n",
        number, layer.tool, intercepted_functions(tool).size(), intercepted_functions(tool).size() == 1 ? "" : "s",
        tool.path);
  } else if (tool.kind == ToolKind::pmpi) {
    functions = intercepted_functions(tool);
    fmt::print("layer {:<2} {}: intercepts {} function{} ({})\n", number, layer.tool, functions.size(),
               functions.size() == 1 ? "" : "s", tool.path);
  } else {
    constexpr const char* kinds[] = {"", "a QMPI tool: registers", "a tool of the thesis's QMPI: says"};
    fmt::print("layer {:<2} {}: {} what it intercepts when it is loaded ({})\n", number, layer.tool,
               kinds[static_cast<int>(tool.kind)], tool.path);
  }
  if (!layer.filters.empty()) show_filters_of(layer, filters, functions);
  if (check_wishes.functions && !functions.empty()) fmt::print("         {}\n", fmt::join(functions, " "));
}

/// What is known of a layer: its file, and who gives it its services; or why it would not be loaded.
struct Layer {
  std::optional<ToolFile> tool;
  std::vector<std::string> needs;
  std::optional<Problem> problem;
};

Layer look_at_layer(const LayerRequest& request, std::size_t place, std::span<const KnownLayer> below,
                    const TargetMpi& mpi, bool arguments_are_read) {
  const std::string bundled = bundled_tools_folder(libcairn());
  Layer layer;
  try {
    ToolFile tool = examine_tool(find_tool(request, *mpi.family, bundled), mpi);
    if (!arguments_are_read || !tool.about.options.empty()) check_options(request, tool.about);
    check_place(request, place, tool.about);
    parse_filters(request);
    layer.needs = show_needs(tool.about, below, mpi, bundled);
    layer.tool = std::move(tool);
  } catch (const Problem& problem) {
    layer.problem = problem;
  }
  return layer;
}

/// Whether one of them is a module of PnMPI's, which may ask for any layer's arguments.
bool has_pnmpi_module(const std::vector<LayerRequest>& requests, const TargetMpi& mpi) {
  return std::ranges::any_of(requests, [&](const LayerRequest& request) {
    try {
      return examine_tool(find_tool(request, *mpi.family, bundled_tools_folder(libcairn())), mpi).is_pnmpi_module;
    } catch (const Problem&) {
      return false;
    }
  });
}

/// From the innermost outwards, as they are loaded.
std::vector<Layer> look_at_all(const std::vector<LayerRequest>& requests, const TargetMpi& mpi) {
  std::vector<Layer> layers(requests.size());
  std::vector<KnownLayer> below;  // the nearest first
  const bool arguments_are_read = has_pnmpi_module(requests, mpi);
  for (std::size_t i = requests.size(); i-- > 0;) {
    layers[i] = look_at_layer(requests[i], i, below, mpi, arguments_are_read);
    if (layers[i].tool) below.insert(below.begin(), {i + 1, requests[i].tool, layers[i].tool->about});
  }
  return layers;
}

void show_layer(std::size_t number, const LayerRequest& request, const Layer& layer) {
  if (layer.problem) {
    fmt::print("layer {:<2} {}: would not be loaded: {}\n", number, request.tool, layer.problem->what());
    if (!layer.problem->remedy.empty()) fmt::print("         try: {}\n", layer.problem->remedy);
    return;
  }
  show_functions(number, request, *layer.tool);
  for (const std::string& need : layer.needs) fmt::print("         {}\n", need);
  if (layer.tool->image.uses_static_tls())
    fmt::print(
        "         uses static thread-local storage: many instances may need "
        "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536\n");
}

std::vector<LayerRequest> layers_to_check() {
  std::vector<LayerRequest> layers =
      on_behalf_of("--tools " + check_wishes.tools, [] { return parse_tools(check_wishes.tools); });
  if (check_wishes.stack_file.empty()) return layers;
  const auto read = [] { return read_stack_file(check_wishes.stack_file); };
  for (LayerRequest& layer : on_behalf_of("--stack " + check_wishes.stack_file, read))
    layers.push_back(std::move(layer));
  return layers;
}

int check(const std::vector<std::string>& /*program*/) {
  int code = exit_failure;
  const std::string path = find_program(check_wishes.program, code);
  if (!check_wishes.mpi.empty()) family_by_id(check_wishes.mpi);
  std::vector<LayerRequest> layers = layers_to_check();
  const auto mpi = show_program(path);
  if (!mpi) return 1;
  const std::vector<Layer> looked_at = look_at_all(layers, *mpi);
  for (std::size_t i = 0; i < layers.size(); ++i) show_layer(i + 1, layers[i], looked_at[i]);
  return std::ranges::all_of(looked_at, [](const Layer& layer) { return !layer.problem; }) ? 0 : 1;
}

}  // namespace

Command check_command() {
  return {
      .name = "check",
      .synopsis = "PROGRAM [--tools LIST] [--stack FILE] [--mpi MPI] [--functions]",
      .summary = "Check, without running the program, whether these tools would load and what they would see",
      .more = {{"EXAMPLES", "  cairn check ./app --tools profile,/opt/lib/libtool.so"},
               {"EXIT STATUS",
                "  0: all tools would be loaded; 1: at least one would not; 125: nothing could be checked."}},
      .add_options = add_check_options,
      .action = check,
  };
}

}  // namespace cairn::cli
