// SPDX-License-Identifier: BSD-3-Clause
// section.hpp - a run's report as plain data, whatever the tool: what readers make of files and what is written from it
//
// A reader turns one tool's file into a Section; text, CSV, JSON, page and comparison know sections only. So a further
// tool is one more reader.
#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"
#include "cli/report/overview.hpp"

namespace cairn::report {

/// What a value is, for formatting and for comparing. A fraction of 1 is 100 %.
/// `relative`: a change over what was before.
enum class Kind { text, number, count, bytes, seconds, fraction, relative };

/// The pages of a report, by what its reader asks.
enum class Question { time, waiting, messages, library, change, ranks };
inline constexpr std::array questions = {Question::time,    Question::waiting, Question::messages,
                                         Question::library, Question::change,  Question::ranks};
std::string_view key_of(Question question);    // "time"; stable
std::string_view title_of(Question question);  // "Where does time go?"

struct Column {
  std::string key;    // in JSON and CSV; stable
  std::string title;  // for people
  Kind kind = Kind::text;
  enum {
    nothing,
    tells_apart,
    sum,
    state
  } in_comparison = nothing;  // rows with the same key are added up; see compare.cc
  bool brief = false;         // also where there is little room
  bool change = false;        // a difference: shown with its sign
};

struct Table {
  std::string name;  // of the CSV file and in JSON; stable
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Json>> rows;              // null: not known
  std::optional<Question> question = std::nullopt;  // that it answers, if another one than its section's

  /// The column's number; columns.size() if there is none.
  std::size_t find(std::string_view key) const;
};

/// A quantity of the whole run.
struct Fact {
  std::string key;
  std::string title;
  Kind kind = Kind::number;
  Json value;
  bool headline = false;  // among the first things to say when two runs are compared
  bool is_zero_where_absent = false;
};

/// One of the lines that matter: "31.4 %", "MPI_Waitall", and a sentence on what that means.
struct Line {
  std::string figure;
  std::string subject;
  std::string sentence;
  std::optional<Question> question = std::nullopt;  // as with tables
};

/// A figure of each rank; not a number: not known.
struct RankFigures {
  Column column;
  std::vector<double> values;
};

struct Section {
  std::string tool;
  int instance = 1;
  std::string part;  // "rank 3" where it is what one rank left of a run that did not end well
  std::string file;  // in the run's folder
  std::vector<Fact> facts;
  std::vector<Line> lines;  // the most important first
  std::vector<Table> tables;
  std::vector<Json> charts;  // for the page, see chart.hpp; with "question" as with tables
  Question question = Question::time;
  std::vector<RankFigures> by_rank = {};
  Json strips = nullptr;      // all ranks over time, a chart
  std::string ended_by = {};  // of a part: how its rank ended, "SIGTERM"

  const Fact* fact(std::string_view key) const;
};

struct Report {
  std::string title;                                         // "heat3d on 4 ranks"
  std::vector<std::pair<std::string, std::string>> heading;  // "MPI": "Open MPI 4.1.4", …
  std::vector<Section> sections;
  std::vector<Problem> warnings;  // what is missing, damaged, or not comparable
  Overview overview = {};
  int ranks = 0;  // that run.json tells of; 0: unknown
};

/// Numbers, counts and bytes that were added up as doubles become whole again: 10, not 10.0.
void make_whole(Section& section);

/// All of the run; null: nothing tells. Tools count those that have them, and what a single rank left tells nothing of others.
Json ranks_of(const Report& report);

/// "profile", "profile #2"
std::string name_of(const Section& section);

}  // namespace cairn::report
