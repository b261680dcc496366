// SPDX-License-Identifier: BSD-3-Clause
// vars.hpp - vars.json (tools/vars/README.md) as far as it is interpreted: the report shows the rest as it stands
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "formats/part.hpp"
#include "formats/tags.hpp"
#include "formats/text.hpp"

namespace cairn::formats::vars {

/// Why there is nothing to see of a library. MPICH and what is made of it can have performance variables.
inline std::string no_variables(bool is_mpich) {
  return std::string("this MPI library has no performance variables") +
         (is_mpich ? "; MPICH has them where it was configured with --enable-mpit-pvars=all" : "");
}

/// A sum over ranks, with what that is for one.
struct Time {
  double total = 0;
  double mean = 0;

  static void fields(auto& file, auto& time) {
    file("total", time.total);
    file("mean", time.mean);
  }
};

struct Heading {
  std::string run;  // identity
  std::string program;
  int ranks = 0;
  Part part;
  std::uint64_t calls = 0;  // sums over ranks
  std::uint64_t calls_read = 0;
  std::uint64_t calls_missed = 0;
  std::uint64_t calls_nested = 0;
  double budget_percent = 0;
  Time run_time;
  Time reading_time;
  bool reading_at_most = false;  // readings may have waited for other threads
  Time start_time;
  std::uint64_t every = 1;
  std::string nothing_to_see;  // why the library has no variables; ""; it has
  std::uint64_t objects_left_out = 0;
  std::uint64_t parts_left_out = 0;

  static void fields(auto& file, auto& heading) {
    file.derived("format", vars_tag.text());
    file.optional("run", heading.run, !heading.run.empty());
    file("program", heading.program);
    file("ranks", heading.ranks);
    file.optional("part", heading.part, heading.part.is_one());
    file("calls", heading.calls);
    file("calls_read", heading.calls_read);
    file("calls_missed", heading.calls_missed);
    file.optional("calls_nested", heading.calls_nested, heading.calls_nested != 0);
    file.number("budget_percent", heading.budget_percent);
    file("run_time_s", heading.run_time);
    file("reading_time_s", heading.reading_time);
    file.optional("reading_at_most", heading.reading_at_most, heading.reading_at_most);
    file("start_time_s", heading.start_time);
    file("every", heading.every);
    file.optional("no_variables", heading.nothing_to_see, !heading.nothing_to_see.empty());
    file("objects_left_out", heading.objects_left_out);
    file.optional("parts_left_out", heading.parts_left_out, heading.parts_left_out != 0);
  }
};

/// At the end of the run, over ranks; not of texts.
struct LastValue {
  double mean = 0;
  double min = 0;
  double max = 0;
  bool is_known = true;

  static void fields(auto& file, auto& value) {
    file.number("mean", value.mean);
    file.number("min", value.min);
    file.number("max", value.max);
  }
};

struct Sampled {
  std::uint64_t samples = 0;
  double min = 0;
  double mean = 0;
  double deviation = 0;  // from the mean, of all samples
  double max = 0;
  double last = 0;  // mean over ranks

  static void fields(auto& file, auto& sampled) {
    file("samples", sampled.samples);
    file.number("min", sampled.min);
    file.number("mean", sampled.mean);
    file.number("deviation", sampled.deviation);
    file.number("max", sampled.max);
    file.number("last", sampled.last);
  }
};

struct Variable {
  std::string name;
  std::string of_class;
  std::string of;  // "library", "tool": one in the stack
  LastValue value;
  Sampled sampled;

  bool is_of_tool() const { return of == "tool"; }

  static void fields(auto& file, auto& variable) {
    file("name", variable.name);
    file("class", variable.of_class);
    file("of", variable.of);
    file("value", variable.value);
    file.optional("sampled", variable.sampled, variable.sampled.samples != 0);
  }
};

/// Calls of one function, in one region and from one place, and a variable.
struct ChangingCalls {
  std::string variable;
  std::string of_class;
  std::string region;
  std::string function;
  std::uint64_t read = 0;
  std::uint64_t changed = 0;  // of these
  SourcePosition place;       // where places are told apart

  static void fields(auto& file, auto& calls) {
    file("variable", calls.variable);
    file("class", calls.of_class);
    file("region", calls.region);
    file("function", calls.function);
    file("read", calls.read);
    file("changed", calls.changed);
    file.optional("site", calls.place, !calls.place.object.empty());
  }
};

/// With what they did, by the variable's class.
struct Change : ChangingCalls {
  double total = NAN;  // of all changes
  double max = 0;      // values, of other classes

  static void fields(auto& file, auto& change) {
    ChangingCalls::fields(file, change);
    file("total", change.total);
    file("max", change.max);
  }
};

struct LeftOut {
  std::string why;
  std::vector<std::string> variables;

  static void fields(auto& file, auto& left_out) {
    file("why", left_out.why);
    file("variables", left_out.variables);
  }
};

struct Summary {
  Heading heading;
  std::vector<Variable> variables;
  std::vector<Change> changes;
  std::vector<LeftOut> left_out;

  static void fields(auto& file, auto& all) {
    file.inlined(all.heading);
    file("variables", all.variables);
    file("changes", all.changes);
    file("left_out", all.left_out);
  }
};

}  // namespace cairn::formats::vars
