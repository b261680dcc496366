// SPDX-License-Identifier: BSD-3-Clause
// tune.cc - `cairn tune`: runs a command over settings of its MPI library and says which is best

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include "base/message.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/scratch.hpp"
#include "cli/settings/setting_check.hpp"
#include "cli/trial.hpp"
#include "cli/tune/candidates.hpp"
#include "cli/tune/objective.hpp"
#include "cli/tune/report.hpp"
#include "cli/tune/search.hpp"

namespace cairn::cli {

namespace {

using namespace cairn::tune;

struct TuneOptions {
  std::vector<std::string> variables;
  std::string figure;
  std::string profile;
  std::string json;
  unsigned rounds = 10;
  double confidence = 95;
  double worth = 1;
  double limit = 0;
  bool more = false;
  bool one_by_one = false;
};

TuneOptions tune_options;

constexpr std::size_t most_combinations = 64;

void add_tune_options(OptionAdder& add) {
  add.option("variables", tune_options.variables,
             "NAME=A,B,C or NAME=LOW..HIGH, optionally followed by *FACTOR or +STEP")
      .type_name("VARIABLES");
  add.option("--figure", tune_options.figure, "Compare the number that this expression's group finds in the output")
      .type_name("REGEX");
  add.option("--profile", tune_options.profile, "Compare a figure of the profile.json that each run writes")
      .type_name("POINTER");
  add.flag("--more", tune_options.more, "Larger figures are better; default: smaller");
  add.flag("--one-by-one", tune_options.one_by_one,
           "Tune one variable after the other instead of trying all combinations");
  add.option("--rounds", tune_options.rounds, "Maximum number of runs of each setting (10)")
      .type_name("N")
      .range(2, 1000);
  add.option("--confidence", tune_options.confidence, "How sure the answer must be, in percent (95)")
      .type_name("PERCENT")
      .range(50.0, 99.99);
  add.option("--worth", tune_options.worth, "The smallest gain worth having, in percent (1)")
      .type_name("PERCENT")
      .range(0.0, 50.0);
  add.option("--limit", tune_options.limit,
             "Seconds after which a run is killed; default: 60 plus ten times the first run")
      .type_name("SECONDS")
      .positive();
  add.option("--json", tune_options.json, "Write the results as JSON too; '-': to standard output, without the table")
      .type_name("FILE");
}

SearchOptions search_options() {
  SearchOptions out;
  out.most_rounds = tune_options.rounds;
  out.least_rounds = std::min(out.least_rounds, out.most_rounds);
  out.confidence = tune_options.confidence / 100;
  out.worth = tune_options.worth / 100;
  out.larger_is_better = tune_options.more;
  return out;
}

std::vector<Choice> wanted_choices() {
  std::vector<Choice> choices;
  for (const std::string& text : tune_options.variables) {
    choices.push_back(parse_choice(text));
    const auto same = [&](const Choice& other) { return other.name == choices.back().name; };
    if (std::ranges::count_if(choices, same) > 1)
      throw Problem("'" + choices.back().name + "' is given twice", "one list of values, separated by commas");
  }
  return choices;
}

/// An MPI library does not complain of names that it does not know. Values are then as it takes them, each once: 4k and
/// 4096 may be the same.
void check_choice(Choice& choice, const std::vector<std::string>& command) {
  std::vector<std::string> taken;
  std::set<std::string> seen;
  for (const std::string& value : choice.values) {
    const std::vector<Setting> setting = {make_setting(choice.name, value, "", choice.name + "=" + value)};
    if (setting.front().is_plain()) return;
    const CheckedSetting checked = check_settings(setting, mpi_for(command, setting), "").front();
    if (checked.after_init)
      throw Problem("'" + checked.target() + "' cannot be tuned: elements of arrays cannot be set in the environment",
                    "a policy (docs/policies.md)", checked.origin);
    if (seen.insert(checked.seen).second) taken.push_back(checked.value);
  }
  choice.values = taken;
}

/// Runs the command with candidates.
class Runner {
 public:
  Runner(const std::vector<std::string>& command, const Objective& objective)
      : command_(command), objective_(objective), limit_(tune_options.limit) {}

  /// The first run finds caches cold, so it only tells whether the command works, and how long it takes.
  Measured warm_up() {
    constexpr double patience_s = 24 * 3600;
    const bool free = limit_ == 0;
    if (free) limit_ = patience_s;
    double seconds = 0;
    Measured first = measure({}, &seconds);
    if (free) limit_ = std::ceil(10 * seconds + 60);
    return first;
  }

  Measured measure(const Candidate& candidate, double* seconds = nullptr) const {
    std::optional<Scratch> folder;  // for what the tools of one run write
    if (objective_.needs_folder()) folder.emplace("cairn-tune");
    std::vector<std::pair<std::string, std::string>> environment;
    for (const auto& [name, value] : candidate) environment.emplace_back(environment_name(name), value);
    if (folder) environment.emplace_back("CAIRN_OUT", folder->path());
    const Trial trial = run_trial(command_, environment, limit_);
    if (seconds != nullptr) *seconds = trial.seconds;
    return objective_.measure(trial, folder ? folder->path() : "");
  }

 private:
  const std::vector<std::string>& command_;
  const Objective& objective_;
  double limit_;
};

void show_progress(const Found& found) {
  if (isatty(STDERR_FILENO) == 0) return;
  const auto running = std::ranges::count(found.entries, Fate::running, &Entry::fate);
  fmt::print(stderr, "cairn tune: {} of at most {} rounds, {} settings in the running\n", found.rounds,
             tune_options.rounds, running);
}

Result search_over(const std::vector<Candidate>& candidates, const Runner& runner) {
  return {candidates, search(
                          candidates.size(), search_options(),
                          [&](std::size_t i) { return runner.measure(candidates[i]); }, show_progress)};
}

/// All combinations, or each variable on top of what was best of those before it.
void search_all(Report& report, const std::vector<Choice>& choices, const Runner& runner) {
  if (!tune_options.one_by_one) {
    report.results.push_back(search_over(combinations({}, choices, most_combinations), runner));
    return;
  }
  for (const Choice& choice : choices) {
    report.results.push_back(search_over(combinations(report.best(), {choice}, most_combinations), runner));
    const Found& found = report.results.back().found;
    if (found.interrupted || found.entries.front().fate == Fate::failed) return;
  }
}

void put_out_report(const Report& report) {
  if (tune_options.json != "-") fmt::print("{}", text_of(report));
  if (!tune_options.json.empty())
    write_output(tune_options.json, json_of(report).dump(2) + "\n", "--json " + tune_options.json);
}

int tune(const std::vector<std::string>& command) {
  std::vector<Choice> choices = wanted_choices();
  if (choices.empty())
    throw Problem("no variable given", "cairn tune 'btl_vader_eager_limit=1024..65536*4' -- mpirun -n 4 ./app");
  if (command.empty())
    throw Problem("no command given", "cairn tune " + tune_options.variables.front() + " -- mpirun -n 4 ./app");
  if (!tune_options.one_by_one) combinations({}, choices, most_combinations);
  if (!tune_options.figure.empty() && !tune_options.profile.empty())
    throw Problem("runs can be compared by one figure only", "--figure or --profile",
                  "--figure " + tune_options.figure + " --profile " + tune_options.profile);
  const Objective objective(tune_options.figure, tune_options.profile);
  check_output(tune_options.json, "--json " + tune_options.json);
  for (Choice& choice : choices) check_choice(choice, command);

  const Interruptible interruptible;
  Runner runner(command, objective);
  const Measured first = runner.warm_up();
  if (first.interrupted) return exit_failure;
  if (!first.figure) throw Problem("the command fails without any setting: " + first.why, "running it by hand");
  Report report{command, objective.text(), search_options(), {}};
  search_all(report, choices, runner);
  put_out_report(report);
  if (const std::string why = report.why_ended_early(); !why.empty())
    throw Problem("the search ended early: " + why, "running it by hand");
  return report.results.back().found.interrupted ? exit_failure : 0;
}

}  // namespace

Command tune_command() {
  return {
      .name = "tune",
      .synopsis =
          "VARIABLES... [--figure REGEX] [--profile POINTER] [--more] [--one-by-one] [--rounds N] "
          "[--confidence PERCENT] [--worth PERCENT] [--limit SECONDS] [--json FILE] -- COMMAND [ARGUMENTS...]",
      .summary = "Run a command with different settings of its MPI library and find the best",
      .more =
          {{"EXAMPLES",
            "  cairn tune 'btl_vader_eager_limit=4096..262144*4' -- mpirun -n 4 ./app\n"
            "  cairn tune MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=recursive_doubling,smp -- mpirun -n 4 ./app\n"
            "  cairn tune env:UCX_RNDV_THRESH=1024,inf --figure 'time: ([0-9.]+) s' -- mpirun -n 4 ./app\n"
            "  cairn tune mpi_yield_when_idle=1 --profile /mpi_time_s/mean -- mpirun -n 4 cairn run --tools profile "
            "./app"},
           {"METHOD",
            "  After one run that does not count, each round runs every setting and the default once, and settings\n"
            "  are compared by the ratios of their rounds. One that is clearly worse, or has no gain worth having,\n"
            "  is dropped; so is one with which the command fails. The search ends when the answer is clear.\n"
            "  An interrupt (Ctrl-C) ends it too, and shows what is known so far."},
           {"SETTINGS",
            "  Names are those of 'cairn run --set'. The command gets them in its environment, as its MPI library\n"
            "  reads them. Standard input of the command is empty."},
           {"EXIT STATUS",
            "  0: the search is complete; 125: interrupted, the command fails without settings, or Cairn failed."}},
      .add_options = add_tune_options,
      .action = tune,
      .names_program = true,
  };
}

}  // namespace cairn::cli
