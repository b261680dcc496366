// SPDX-License-Identifier: BSD-3-Clause
// manual.cc - manual pages in roff, from the same descriptions as --help.

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "cli/command.hpp"

namespace cairn::cli {

namespace {

std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (const char c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    line_start = c == '\n';
  }
  return out;
}

std::string head(const std::string& title, const std::string& summary) {
  std::string upper = title;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".TH " + upper + " 1 \"\" \"cairn " CAIRN_VERSION "\" \"User Commands\"\n.SH NAME\n" + roff(title) + " \\- " +
         roff(summary) + "\n";
}

std::string options_of(const CLI::App& app) {
  std::string out = ".SH OPTIONS\n";
  for (const CLI::Option* option : app.get_options()) {
    out += ".TP\n.B " + roff(option->get_name(false, true));
    if (option->get_expected_max() > 0 && !option->get_type_name().empty()) out += " " + roff(option->get_type_name());
    out += "\n" + roff(option->get_description()) + "\n";
  }
  return out;
}

std::string page_of(const Command& command) {
  CLI::App app;
  OptionAdder adder(app);
  command.add_options(adder);
  std::string out = head("cairn-" + command.name, command.summary);
  out += ".SH SYNOPSIS\n.B cairn " + command.name + "\n" + roff(command.synopsis) + "\n" + options_of(app);
  for (const auto& [heading, paragraph] : command.more)
    out += ".SH " + heading + "\n.nf\n" + roff(paragraph) + "\n.fi\n";
  return out + ".SH SEE ALSO\n.BR cairn (1)\n";
}

std::string overview() {
  std::string out = head("cairn", "runs any number of MPI tools at once on an unmodified program");
  out += ".SH SYNOPSIS\n.B cairn\nCOMMAND [OPTIONS]\n.SH COMMANDS\n";
  for (const Command& command : commands())
    out += ".TP\n.BR cairn\\-" + command.name + " (1)\n" + roff(command.summary) + "\n";
  return out + ".SH SEE ALSO\n" + roff(guide) + "\n";
}

}  // namespace

std::string manual_page_names() {
  std::string names = "cairn";
  for (const Command& command : commands()) names += ", cairn-" + command.name;
  return names;
}

std::string manual_page(const std::string& page) {
  if (page == "cairn") return overview();
  for (const Command& command : commands())
    if (page == "cairn-" + command.name) return page_of(command);
  return {};
}

}  // namespace cairn::cli
