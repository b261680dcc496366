// SPDX-License-Identifier: BSD-3-Clause
// main.cc - the command `cairn`: finds the subcommand, shows help, turns failures into messages.

#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <sstream>
#include <system_error>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "policy/expression_parser.hpp"

namespace {

using namespace cairn;
using namespace cairn::cli;

std::string footer_of(const Command& command) {
  std::string text;
  for (const auto& [heading, paragraph] : command.more) text += heading + ":\n" + paragraph + "\n\n";
  if (!text.empty()) text.resize(text.size() - 2);
  return text;
}

/// Shows a command's own synopsis instead of one made up from its options.
class Formatter : public CLI::Formatter {
 public:
  explicit Formatter(std::string synopsis) : synopsis_(std::move(synopsis)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string /*name*/) const override {
    return "Usage: " + synopsis_ + "\n";
  }

 private:
  std::string synopsis_;
};

void describe(CLI::App& app) {
  app.description("Runs any number of MPI tools at once on an unmodified program.");
  app.set_version_flag("--version", "cairn " CAIRN_VERSION, "Print the version");
  app.require_subcommand(0, 1);
  app.footer("'cairn COMMAND --help' explains a command.\n" + std::string(guide));
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->formatter(std::make_shared<Formatter>("cairn " + command.name +
                                               (command.synopsis.empty() ? "" : " " + command.synopsis)));
    sub->footer(footer_of(command));
    OptionAdder adder(*sub);
    command.add_options(adder);
  }
}

int run_chosen(CLI::App& app, const std::vector<std::string>& program) {
  for (const Command& command : commands())
    if (app.get_subcommand(command.name)->parsed()) return command.action(program);
  std::cout << app.help();
  return 0;
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = command.get_option_no_throw(word);
  return option != nullptr && option->get_expected_max() > 0;
}

/// Where the words of another program begin: behind "--", or at the first word that is no option of the command.
int program_begin(const CLI::App& command, bool dashes_only, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--") return i;
    if (dashes_only) continue;
    if (word.empty() || word.front() != '-') return i;
    if (takes_value(command, word)) ++i;
  }
  return argc;
}

/// Takes the other program's words off the command line.
std::vector<std::string> take_program(const CLI::App& app, int& argc, char** argv) {
  for (const Command& command : commands()) {
    if (!(command.runs_program || command.names_program) || argc < 2 || command.name != argv[1]) continue;
    const int begin = program_begin(*app.get_subcommand(command.name), command.names_program, argc, argv);
    std::vector<std::string> words(argv + begin, argv + argc);
    if (!words.empty() && words.front() == "--") words.erase(words.begin());
    argc = begin;
    return words;
  }
  return {};
}

int fail(const std::string& text, const std::string& remedy, const std::string& asked_by = {}) {
  tell_last(text, asked_by, remedy);
  return exit_failure;
}

/// "cairn run", or "cairn" where no command was given.
std::string name_of(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return "cairn " + sub->get_name();
  return "cairn";
}

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.push_back(command.name);
  return names;
}

bool has_command(const std::string& word) {
  const std::vector<std::string> names = command_names();
  return std::ranges::find(names, word) != names.end();
}

/// The program that has all commands; ./dev demo does not build it.
std::string all_commands() { return installation().modules + "/cairn-commands"; }

/// It is told where `cairn` is (installation()).
void go_to_all_commands(char** argv) {
  const std::string path = all_commands();
  if (access(path.c_str(), F_OK) != 0) return;
  std::string own = installation().command;
  argv[0] = own.data();
  execv(path.c_str(), argv);
  throw Problem("'" + path + "' cannot be run: " + std::strerror(errno), "building or installing Cairn again");
}

void check_command(const std::string& word) {
  if (word.starts_with('-') || has_command(word)) return;
  if (are_some_commands)
    throw Problem("there is no command '" + word + "': '" + all_commands() + "', which has all but 'run', is missing",
                  "./dev build, or installing Cairn again");
  const std::vector<std::string> names = command_names();
  const std::string near = policy::nearest(word, names);
  throw Problem("there is no command '" + word + "'", near.empty() ? "cairn --help" : "cairn " + near);
}

/// What the parser has left over: a misspelt option more likely than a word too many.
[[noreturn]] void refuse_rest(const CLI::App& app) {
  const std::vector<std::string> rest = app.remaining(true);
  const auto option = std::ranges::find_if(rest, [](const std::string& word) { return word.starts_with('-'); });
  const std::string name = name_of(app);
  if (option == rest.end())
    throw Problem("'" + name + "' does not take the argument '" + rest.front() + "'", name + " --help");
  const std::string wrong = option->substr(0, option->find('='));
  const CLI::App* const command = app.get_subcommands().empty() ? &app : app.get_subcommands().front();
  std::vector<std::string> known;
  for (const CLI::Option* each : command->get_options())
    for (const std::string& word : each->get_lnames()) known.push_back("--" + word);
  const std::string near = policy::nearest(wrong, known);
  throw Problem("'" + name + "' has no option '" + wrong + "'", near.empty() ? name + " --help" : near);
}

void parse(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError&) {
    if (app.remaining(true).empty()) throw;
    refuse_rest(app);
  }
}

int show_manual(const std::string& name) {
  const std::string page = manual_page(name);
  if (page.empty()) throw Problem("there is no manual page '" + name + "'", manual_page_names());
  std::cout << page;
  return 0;
}

int run_command(CLI::App& app, int argc, char** argv) {
  if (are_some_commands && (argc < 2 || !has_command(argv[1]))) go_to_all_commands(argv);
  if (argc == 3 && std::string(argv[1]) == "--manual") return show_manual(argv[2]);
  if (argc == 3 && std::string(argv[1]) == "--completion") {
    std::cout << completion(argv[2]);
    return 0;
  }
  if (argc > 1) check_command(argv[1]);
  describe(app);
  const std::vector<std::string> program = take_program(app, argc, argv);
  try {
    parse(app, argc, argv);
  } catch (const CLI::Success& wish) {  // --help, --version
    std::ostringstream text;
    const int code = app.exit(wish, text, std::cerr);
    std::cout << text.str();
    return code;
  }
  return run_chosen(app, program);
}

Problem output_problem(int error) {
  return Problem(std::string("standard output cannot be written") + (error == 0 ? "" : ": ") +
                     (error == 0 ? "" : std::strerror(error)),
                 "a file or disk with space left");
}

/// What was not written is no success.
void check_output() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) throw output_problem(errno);
}

int run_with_output(CLI::App& app, int argc, char** argv) {
  try {
    const int code = run_command(app, argc, argv);
    check_output();
    return code;
  } catch (const std::system_error& error) {  // by fmt, at once where much is printed
    if (std::ferror(stdout) == 0) throw;
    throw output_problem(error.code().value());
  }
}

}  // namespace

int main(int argc, char** argv) {
  unsetenv("CAIRN_PROGRAM_PID");  // an outer `cairn run` became us; only what we become may be its program
  CLI::App app;
  app.name("cairn");
  try {
    return run_with_output(app, argc, argv);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), name_of(app) + " --help");
  } catch (const Problem& problem) {
    return fail(problem.what(), problem.remedy, problem.asked_by);
  } catch (const std::exception& error) {
    return fail(error.what(), "");
  }
}
