// SPDX-License-Identifier: BSD-3-Clause
// run.cc - `cairn run`: becomes the program, with the preload library and the stack's description in its environment.

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/job.hpp"
#include "base/message.hpp"
#include "base/sanitizer_options.hpp"
#include "base/text.hpp"
#include "base/writing.hpp"
#include "cli/asking.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "cli/run/annotations.hpp"
#include "cli/run/explain.hpp"
#include "cli/run/policies.hpp"
#include "cli/run/settings.hpp"
#include "cli/stack_file/found_file.hpp"
#include "cli/stack_file/stack_file.hpp"
#include "request/filters.hpp"
#include "request/labels.hpp"
#include "request/tool_file.hpp"
#include "where/dead_pages.hpp"

namespace cairn::cli {

namespace {

struct RunOptions {
  std::string tools;
  FoundFile stack;
  std::string out;
  std::vector<std::string> settings;
  std::vector<std::string> labels;
  std::string policy;
  bool strict = false;
  bool alone = false;
  bool explain = false;
  OptionEntry tools_given;
};

RunOptions run_options;

void add_run_options(OptionAdder& add) {
  run_options.tools_given =
      add.option("--tools", run_options.tools,
                 "Tools, outermost first: NAME or PATH, each with [=OPTION:VALUE...][@FILTER:VALUE...]")
          .type_name("LIST");
  add.option("--stack", run_options.stack.path,
             "TOML file with layers, or a PnMPI configuration; below those of --tools")
      .type_name("FILE");
  add.option("--out", run_options.out, "Folder for the results; default: a new one named after program and time")
      .type_name("DIR");
  add.option("--set", run_options.settings,
             "Set a control variable (MPI_T): NAME=VALUE[@RANKS], of an array also NAME[N]=VALUE; repeatable")
      .type_name("SETTING")
      .repeatable();
  add.option("--policy", run_options.policy,
             "Follow a policy while the program runs (the tool 'policy', below all others)")
      .type_name("FILE");
  add.option("--label", run_options.labels, "Note NAME=VALUE in the results, such as commit=1a2b3c; repeatable")
      .type_name("LABEL")
      .repeatable();
  add.flag("--strict", run_options.strict, "Do not run the program if a tool cannot be loaded");
  add.flag("--alone", run_options.alone, "Ignore the tools of an enclosing 'cairn run'");
  add.flag("--explain", run_options.explain, "Show every setting and where it comes from; do not run the program");
}

/// The program may go elsewhere before its first MPI call, so that paths must not depend on the folder.
std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

void set(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

/// Says what is wrong; with --strict that is the end.
void complain(Severity severity, const std::string& text, const std::string& asked_by, const std::string& remedy,
              const std::string& why_not_run) {
  if (speaks_for_job()) tell(severity, text, asked_by, remedy);
  if (run_options.strict) throw Problem("the program is not run: " + why_not_run, "", "--strict");
}

std::vector<LayerRequest> wanted_layers() {
  std::vector<LayerRequest> layers =
      on_behalf_of("--tools " + run_options.tools, [] { return parse_tools(run_options.tools); });
  for (LayerRequest& layer : layers)
    if (layer.tool.find('/') != std::string::npos) layer.tool = absolute(layer.tool);
  if (!run_options.stack.path.empty())
    for (LayerRequest& layer :
         on_behalf_of(run_options.stack.asked_by, [] { return read_stack_file(run_options.stack.path); }))
      layers.push_back(std::move(layer));
  if (!run_options.policy.empty()) layers.push_back(policy_layer(run_options.policy));
  for (LayerRequest& layer : layers)
    for (LayerFilter& filter : layer.filters)
      if (filter.name == "file")
        for (std::string& path : filter.values) path = absolute(path);
  return layers;
}

/// Those of the environment too, which the command line may change.
Labels wanted_labels() {
  const char* const before = std::getenv(labels_variable);
  Labels labels = labels_of(before == nullptr ? "" : before);
  for (const std::string& label : run_options.labels)
    if (!add_label(labels, label))
      throw Problem("'" + label + "' is no label",
                    "NAME=VALUE; letters, digits, '_', '-' and '.' in the name, no comma in the value",
                    "--label " + label);
  return labels;
}

std::string how_asked() {
  std::vector<std::string> parts;
  if (!run_options.tools.empty()) parts.push_back("--tools " + run_options.tools);
  if (!run_options.stack.path.empty()) parts.push_back(run_options.stack.asked_by);
  if (!run_options.policy.empty()) parts.push_back("--policy " + run_options.policy);
  return join(parts, " ");
}

bool is_preloaded() {
  const char* preload = std::getenv("LD_PRELOAD");
  if (preload == nullptr) return false;
  for (const std::string_view part : split(preload, ':'))
    for (const std::string_view library : split(part, ' '))
      if (file_of(library) == "libcairn.so") return true;
  return false;
}

/// What will be in the environment of the program.
struct Wish {
  std::vector<LayerRequest> layers;
  std::vector<CheckedSetting> settings;
  Labels labels;
  std::string asked_by;
  bool ours = false;  // said on this command line, not by the environment alone
};

/// Within another `cairn run`, its layers stay outermost.
void join_outer_stack(Wish& wish) {
  std::string outer_asked;
  const std::vector<LayerRequest> outer = tools_of_environment(outer_asked);
  if (run_options.alone || !is_preloaded() || outer.empty()) return;
  const std::string asked = outer_asked + ", then " + wish.asked_by;
  complain(Severity::warning,
           "'cairn run' inside 'cairn run': the layers of both are used, those of the outer one outermost", asked,
           "one 'cairn run' with all tools", "'cairn run' inside 'cairn run'");
  wish.layers.insert(wish.layers.begin(), outer.begin(), outer.end());
  wish.asked_by = asked;
}

/// Where no tools are named on the command line.
void look_for_stack_file() {
  run_options.stack.asked_by = "--stack " + run_options.stack.path;
  if (!run_options.tools_given.given() && run_options.stack.path.empty()) run_options.stack = find_stack_file();
}

Wish find_wish() {
  look_for_stack_file();
  Wish wish{wanted_layers(),
            {},
            wanted_labels(),
            how_asked(),
            run_options.tools_given.given() || !(run_options.stack.path + run_options.policy).empty()};
  if (!wish.ours) wish.layers = tools_of_environment(wish.asked_by);
  else if (!wish.layers.empty()) join_outer_stack(wish);
  return wish;
}

/// The layer that sees to control variables lies under all others.
void add_setting_layer(Wish& wish) {
  if (wish.settings.empty()) return;
  for (const std::string& setting : run_options.settings)
    wish.asked_by += (wish.asked_by.empty() ? "" : " ") + ("--set " + setting);
  wish.ours = true;
  wish.layers.push_back(setting_layer(wish.settings, job_rank()));
}

/// A setting of Cairn's own: its option, else its environment variable, else what it is without them.
Explained explained(const std::string& what, bool given, const std::string& value, const char* variable,
                    const std::string& otherwise) {
  if (given) return {what, value, "command line"};
  const char* text = std::getenv(variable);
  if (text != nullptr && *text != '\0') return {what, text, std::string("environment: ") + variable};
  return {what, otherwise, "default"};
}

int explain(const Wish& wish, const std::string& path) {
  std::vector<Explained> rows = {{"program", path, "command line"}};
  rows.push_back({"tools", wish.layers.empty() ? "none" : format_tools(wish.layers),
                  wish.layers.empty() ? "default" : wish.asked_by});
  rows.push_back(
      explained("out", !run_options.out.empty(), run_options.out, "CAIRN_OUT", "named after program and time"));
  rows.push_back(explained("strict", run_options.strict, "on", "CAIRN_STRICT", "off"));
  if (!wish.labels.empty())
    rows.push_back(explained("labels", !run_options.labels.empty(), list_of(wish.labels), labels_variable, ""));
  for (const CheckedSetting& setting : wish.settings)
    rows.push_back({setting.target(), setting.value + (setting.ranks.empty() ? "" : " on ranks " + setting.ranks),
                    setting.origin});
  add_environment(rows, mpi_for({path}, {wish.settings.begin(), wish.settings.end()}));
  if (speaks_for_job()) fmt::print("{}", explanation(rows));
  return 0;
}

/// So that the program starts although libcairn.so is preloaded before the runtime; others need no word of ours
/// (preload/sanitizer.cc).
void set_sanitizer_options(const std::string& path) {
  if (!has_sanitizer_options(path)) return;
  const char* before = std::getenv(sanitizer_variable);
  set(sanitizer_variable, (before != nullptr && *before != '\0' ? std::string(before) + ":" : "") + sanitizer_options);
}

/// Before the program runs rather than when it has; the stack sees to it too, on all hosts (runtime/run_folder.cc).
void check_out(const Wish& wish) {
  unsetenv(out_told_variable);
  const int error = run_options.out.empty() || wish.layers.empty() ? 0 : why_not_writable(absolute(run_options.out));
  if (error == 0 || !speaks_for_job()) return;
  tell(Severity::error, not_writable(absolute(run_options.out), error), "--out", remedy_for_writing(error));
  set(out_told_variable, "1");
}

/// The dynamic loader takes LD_PRELOAD apart at colons and spaces.
std::string preloadable(const std::string& library) {
  if (library.find_first_of(": ") != std::string::npos)
    throw Problem("'" + library + "' cannot be preloaded: LD_PRELOAD allows no spaces or colons in a path",
                  "Cairn in a folder without spaces and colons in its path");
  return library;
}

/// Those that must be there when the program is linked.
std::vector<std::string> fortran_tools(const std::vector<LayerRequest>& layers) {
  std::vector<std::string> paths;
  for (const LayerRequest& layer : layers) try {
      if (layer.tool.find('/') != std::string::npos && wraps_fortran_alone(ElfFile::read(layer.tool)))
        paths.push_back(layer.tool);
    } catch (const ElfError&) {  // told when it is to be loaded
    }
  return paths;
}

void set_environment(const Wish& wish, const std::string& program) {
  if (wish.ours) {
    set("CAIRN_TOOLS", format_tools(wish.layers));
    set("CAIRN_ASKED_BY", wish.asked_by);
    unsetenv("TOOLS");
  }
  if (!run_options.out.empty()) {
    set("CAIRN_OUT", absolute(run_options.out));
    set("CAIRN_OUT_ASKED_BY", "--out");
  }
  if (run_options.strict) set("CAIRN_STRICT", "--strict");
  if (!wish.labels.empty()) set(labels_variable, list_of(wish.labels));
  set_for_library(wish.settings, job_rank());
  if (!wish.layers.empty()) {
    set("CAIRN_PROGRAM_PID", std::to_string(getpid()));
    offer_annotations(bundled_tools_folder(libcairn()) + "/libcairn-annotations.so", program);
  }
  std::string libraries = is_preloaded() ? "" : preloadable(libcairn());
  for (const std::string& tool : fortran_tools(wish.layers))
    libraries += (libraries.empty() ? "" : ":") + preloadable(tool);
  if (libraries.empty()) return;
  const char* before = std::getenv("LD_PRELOAD");
  set("LD_PRELOAD", libraries + (before != nullptr && *before != '\0' ? ":" + std::string(before) : ""));
}

/// As a shell and execvp do with a file that the kernel does not know how to run: it is a script.
void become_script(const std::string& path, std::vector<std::string> words) {
  constexpr const char* shell = "/bin/sh";
  words.front() = path;
  words.insert(words.begin(), shell);
  execv(shell, exec_arguments(words).data());
}

/// The kernel says "no such file" of a script whose interpreter is missing.
std::string why_not_run(const std::string& path, int error) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  if (error != ENOENT || !line.starts_with("#!")) return std::strerror(error);
  const auto begin = line.find_first_not_of(" \t", 2);
  const auto end = line.find_first_of(" \t", begin);
  return "its interpreter '" + (begin == std::string::npos ? "" : line.substr(begin, end - begin)) + "' does not exist";
}

int become(const std::string& path, std::vector<std::string> words) {
  execv(path.c_str(), exec_arguments(words).data());
  const int error = errno;
  if (error == ENOEXEC && kind_of_program(path) == ProgramKind::script) become_script(path, std::move(words));
  tell_last("program '" + path + "' cannot be run: " + why_not_run(path, error));
  return exit_cannot_run;
}

/// Where nothing of Cairn can come into the program.
void complain_of_program(const std::string& path, const std::string& asked_by) {
  constexpr const char* why_not_run = "not every tool could be loaded";
  const std::string rights = special_rights(path);
  if (kind_of_program(path) == ProgramKind::statically_linked)
    complain(Severity::error, "no tool loaded: '" + path + "' is statically linked", asked_by,
             "linking it dynamically (without -static)", why_not_run);
  else if (!rights.empty())
    complain(Severity::error,
             "no tool loaded: '" + path + "' is " + rights + ", and the system preloads nothing into it", asked_by,
             "a copy of it without these privileges", why_not_run);
}

int run(const std::vector<std::string>& words) {
  if (words.empty()) throw Problem("no program given", "cairn run --tools profile ./program");

  int code = exit_failure;
  std::string path;
  Wish wish = find_wish();
  try {
    path = find_program(words.front(), code);
  } catch (const Problem& problem) {
    tell_last(problem.what(), "", problem.remedy);
    return code;
  }
  on_behalf_of(wish.asked_by, [&] { check_policies(wish.layers, path); });
  wish.settings = settings_of_run(run_options.settings, run_options.stack, path, wish.layers);
  if (run_options.explain) return explain(wish, path);
  add_setting_layer(wish);
  if (!wish.layers.empty()) complain_of_program(path, wish.asked_by);
  check_out(wish);
  where::clear_dead_jobs();
  set_environment(wish, path);
  set_sanitizer_options(path);
  return become(path, words);
}

/// From the one table of filters.
std::string filter_help() {
  std::string text =
      "  A layer sees a call if all its filters do. While it is off it costs nothing; comms costs a check per call.\n";
  for (const FilterKind& kind : filter_kinds())
    text += fmt::format("  {:<30} {}\n", std::string(kind.name) + ":" + kind.form, kind.help);
  return text + "  It always sees " + lifecycle_names() + ".";
}

}  // namespace

Command run_command() {
  return {
      .name = "run",
      .synopsis =
          "[--tools LIST] [--stack FILE] [--out DIR] [--set SETTING] [--policy FILE] [--label LABEL] [--strict] "
          "[--alone] [--explain] "
          "[--] PROGRAM "
          "[ARGUMENTS...]",
      .summary = "Run a program with tools between it and its MPI library",
      .more =
          {{"EXAMPLES",
            "  mpirun -n 4 cairn run --tools profile ./app input.txt\n"
            "  srun -n 64 cairn run --tools profile=top:5,/opt/lib/libtool.so --out results ./app\n"
            "  mpirun -n 4 cairn run --stack tools.toml -- ./app --tools\n"
            "  mpirun -n 8 cairn run --tools 'profile@functions:MPI_Send*+MPI_Recv*:ranks:0-3' ./app\n"
            "  mpirun -n 4 cairn run --set btl_vader_eager_limit=65536 --set profile_top=3@0 --tools profile ./app"},
           {"TOOLS",
            "  A tool is a bundled one ('cairn tools'), the path of a shared library that wraps MPI functions,\n"
            "  or the name of such a file in CAIRN_TOOL_PATH or LD_LIBRARY_PATH. Escape commas, colons, equals\n"
            "  signs and @ in names and values by a backslash. The launcher comes before cairn, as in the examples."},
           {"FILTERS", filter_help()},
           {"SETTINGS",
            "  Control variables of the MPI library or of a tool in the stack, as listed by 'cairn vars'. Ranks are\n"
            "  numbers or ranges: 0,4-7; write \\@ for an @ in the value. Variables of the library are set through "
            "the\n"
            "  environment; invalid values are refused before the program starts, and a message at the end says\n"
            "  which values the library has changed. env:NAME=VALUE sets an environment variable."},
           {"ENVIRONMENT",
            "  LD_PRELOAD=.../lib/libcairn.so with CAIRN_TOOLS (as --tools), CAIRN_OUT and CAIRN_STRICT does the\n"
            "  same without this command. TOOLS is a list of paths separated by colons, used without CAIRN_TOOLS."},
           {"EXIT STATUS",
            "  The program's own. 125: Cairn failed, or --strict and a tool could not be loaded; 126: the program\n"
            "  cannot be run; 127: there is no such program."}},
      .add_options = add_run_options,
      .action = run,
      .runs_program = true,
  };
}

}  // namespace cairn::cli
