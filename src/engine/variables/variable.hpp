// SPDX-License-Identifier: BSD-3-Clause
// variable.hpp - a tool's variable or category as the engine keeps it, in the terms of this MPI.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cairn/variables.h"
#include "variables/handles.hpp"

namespace cairn::engine {

/// What an MPI_T_enum of ours leads to.
struct Enumeration {
  static constexpr Slot slot = Slot::enumeration;
  std::string name;
  std::vector<std::pair<int, std::string>> items;
};

/// What all entries of MPI_T's lists have in common.
struct Entry {
  const cairn_tool_instance* owner;
  std::string name;
  std::string description;
  int index = -1;          // in the list that programs see; -1: not in it yet
  bool refused = false;    // the library has one of that name
  std::string other = {};  // it is found by this name too, and listed under it if the library has the first; "": none

  bool is_called(std::string_view wanted) const { return name == wanted || (!other.empty() && other == wanted); }
};

struct Variable : Entry {
  cairn_variable facts;  // its texts and arrays are not used
  MPI_Datatype type;
  std::size_t element_size;
  int binding;
  int verbosity;
  int kind;  // scope of a control variable, class of a performance variable
  Enumeration* enumeration;
  bool starts_by_itself;  // the tool starts, stops and resets it, not the handle
};

struct Category : Entry {
  std::vector<const Variable*> controls;
  std::vector<const Variable*> performances;
  std::vector<const Category*> inner;
};

/// Error code of MPI_T for an answer of a tool.
inline int code_of(int answer, int never) {
  switch (answer) {
    case CAIRN_DONE:
      return MPI_SUCCESS;
    case CAIRN_NOT_NOW:
      return MPI_T_ERR_CVAR_SET_NOT_NOW;
    case CAIRN_NEVER:
      return never;
    case CAIRN_NO_SPACE:
      return MPI_T_ERR_MEMORY;
    default:
      return MPI_T_ERR_INVALID;
  }
}

/// Writes a result that the caller may not want.
template <class T>
void give(T* place, T value) {
  if (place != nullptr) *place = value;
}

/// Writes a text as MPI_T does: at most *length - 1 characters and a zero; *length becomes what the whole text takes.
void give_text(const std::string& text, char* out, int* length);

}  // namespace cairn::engine
