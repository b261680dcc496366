// SPDX-License-Identifier: BSD-3-Clause
// completion.cc - completion for bash, zsh and fish, from the same descriptions as --help.

#include <CLI/CLI.hpp>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/completion/scripts.hpp"

namespace cairn::cli {

namespace {

struct OptionWord {
  std::string name;  // "--tools"
  std::string summary;
  std::string value;  // "LIST"; empty: takes none
};

std::vector<OptionWord> options_of(const Command& command) {
  CLI::App app;
  OptionAdder adder(app);
  command.add_options(adder);
  std::vector<OptionWord> out;
  for (const CLI::Option* option : app.get_options()) {
    const std::string value = option->get_expected_max() > 0 ? option->get_type_name() : "";
    for (const std::string& name : option->get_lnames()) out.push_back({"--" + name, option->get_description(), value});
  }
  return out;
}

/// `marked`: characters that mean something where the text goes, and get a backslash.
std::string in_quotes(const std::string& text, std::string_view marked) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += marked.find(c) == std::string_view::npos ? "'\\''" : "\\'";
      continue;
    }
    if (marked.find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

std::string joined(const std::vector<OptionWord>& options, bool only_with_value) {
  std::string out;
  for (const OptionWord& option : options)
    if (!only_with_value || !option.value.empty()) out += (out.empty() ? "" : " ") + option.name;
  return out;
}

std::string filled(std::string_view script, const std::string& place, const std::string& text) {
  std::string out(script);
  out.replace(out.find(place), place.size(), text);
  return out;
}

std::string bash() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    const std::vector<OptionWord> options = options_of(command);
    names += (names.empty() ? "" : " ") + command.name;
    cases += (cases.empty() ? "    " : "\n    ") + command.name + ") options='" + joined(options, false) +
             "' valued='" + joined(options, true) + "'" + (command.runs_program ? " program=1" : "") + " ;;";
  }
  return filled(filled(cairn_bash, "@commands@", names), "@cases@", cases);
}

std::string zsh() {
  std::string names;
  std::string cases;
  for (const Command& command : commands()) {
    names += (names.empty() ? "    " : "\n    ") + in_quotes(command.name + ":" + command.summary, "");
    cases += (cases.empty() ? "        " : "\n        ") + command.name + ")\n          _arguments";
    for (const OptionWord& option : options_of(command)) {
      const std::string value = option.name == "--tools" ? "_cairn_tools" : "_files";
      const std::string summary = in_quotes(option.summary, "[]\\:");
      cases += " \\\n            '*" + option.name + "[" + summary.substr(1, summary.size() - 2) + "]" +
               (option.value.empty() ? "" : ":" + option.value + ":" + value) + "'";
    }
    cases += command.runs_program
                 ? " \\\n            '(-)1:program:_command_names -e' '*::argument:_normal'\n          ;;"
                 : " \\\n            '*:file:_files'\n          ;;";
  }
  return filled(filled(cairn_zsh, "@commands@", names), "@cases@", cases);
}

std::string fish() {
  std::string lines;
  for (const Command& command : commands()) {
    lines += (lines.empty() ? "" : "\n") + std::string("complete -c cairn -f -n __fish_use_subcommand -a ") +
             command.name + " -d " + in_quotes(command.summary, "'\\");
    for (const OptionWord& option : options_of(command)) {
      lines += "\ncomplete -c cairn -n '__fish_seen_subcommand_from " + command.name + "' -l " + option.name.substr(2);
      if (!option.value.empty()) lines += option.name == "--tools" ? " -x -a '(__cairn_tools)'" : " -r";
      lines += " -d " + in_quotes(option.summary, "'\\");
    }
  }
  return filled(cairn_fish, "@commands@", lines);
}

}  // namespace

std::string completion(const std::string& shell) {
  const std::string script = shell == "bash" ? bash() : shell == "zsh" ? zsh() : shell == "fish" ? fish() : "";
  if (script.empty()) throw Problem("there is no completion for '" + shell + "'", "bash, zsh or fish");
  return filled(script, "@version@", CAIRN_VERSION);
}

}  // namespace cairn::cli
