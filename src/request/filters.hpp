// SPDX-License-Identifier: BSD-3-Clause
// filters.hpp - which calls a layer sees, and when: the filters of a LayerRequest, understood.
//
// A layer is on while every one of its filters says so and its switch is on. The switch is what the tool itself, a
// control variable, MPI_Pcontrol and a signal turn.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "request/function_list.hpp"
#include "request/request.hpp"

namespace cairn {

struct Filters {
  struct Range {
    long first;
    long last;
  };
  using Time = std::chrono::nanoseconds;  // since the stack was built

  std::vector<std::string> functions;  // globs; none: all functions
  std::vector<std::string> without;    // globs
  FunctionList listed;                 // the same from a file
  std::vector<Range> ranks;            // in MPI_COMM_WORLD; none: all
  Time from = Time::zero();
  Time until = Time::max();
  std::vector<int> phases;                   // levels of MPI_Pcontrol; none: all
  std::vector<std::string> comms;            // "world", "self" or globs over names; none: all
  bool active = true;                        // the switch at the start
  std::optional<bool> pcontrol;              // whether MPI_Pcontrol turns the switch; none: as the tool wants it
  std::vector<std::string> regions;          // globs over paths and names; none: everywhere
  std::vector<std::string> without_regions;  // globs
  int signal = 0;                            // the signal that turns the switch, or 0
  struct Stack {
    std::string name;                       // empty: the program's
    std::vector<std::string> empty_behind;  // names of those without layers that stand behind this layer
  } stack;
  bool restricts = false;    // some filter, or the switch, keeps calls of its stack from the layer
  bool gives_way = false;    // some filter does that which is out of force while filters are off: not the switch's
  struct Hears {             // how MPI_Pcontrol reaches it
    bool otherwise = false;  // than from the layer above:
    bool each = false;       // whatever those above do with it
    bool addressed = false;  // if the program names it (include/pnmpi_modules/pnmpi.h)
  } hears;

  bool chooses_functions() const {
    return !functions.empty() || !without.empty() || !listed.only.empty() || !listed.without.empty();
  }
  bool chooses_regions() const { return !regions.empty() || !without_regions.empty(); }
  /// `open`: paths of the regions that threads of the process are in.
  bool admits_regions(std::span<const std::string> open) const;
  bool admits_rank(long rank) const;
  /// Any rank of a job with so many.
  bool admits_rank_below(long size) const;
  bool admits_phase(int level) const;
  /// Whether calls of a function reach the layer when it is on.
  bool admits_function(std::string_view name) const;
  /// Whether they reach it also when it is off.
  bool keeps_function(std::string_view name) const;
  /// Whether some filter can keep one of these functions, which a layer wraps, from it.
  bool can_affect(std::span<const std::string_view> names) const;
  /// The globs that match none of the names: "functions MPI_Sned*".
  std::vector<std::string> useless_globs(std::span<const std::string_view> names) const;
};

/// Every filter: its name, the form of its values, what it does, and how the values get into Filters.
struct FilterKind {
  const char* name;
  const char* form;
  const char* help;
  bool (*read)(const std::vector<std::string>& values, Filters& out);  // false: not the filter's values
};
std::span<const FilterKind> filter_kinds();

/// Throws Problem for an unknown filter, one given twice, or a value that makes no sense.
Filters parse_filters(const LayerRequest& layer);

/// "functions:MPI_Send*+MPI_Recv* ranks:0-3", for people.
std::string show_filters(const std::vector<LayerFilter>& filters);

/// Functions that stay with a layer also while it is off or does not see other functions: tools set up and gather their
/// results there, collectively as a rule, and would hang or lose everything if some ranks left them out.
bool is_lifecycle(std::string_view function);

/// "MPI_Init, MPI_Init_thread, …"
std::string lifecycle_names();

}  // namespace cairn
