// SPDX-License-Identifier: BSD-3-Clause
// main.cc - the command `cairn`: finds the subcommand, shows help, turns failures into messages.

#include <unistd.h>

#include <iostream>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"

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
  app.footer("'cairn COMMAND --help' tells more about a command.");
  for (const Command& command : commands()) {
    CLI::App* sub = app.add_subcommand(command.name, command.summary);
    sub->formatter(std::make_shared<Formatter>("cairn " + command.name +
                                               (command.synopsis.empty() ? "" : " " + command.synopsis)));
    sub->footer(footer_of(command));
    command.add_options(*sub);
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

/// Every rank comes to this; launchers end a job with its first process, and the one that speaks must not be cut short.
int fail(const std::string& text, const std::string& remedy, const std::string& asked_by = {}) {
  if (speaks_for_job()) tell(Severity::error, text, asked_by, remedy);
  else sleep(1);
  return exit_failure;
}

std::string help_of(const CLI::App& app) {
  for (const CLI::App* sub : app.get_subcommands()) return "cairn " + sub->get_name() + " --help";
  return "cairn --help";
}

}  // namespace

int main(int argc, char** argv) {
  unsetenv("CAIRN_PROGRAM_PID");  // an outer `cairn run` became us; only what we become may be its program
  if (argc == 3 && std::string(argv[1]) == "--manual") {
    const std::string page = manual_page(argv[2]);
    if (page.empty()) return fail(std::string("there is no manual page '") + argv[2] + "'", manual_page_names());
    std::cout << page;
    return 0;
  }
  CLI::App app;
  app.name("cairn");
  try {
    describe(app);
    const std::vector<std::string> program = take_program(app, argc, argv);
    app.parse(argc, argv);
    return run_chosen(app, program);
  } catch (const CLI::Success& wish) {  // --help, --version
    return app.exit(wish, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    return fail(error.what(), help_of(app));
  } catch (const Problem& problem) {
    return fail(problem.what(), problem.remedy, problem.asked_by);
  } catch (const std::exception& error) {
    return fail(error.what(), "");
  }
}
