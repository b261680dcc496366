// SPDX-License-Identifier: BSD-3-Clause
// tools.cc - `cairn tools`: the bundled tools and their options, read from the modules without loading them.

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "base/text.hpp"
#include "cli/asking.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/stack_file/found_file.hpp"
#include "cli/stack_file/stack_file.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

struct Bundled {
  ToolAbout about;
  std::vector<std::string> mpis;
};

std::map<std::string, Bundled> find_bundled() {
  std::map<std::string, Bundled> tools;
  const std::string folder = bundled_tools_folder(libcairn());
  for (const MpiFamily& family : mpi_families()) {
    std::error_code none;
    for (const auto& file : std::filesystem::directory_iterator(folder + "/" + std::string(family.id), none)) {
      if (file.path().extension() != ".so") continue;
      Bundled& tool = tools[file.path().stem().string()];
      tool.about = parse_tool_about(ElfFile::read(file.path().string()).exported_text("cairn_tool_about"));
      tool.mpis.emplace_back(family.name);
    }
  }
  return tools;
}

std::string listed_stack_file;

/// CAIRN_STACK is read by this command too, for a program that runs without it (src/runtime/stack_file.cc).
std::string asker_of_stack() {
  const FoundFile found = find_stack_file();
  return found.path == listed_stack_file ? found.asked_by : "--stack " + listed_stack_file;
}

int list_layers() {
  const auto read = [] { return read_stack_file(listed_stack_file); };
  fmt::print("{}\n", format_tools(on_behalf_of(asker_of_stack(), read)));
  return 0;
}

int list_tools(const std::vector<std::string>& /*program*/) {
  if (!listed_stack_file.empty()) return list_layers();
  for (const auto& [name, tool] : find_bundled()) {
    fmt::print("{:<12} {}\n{:<12} for {}\n", name, tool.about.summary, "", join(tool.mpis, ", "));
    for (const ToolAbout::Option& option : tool.about.options)
      fmt::print("{:<12}   {:<14} {}\n", "", option.name + ":" + option.default_value, option.help);
  }
  return 0;
}

}  // namespace

Command tools_command() {
  return {
      .name = "tools",
      .synopsis = "[--stack FILE]",
      .summary = "List the bundled tools and their options",
      .more = {{"OUTPUT",
                "  Each option is shown with its default; give it as NAME=OPTION:VALUE after --tools. The last one\n  "
                "may stand without :VALUE, which then is on."}},
      .add_options =
          [](OptionAdder& add) {
            add.option("--stack", listed_stack_file, "Print the layers of a stack file instead, as --tools takes them")
                .type_name("FILE");
          },
      .action = list_tools,
  };
}

}  // namespace cairn::cli
