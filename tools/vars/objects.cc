// SPDX-License-Identifier: BSD-3-Clause
// objects.cc - kinds of objects in MPI_T's terms; names

#include "objects.hpp"

#include <string>

namespace vars {

namespace {

std::string numbered(const char* kind, const ProgramObject& object) {
  return kind + std::string(" ") + std::to_string(object.number);
}

template <class Handle>
Handle handle_of(const ProgramObject& object) {
  Handle handle;
  std::memcpy(&handle, object.bytes, sizeof handle);
  return handle;
}

std::string window_name(const ProgramObject& object) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Win_get_name(handle_of<MPI_Win>(object), name, &length);
  return length == 0 ? numbered("window", object) : std::string(name);
}

}  // namespace

bool is_bound_to(int binding, Bound kind) {
  switch (kind) {
    case Bound::communicator:
      return binding == MPI_T_BIND_MPI_COMM;
    case Bound::window:
      return binding == MPI_T_BIND_MPI_WIN;
    case Bound::file:
      return binding == MPI_T_BIND_MPI_FILE;
  }
  return false;
}

bool can_be_followed(int binding) {
  return binding == MPI_T_BIND_NO_OBJECT || is_bound_to(binding, Bound::communicator) ||
         is_bound_to(binding, Bound::window) || is_bound_to(binding, Bound::file);
}

ObjectName name_of(const ProgramObject& object, const cairn::Ranks& ranks, const char* file) {
  ObjectName name;
  switch (object.kind) {
    case Bound::communicator:
      return shared::describe(handle_of<MPI_Comm>(object), ranks);
    case Bound::window:
      name.name = window_name(object);
      break;
    case Bound::file:
      name.name = file != nullptr ? file : numbered("file", object);
      break;
  }
  return name;
}

}  // namespace vars
