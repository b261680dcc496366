// SPDX-License-Identifier: BSD-3-Clause
// objects.cc - kinds of objects in MPI_T's terms; names

#include "objects.hpp"

#include <string>
#include <utility>

namespace vars {

namespace {

template <class Handle>
Handle handle_of(const ProgramObject& object) {
  Handle handle;
  std::memcpy(&handle, object.bytes, sizeof handle);
  return handle;
}

std::string numbered(const char* kind, const ProgramObject& object) {
  return kind + std::string(" ") + std::to_string(object.number);
}

ObjectName only(std::string text) {
  ObjectName name;
  name.name = std::move(text);
  return name;
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

bool will_be_told(Bound kind, const void* handle, const cairn::Frees& frees) {
  if (kind == Bound::communicator) return frees.watch_comm(*static_cast<const MPI_Comm*>(handle)) != 0;
  return kind == Bound::file || frees.watch_win(*static_cast<const MPI_Win*>(handle)) != 0;
}

ObjectName first_name(const ProgramObject& object, const cairn::Ranks& ranks, const char* file) {
  if (object.kind == Bound::window) return only(numbered("window", object));
  if (object.kind == Bound::file) return only(file != nullptr ? file : numbered("file", object));
  const auto comm = handle_of<MPI_Comm>(object);
  ObjectName name = shared::describe(comm, ranks);
  if (comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF) name.name.clear();
  return name;
}

bool is_between_groups(const ProgramObject& object, const cairn::Ranks& ranks) {
  const cairn::Members* const members = ranks.members(handle_of<MPI_Comm>(object));
  return members != nullptr && members->remote_size != 0;
}

ObjectName given_name(const ProgramObject& object, const cairn::Ranks& ranks) {
  if (object.kind == Bound::communicator) return shared::describe(handle_of<MPI_Comm>(object), ranks);
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Win_get_name(handle_of<MPI_Win>(object), name, &length);
  return only(name);
}

}  // namespace vars
