// SPDX-License-Identifier: BSD-3-Clause
// objects.cc - kinds of objects in MPI_T's terms; names

#include "objects.hpp"

#include <array>
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
    case Bound::errhandler:
      return binding == MPI_T_BIND_MPI_ERRHANDLER;
    case Bound::group:
      return binding == MPI_T_BIND_MPI_GROUP;
    case Bound::op:
      return binding == MPI_T_BIND_MPI_OP;
    case Bound::info:
      return binding == MPI_T_BIND_MPI_INFO;
  }
  return false;
}

bool can_be_followed(int binding) {
  bool can = binding == MPI_T_BIND_NO_OBJECT;
  for (std::size_t kind = 0; kind < bound_kinds; ++kind) can = can || is_bound_to(binding, static_cast<Bound>(kind));
  return can;
}

std::vector<Predefined> predefined_objects() {
  std::vector<Predefined> all;
  const auto add = [&](Bound kind, const char* name, auto handle) {
    static_assert(sizeof handle <= sizeof(Predefined::bytes));
    std::memcpy(all.emplace_back(Predefined{kind, name}).bytes, &handle, sizeof handle);
    all.back().size = sizeof handle;
  };
#define ADD(kind, object) add(Bound::kind, #object, object)
  ADD(errhandler, MPI_ERRORS_ARE_FATAL);
  ADD(errhandler, MPI_ERRORS_RETURN);
  ADD(group, MPI_GROUP_EMPTY);
  ADD(info, MPI_INFO_ENV);
  ADD(op, MPI_MAX);
  ADD(op, MPI_MIN);
  ADD(op, MPI_SUM);
  ADD(op, MPI_PROD);
  ADD(op, MPI_LAND);
  ADD(op, MPI_BAND);
  ADD(op, MPI_LOR);
  ADD(op, MPI_BOR);
  ADD(op, MPI_LXOR);
  ADD(op, MPI_BXOR);
  ADD(op, MPI_MAXLOC);
  ADD(op, MPI_MINLOC);
  ADD(op, MPI_REPLACE);
  ADD(op, MPI_NO_OP);
#undef ADD
  return all;
}

bool will_be_told(Bound kind, const void* handle, const cairn::Frees& frees) {
  if (kind == Bound::communicator) return frees.watch_comm(*static_cast<const MPI_Comm*>(handle)) != 0;
  return kind != Bound::window || frees.watch_win(*static_cast<const MPI_Win*>(handle)) != 0;
}

ObjectName first_name(const ProgramObject& object, const cairn::Ranks& ranks, const char* file) {
  constexpr std::array<const char*, bound_kinds> words = {"",      "window",    "file", "error handler",
                                                          "group", "operation", "info"};
  if (object.kind == Bound::file && file != nullptr) return only(file);
  if (object.kind != Bound::communicator) return only(numbered(words[static_cast<std::size_t>(object.kind)], object));
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
