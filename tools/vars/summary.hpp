// SPDX-License-Identifier: BSD-3-Clause
// summary.hpp - the results of a rank or of all ranks, as plain data. No MPI in here.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "changes.hpp"
#include "formats/part.hpp"
#include "formats/text.hpp"
#include "series.hpp"

namespace vars {

namespace formats = cairn::formats;

/// What calls did to one variable. Numbers are sums over ranks, but for the extremes.
struct Moved : Figures {
  std::string variable;
  std::string of_class;
  std::vector<ValueTime> values;
  ValueTime other_values;

  static void members(auto& archive, auto& moved) {
    archive(moved.variable, moved.of_class, moved.samples, moved.changed, moved.total, moved.most, moved.least_value,
            moved.most_value, moved.sum_of_values, moved.values, moved.other_values);
  }
};

/// Calls of one function, in one region and from one place.
struct Change : Moved {
  std::string region;
  std::string function;
  formats::SourcePosition place;  // "" as object: places are not told apart; names are known on rank 0

  static void members(auto& archive, auto& change) {
    Moved::members(archive, change);
    archive(change.region, change.function, change.place.object, change.place.offset);
  }
};

/// All calls, to one element of the variable of one object.
struct PartSummary : Moved {
  std::string object;  // its name; "" also of variables that are bound to none
  std::string processes;
  std::uint64_t objects = 0;  // with that name
  int element = -1;           // -1: the variable has one
  double elsewhere = 0;

  static void members(auto& archive, auto& part) {
    Moved::members(archive, part);
    archive(part.object, part.processes, part.objects, part.element, part.elsewhere);
  }
};

/// A variable on one rank.
struct RankFigures {
  int rank = 0;
  double attributed = 0;
  double elsewhere = 0;
  double value = 0;  // at the end
  Spread samples;
  double last_sample = 0;
  std::vector<double> means;  // of the series' points; not a number: no sample

  static void members(auto& archive, auto& one) {
    archive(one.rank, one.attributed, one.elsewhere, one.value, one.samples, one.last_sample, one.means);
  }
};

struct VariableSummary {
  std::string name;
  std::string of_class;
  std::string type;
  std::string binding;
  bool of_tool = false;  // in the stack
  std::string verbosity;
  std::string description;
  std::map<std::string, int> items;  // of its enumeration
  Way way = Way::raw;
  std::uint64_t handles = 0;
  double attributed = 0;
  double elsewhere = 0;
  std::uint64_t resets = 0;
  double least_value = 0;  // at the end, over ranks
  double most_value = 0;
  double sum_of_values = 0;
  std::string text;  // the lowest rank's
  Spread samples;
  double sum_of_last_samples = 0;
  Series series;
  int ranks = 0;
  std::vector<RankFigures> by_rank;  // if that was asked for

  static void members(auto& archive, auto& one) {
    archive(one.name, one.of_class, one.type, one.binding, one.of_tool, one.verbosity, one.description, one.items,
            one.way, one.handles, one.attributed, one.elsewhere, one.resets, one.least_value, one.most_value,
            one.sum_of_values, one.text, one.samples, one.sum_of_last_samples, one.series, one.ranks, one.by_rank);
  }
};

struct FunctionCalls {
  std::uint64_t calls = 0;
  std::uint64_t samples = 0;

  static void members(auto& archive, auto& function) { archive(function.calls, function.samples); }
};

/// Maps are by keys that mean the same on every rank.
struct Summary {
  std::string run;  // identity
  std::string program;
  std::string tool;
  int ranks = 0;
  formats::Part part;  // of one rank that did not come to the end
  double budget = 0;
  double run_s = 0;           // sums over ranks
  double cost_s = 0;          // of reading
  bool cost_at_most = false;  // waiting for other threads' calls of MPI may be in it
  double start_s = 0;         // of MPI_T, before the run
  std::uint64_t missed = 0;
  std::uint64_t nested = 0;
  std::uint64_t objects_left_out = 0;
  std::uint64_t parts_left_out = 0;
  std::uint32_t every = 1;  // the most on any rank, at the end
  bool attributes = true;   // changes to calls
  double interval_s = 0;    // between samples; 0: none
  bool sampling_thread = false;
  double series_origin_s = 0;  // of their first points, on this node's clock
  std::string nothing_to_see;  // rank 0's: why the library has no variables
  std::uint64_t samples = 0;   // of all variables together
  std::map<std::string, VariableSummary> variables;
  std::map<std::string, Change> changes;
  std::map<std::string, PartSummary> parts;
  std::map<std::string, FunctionCalls> functions;
  std::map<std::string, std::vector<std::string>> left_out;  // names by reason; rank 0's

  static void members(auto& archive, auto& all) {  // those that another rank needs
    archive(all.ranks, all.run_s, all.cost_s, all.cost_at_most, all.start_s, all.missed, all.nested,
            all.objects_left_out, all.parts_left_out, all.every, all.samples, all.variables, all.changes, all.parts,
            all.functions);
  }
};

}  // namespace vars
