// SPDX-License-Identifier: BSD-3-Clause
// mpi_family.hpp - what tells one MPI library from another, as data: library names and what lies around the library.
#pragma once

#include <span>
#include <string_view>

namespace cairn {

struct MpiFamily {
  std::string_view id;    // folder of the bundled tools built for it
  std::string_view name;  // for people
  /// SONAMEs of the library that defines MPI_Init.
  std::span<const std::string_view> libraries;
  /// Beginnings of file names of its Fortran glue: turns Fortran calls into calls of PMPI_X, which are the program's
  /// own.
  std::span<const std::string_view> glue;
  /// Functions that the glue calls also on its own behalf, for the lengths of arrays and for array sections. What is
  /// not listed it calls only because the program does, but for handle conversions, which it calls always for itself.
  std::span<const std::string_view> glue_helpers;
  /// Beginnings of file names of its inner parts: calls of MPI_X from there are not the program's.
  std::span<const std::string_view> inner;
  /// Beginnings of file names of its C++ bindings: ordinary callers of MPI_X, but nobody's private library.
  std::span<const std::string_view> bindings;
  /// Beginnings of symbols that only this library defines.
  std::span<const std::string_view> symbols;

  bool is_library(std::string_view file_name) const;
  bool is_glue(std::string_view file_name) const;
  bool is_inner(std::string_view file_name) const;
  bool is_glue_helper(std::string_view function) const;
  /// Any of the above: it came with the MPI library.
  bool is_part(std::string_view file_name) const;
};

/// "MPI_Comm_f2c", "MPI_Status_c2f08" and the like.
bool is_handle_conversion(std::string_view function);

/// Every family Cairn knows.
std::span<const MpiFamily> mpi_families();

/// Any other MPI, by its library: PMPI tools need nothing but the names. It has no bundled tools and no engine.
const MpiFamily& unknown_family(std::string_view library);
inline bool is_known(const MpiFamily& family) { return family.id != "unknown"; }

/// The family that a library name (SONAME or file name) of the MPI library or its glue belongs to; null for any other
/// name.
const MpiFamily* family_of_library(std::string_view name);
/// The family that an undefined symbol gives away; null for most symbols.
const MpiFamily* family_of_symbol(std::string_view symbol);

}  // namespace cairn
