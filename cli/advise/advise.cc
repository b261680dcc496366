// SPDX-License-Identifier: BSD-3-Clause
// advise.cc - `cairn advise`: what to change before the next run, from what tools wrote of the last.

#include <fmt/format.h>

#include "base/message.hpp"
#include "cli/advise/advice.hpp"
#include "cli/advise/kinds.hpp"
#include "cli/asking.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"

namespace cairn::cli {

namespace {

struct AdviseOptions {
  std::string folder;
  std::string rules;
  std::string json;
  std::string variables;
  std::size_t top = advise::findings_shown;
  bool show_rules = false;
  bool fields = false;
  bool kinds = false;
};

AdviseOptions advise_options;

void add_advise_options(OptionAdder& add) {
  add.option("folder", advise_options.folder, "The run's folder").type_name("DIR");
  add.option("--rules", advise_options.rules, "Findings of your own, in addition to the built-in ones")
      .type_name("FILE");
  add.option("--variables", advise_options.variables,
             "What the MPI library has, as 'cairn vars --json' wrote it; else it is asked")
      .type_name("FILE");
  add.option("--top", advise_options.top, "Show at most N findings (default 10)").type_name("N").range(0, 1'000'000);
  add.option("--json", advise_options.json, "Write the findings as JSON, '-' for the terminal").type_name("FILE");
  add.flag("--show-rules", advise_options.show_rules, "Print the built-in rules");
  add.flag("--fields", advise_options.fields, "List the fields that findings can use");
  add.flag("--kinds", advise_options.kinds, "List the kinds of findings");
}

policy::Policy own_rules() {
  policy::Policy own = policy::read_policy(advise_options.rules);
  if (!own.rules.empty())
    policy::refuse(own.file, own.rules.front().at, "a rule is for a running program, not for advice",
                   "cairn run --policy " + advise_options.rules);
  advise::check_fields(own);
  return own;
}

policy::Policy rules() {
  policy::Policy all = policy::parse_policy(advise::built_in_rules(), "built-in rules");
  if (advise_options.rules.empty()) return all;
  const policy::Policy own = on_behalf_of("--rules " + advise_options.rules, own_rules);
  all.findings.insert(all.findings.end(), own.findings.begin(), own.findings.end());
  return all;
}

void list_fields() {
  for (const advise::Field& field : advise::fields())
    fmt::print("{:<22} {}{}\n", fmt::format("{}.{}", field.kind, field.name), field.meaning,
               field.tool.empty() ? "" : fmt::format(" ({})", field.tool));
}

/// Rules may be in any character set.
std::string indented(const nlohmann::ordered_json& json) {
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int advise_run(const std::vector<std::string>& /*program*/) {
  if (advise_options.show_rules) return fmt::print("{}", advise::built_in_rules()), 0;
  if (advise_options.fields) {
    list_fields();
    return 0;
  }
  if (advise_options.kinds) {
    for (const advise::FindingKind& kind : advise::finding_kinds) fmt::print("{:<22} {}\n", kind.name, kind.meaning);
    return 0;
  }
  if (advise_options.folder.empty()) throw Problem("no run's folder given", "cairn advise DIR");
  const policy::Policy policy = rules();
  advise::Records records = advise::read_records(advise_options.folder);
  if (!advise_options.variables.empty()) records.library = advise::listed_library(advise_options.variables);
  for (const Problem& warning : records.warnings) tell(Severity::warning, warning.what(), "", warning.remedy);
  const advise::Result result = advise::find_advice(policy, records, advise_options.top);
  if (advise_options.json.empty()) fmt::print("{}", advise::advice_text(result, records));
  else
    write_output(advise_options.json, indented(advise::advice_json(result, records)), "--json " + advise_options.json);
  return 0;
}

}  // namespace

Command advise_command() {
  return {
      .name = "advise",
      .synopsis = "DIR [--rules FILE] [--variables FILE] [--top N] [--json FILE] [--show-rules] [--fields] [--kinds]",
      .summary = "Say what to change before the next run, most promising first",
      .more = {{"INPUT",
                "  The results of waits, profile, comm and vars in the run's folder; the more of them, the more it can "
                "check.\n"
                "  Rules are texts (docs/policies.md): --show-rules prints the built-in ones, --rules adds yours."},
               {"EXAMPLES",
                "  mpirun -n 4 cairn run --tools profile,comm --out results ./app && cairn advise results\n"
                "  cairn advise results --rules site.policy --json advice.json"},
               {"EXIT STATUS", "  0, also without findings; 125: there are no results, or a rule is wrong."}},
      .add_options = add_advise_options,
      .action = advise_run,
  };
}

}  // namespace cairn::cli
