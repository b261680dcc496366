// SPDX-License-Identifier: BSD-3-Clause
// variable.hpp - a variable that is followed: what it is and what has come of it
#pragma once

#include <fnmatch.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "changes.hpp"
#include "choice.hpp"
#include "shared/mpi_t.hpp"

namespace vars {

/// A performance variable that the user wants to see, or the count of an event.
struct Variable {
  int index = 0;
  Description about;
  Way way = Way::raw;
  std::vector<EnumItem> items;
  bool of_tool = false;     // in the stack, not of the library
  std::size_t handles = 0;  // ever
  double attributed = 0;    // of its changes, those in calls that were read
  double elsewhere = 0;     // and the others, between two readings
  std::uint64_t resets = 0;
  double value = 0;      // the last one, over the handles there are
  std::string text;      // the same of a text
  bool moved = false;    // in or before any call that was read
  bool dropped = false;  // none of its handles are read any more
  double gone = 0;       // of a sum, what handles that were freed had come to
  double present = 0;    // at the last sample
  unsigned present_handles = 0;
};

inline bool is_number(MPI_Datatype type) {
  return with_number(type, [](auto /*type*/) {});
}

inline Way way_of(const Description& of) {
  if (!is_number(of.type)) return Way::raw;
  switch (of.of_class) {
    case MPI_T_PVAR_CLASS_COUNTER:
    case MPI_T_PVAR_CLASS_AGGREGATE:
    case MPI_T_PVAR_CLASS_TIMER:
    case event_class:
      return Way::sum;
    case MPI_T_PVAR_CLASS_LEVEL:
    case MPI_T_PVAR_CLASS_PERCENTAGE:
      return Way::level;
    case MPI_T_PVAR_CLASS_HIGHWATERMARK:
      return Way::high_water;
    case MPI_T_PVAR_CLASS_LOWWATERMARK:
      return Way::low_water;
    case MPI_T_PVAR_CLASS_SIZE:
      return Way::size;
    case MPI_T_PVAR_CLASS_STATE:
      return Way::state;
    default:
      return Way::raw;
  }
}

/// What instances of this tool offer: their own reading would move it.
inline bool is_own(const std::string& name) {
  return fnmatch("vars_*", name.c_str(), 0) == 0 || fnmatch("vars.[0-9]*_*", name.c_str(), 0) == 0;
}

}  // namespace vars
