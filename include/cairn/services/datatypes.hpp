// SPDX-License-Identifier: BSD-3-Clause
// datatypes.hpp - the service "cairn.datatypes": sizes of datatypes
//
//   using Needs = cairn::ServiceList<cairn::Datatypes>;
//   explicit Tool(cairn::Self self) : datatypes_(self.need<cairn::Datatypes>()) {}
//   … arg<Role::send_count>(call) * datatypes_.size(arg<Role::send_datatype>(call))
//
// Offered by a module that Cairn adds below the tools that need it. Include it after <mpi.h>.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace cairn {

struct Datatypes {
  static constexpr const char* service = "cairn.datatypes";
  static constexpr std::uint32_t version = 1;

  /// The size of a datatype in bytes, without gaps (MPI_Type_size_x, MPI-4.1 section 5.1.5); 0 for MPI_DATATYPE_NULL.
  /// The datatype must be valid and MPI initialized. Any thread. Answers are cached until the datatype is freed; a
  /// cached answer costs some twenty instructions, no MPI call and no lock.
  std::uint64_t (*size)(MPI_Datatype type);
};

}  // namespace cairn
