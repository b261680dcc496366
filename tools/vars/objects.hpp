// SPDX-License-Identifier: BSD-3-Clause
// objects.hpp - the program's objects that variables are bound to, and what they are called
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "cairn/services/frees.hpp"
#include "shared/communicators.hpp"

namespace vars {

/// The kinds of the program's objects whose variables are followed.
enum class Bound { communicator, window, file, errhandler, group, op, info };
inline constexpr std::size_t bound_kinds = 7;

bool is_bound_to(int binding, Bound kind);
bool can_be_followed(int binding);

/// What ranks can compare. Windows and files have only a name.
using ObjectName = shared::CommGroup;

/// A copy of the program's handle, of which MPI_T gets the address.
struct ProgramObject {
  ProgramObject(Bound of_kind, const void* handle, std::size_t size) : kind(of_kind) {
    std::memcpy(bytes, handle, size);
  }
  bool is(Bound of_kind, const void* handle, std::size_t size) const {
    return kind == of_kind && std::memcmp(bytes, handle, size) == 0;
  }

  Bound kind;
  alignas(std::max_align_t) std::byte bytes[16]{};
  bool is_predefined = false;  // never freed
  std::uint64_t number = 0;    // among all of its kind that were made
  ObjectName name;             // where objects are told apart
};

/// Whether somebody tells that the object is freed, whatever call frees it. Files are closed by calls that pass here.
bool will_be_told(Bound kind, const void* handle, const cairn::Frees& frees);

/// What the standard defines of these kinds, with its name.
struct Predefined {
  Bound kind;
  const char* name;
  alignas(std::max_align_t) std::byte bytes[16]{};
  std::size_t size = 0;
};
std::vector<Predefined> predefined_objects();

/// Of an object that was just made: by its processes, its number, or the file as the program opened it. What libraries
/// call objects by themselves is no name: some have numbers in it.
ObjectName first_name(const ProgramObject& object, const cairn::Ranks& ranks, const char* file);

/// Whether a communicator is one of two groups.
bool is_between_groups(const ProgramObject& object, const cairn::Ranks& ranks);

/// Of one that the program has named.
ObjectName given_name(const ProgramObject& object, const cairn::Ranks& ranks);

}  // namespace vars
