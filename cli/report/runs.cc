// SPDX-License-Identifier: BSD-3-Clause
// runs.cc - the table over runs, from the records that findings are made of, and conditions on them.

#include "cli/report/runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "cli/advise/records.hpp"
#include "cli/report/reading.hpp"
#include "cli/report/wording.hpp"
#include "formats/run.hpp"
#include "policy/expression_parser.hpp"

namespace cairn::report {

namespace {

const std::string prefix = "run.";
const std::string baseline = "baseline";

/// In the table: a figure of a run, and how it is shown.
struct Shown {
  Column column;
  std::string field;
};

const std::vector<Shown>& shown_figures() {
  static const std::vector<Shown> figures = {
      {{.key = "ranks", .title = "ranks", .kind = Kind::number, .brief = true}, "run.ranks"},
      {{.key = "nodes", .title = "nodes", .kind = Kind::number}, "run.nodes"},
      {{.key = "time_s", .title = "time", .kind = Kind::seconds, .brief = true}, "run.time"},
      {{.key = "mpi_time_s", .title = "in MPI", .kind = Kind::seconds}, "run.mpi_time"},
      {{.key = "mpi_share", .title = "in MPI, of run", .kind = Kind::fraction, .brief = true}, "run.mpi_share"},
      {{.key = "late_time_s", .title = "waiting for the last", .kind = Kind::seconds, .brief = true}, "run.late_time"},
      {{.key = "work_mean_s", .title = "outside MPI", .kind = Kind::seconds}, "run.work_mean"},
      {{.key = "work_max_s", .title = "outside MPI, busiest rank", .kind = Kind::seconds, .brief = true},
       "run.work_max"},
      {{.key = "run_delay_s", .title = "without a processor", .kind = Kind::seconds}, "run.run_delay"},
      {{.key = "bytes_within", .title = "point-to-point bytes within nodes", .kind = Kind::bytes}, "run.bytes_within"},
      {{.key = "bytes_between", .title = "point-to-point bytes between nodes", .kind = Kind::bytes},
       "run.bytes_between"},
  };
  return figures;
}

Json json_of(const policy::Value& value) {
  if (value.is_text) return value.text;
  return known(value.front());
}

std::string text_of(const policy::Value& value) {
  return value.is_text ? "'" + value.text + "'" : fmt::format("{:.6g}", value.front());
}

std::string layers_of(const formats::run::Summary& run) {
  std::string out;
  for (const formats::run::Layer& layer : run.tools) out += (out.empty() ? "" : ", ") + layer.tool;
  return out;
}

/// What --set and the environment say, as "NAME=VALUE".
std::string settings_of(const advise::Records& records) {
  std::string out;
  const std::string kind = "setting.";
  for (auto each = records.run.lower_bound(kind); each != records.run.end() && each->first.starts_with(kind); ++each)
    out += (out.empty() ? "" : " ") + each->first.substr(kind.size()) + "=" +
           (each->second.is_text ? each->second.text : fmt::format("{:.15g}", each->second.front()));
  return out;
}

/// A row of the table.
struct TableRun {
  std::string name;
  std::string folder;
  formats::run::Summary run;
  advise::Records records;
};

/// In the order in which they first appear.
std::vector<std::string> labels_of(const std::vector<TableRun>& runs) {
  std::vector<std::string> names;
  for (const TableRun& one : runs)
    for (const auto& [name, value] : one.run.labels)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

Json label_of(const formats::run::Summary& run, const std::string& name) {
  for (const auto& [own, value] : run.labels)
    if (own == name) return value;
  return nullptr;
}

/// The folders without what all have in front, so that there is room for what tells them apart.
std::vector<std::string> short_names(const std::vector<std::string>& folders) {
  std::string shared = folders.front();
  for (const std::string& folder : folders)
    shared.resize(static_cast<std::size_t>(std::ranges::mismatch(shared, folder).in1 - shared.begin()));
  const std::size_t slash = shared.rfind('/');
  const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
  std::vector<std::string> out;
  for (const std::string& folder : folders) out.push_back(begin < folder.size() ? folder.substr(begin) : folder);
  return out;
}

/// Why a run has nothing for the table.
std::string reason_of(const Problem& problem) {
  const std::string heading = "no advice: ";
  const std::string what = problem.what();
  return what.starts_with(heading) ? what.substr(heading.size()) : what;
}

/// Those that tell something; why the others do not is among the warnings. Throws Problem if there is none, or a folder is
/// not there.
std::vector<TableRun> read_runs(const std::vector<std::string>& folders, std::vector<Problem>& warnings) {
  const std::vector<std::string> names = short_names(folders);
  std::vector<TableRun> runs;
  std::vector<Problem> reasons;
  for (const std::string& folder : folders) check_folder(folder);
  for (std::size_t i = 0; i < folders.size(); ++i) try {
      advise::Records records = advise::read_records(folders[i]);
      warnings.insert(warnings.end(), records.warnings.begin(), records.warnings.end());
      runs.push_back({names[i], folders[i], formats::run::of_folder(folders[i]), std::move(records)});
    } catch (const Problem& problem) {
      reasons.emplace_back(reason_of(problem), problem.remedy);
    }
  if (runs.empty()) throw Problem(std::string("no report: ") + reasons.front().what(), reasons.front().remedy);
  for (const Problem& reason : reasons)
    warnings.emplace_back(std::string("left out of the table: ") + reason.what(), reason.remedy);
  return runs;
}

std::vector<Column> run_columns(const std::vector<std::string>& labels) {
  std::vector<Column> columns = {{.key = "run", .title = "run", .kind = Kind::text, .brief = true}};
  for (const Shown& figure : shown_figures()) columns.push_back(figure.column);
  for (const char* const key : {"folder", "program", "started", "mpi", "tools", "settings"})
    columns.push_back({.key = key, .title = key == std::string("mpi") ? "MPI" : key, .kind = Kind::text});
  for (const std::string& label : labels)
    columns.push_back({.key = "label." + label, .title = label, .kind = Kind::text, .brief = true});
  return columns;
}

std::vector<Json> run_row(const TableRun& one, const std::vector<std::string>& labels) {
  std::vector<Json> row = {one.name};
  for (const Shown& figure : shown_figures()) row.push_back(json_of(advise::value_in(one.records.run, figure.field)));
  for (const std::string& words :
       {one.folder, one.records.program, one.run.started, one.run.mpi, layers_of(one.run), settings_of(one.records)})
    row.emplace_back(words);
  for (const std::string& label : labels) row.push_back(label_of(one.run, label));
  return row;
}

std::vector<std::string> names_of_figures() {
  std::vector<std::string> names;
  for (const advise::Field& field : advise::fields())
    if (field.kind == "run") names.emplace_back(field.name);
  return names;
}

/// Where a condition is wrong, without the words for files of policies.
Problem in_condition(const Problem& problem, const std::string& text) {
  const std::string what = problem.what();
  const std::size_t column = what.find("column ");
  const std::string where = column == std::string::npos ? ": " + what : ", " + what.substr(column);
  return Problem("condition '" + text + "'" + where, problem.remedy, "--fail-if '" + text + "'");
}

}  // namespace

Report table_of_runs(const std::vector<std::string>& folders) {
  Report report;
  const std::vector<TableRun> runs = read_runs(folders, report.warnings);
  const std::vector<std::string> labels = labels_of(runs);
  Table table{.name = "runs", .title = "Side by side", .columns = run_columns(labels), .rows = {}};
  for (const TableRun& run : runs) table.rows.push_back(run_row(run, labels));
  report.title = plural(runs.size(), "run");
  Section section;
  section.tool = "runs";
  section.tables.push_back(std::move(table));
  make_whole(section);
  report.sections.push_back(std::move(section));
  return report;
}

RunCondition::RunCondition(const std::string& text) : text_(text) {
  try {
    policy::Tokens tokens(policy::tokens_of(text, "--fail-if"), "--fail-if");
    expression_ = policy::parse_expression(tokens, {});
    tokens.expect(policy::Token::Kind::line_end, "the end of the condition");
    for (const policy::Input& input : expression_.inputs) understand(input);
    std::set<std::string> named;
    for (const Figure& figure : figures_)
      if (!figure.name.empty()) named.insert(figure.name);
    for (Figure& figure : figures_) {
      if (!figure.name.empty()) continue;
      if (named.size() != 1)
        throw Problem("which figure of the baseline is meant?", "baseline.FIGURE, such as baseline.mpi_share");
      figure.name = *named.begin();
    }
  } catch (const Problem& problem) {
    throw in_condition(problem, text);
  }
}

void RunCondition::understand(const policy::Input& input) {
  std::string name = input.kind == policy::Input::Kind::ranks ? "ranks" : input.name;
  if (input.kind != policy::Input::Kind::name && input.kind != policy::Input::Kind::ranks)
    policy::refuse("--fail-if", input.at, "only a rule for a running program can ask for this",
                   "cairn advise --fields");
  Figure figure{.name = {}, .of_baseline = name == baseline || name.starts_with(baseline + ".")};
  if (name != baseline) {
    if (figure.of_baseline) name.erase(0, baseline.size() + 1);
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
    const std::vector<std::string> known = names_of_figures();
    if (std::ranges::find(known, name) == known.end()) {
      const std::string near = policy::nearest(name, known);
      policy::refuse("--fail-if", input.at, "'" + name + "' is not a figure of a run",
                     near.empty() ? "cairn advise --fields" : near);
    }
    figure.name = prefix + name;
  }
  figures_.push_back(std::move(figure));
}

std::vector<std::pair<std::string, std::string>> RunCondition::broken_in(
    const std::vector<std::string>& folders) const {
  const advise::Records first = advise::read_records(folders.front());
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t i = folders.size() == 1 ? 0 : 1; i < folders.size(); ++i) {
    const advise::Records records = i == 0 ? first : advise::read_records(folders[i]);
    std::vector<const policy::Value*> inputs;
    std::string words;
    for (const Figure& figure : figures_) {
      if (figure.of_baseline && folders.size() == 1)
        throw Problem("condition '" + text_ + "': there is no baseline", "two runs, the baseline first",
                      "--fail-if '" + text_ + "'");
      const policy::Value& value = advise::value_in((figure.of_baseline ? first : records).run, figure.name);
      const std::string name = figure.name.substr(prefix.size());
      if (!value.is_text && std::isnan(value.front()))
        throw Problem("condition '" + text_ + "': '" + (figure.of_baseline ? folders.front() : folders[i]) +
                          "' does not tell '" + name + "'",
                      "a run with the tool that 'cairn advise --fields' names for it", "--fail-if '" + text_ + "'");
      inputs.push_back(&value);
      words += (words.empty() ? "" : ", ") + std::string(figure.of_baseline ? "baseline." : "") + name + " " +
               text_of(value);
    }
    policy::Evaluator evaluator(expression_);
    if (holds(evaluator.evaluate(inputs, 0))) out.emplace_back(folders[i], words);
  }
  return out;
}

}  // namespace cairn::report
