// SPDX-License-Identifier: BSD-3-Clause
// library.cc - finding the MPI library's own functions.

#include "job/library.hpp"

#include <type_traits>

namespace cairn::engine {

void fill_library(void* (*find)(const char* name)) {
  const auto fill = [find](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
  };
  fill(library.Allreduce, "MPI_Allreduce");
  fill(library.Bcast, "MPI_Bcast");
  fill(library.Comm_create_group, "MPI_Comm_create_group");
  fill(library.Comm_free, "MPI_Comm_free");
  fill(library.Comm_get_errhandler, "MPI_Comm_get_errhandler");
  fill(library.Comm_group, "MPI_Comm_group");
  fill(library.Comm_rank, "MPI_Comm_rank");
  fill(library.Comm_set_errhandler, "MPI_Comm_set_errhandler");
  fill(library.Comm_size, "MPI_Comm_size");
  fill(library.Comm_split, "MPI_Comm_split");
  fill(library.Comm_split_type, "MPI_Comm_split_type");
  fill(library.Errhandler_free, "MPI_Errhandler_free");
  fill(library.Group_free, "MPI_Group_free");
  fill(library.Group_range_incl, "MPI_Group_range_incl");
  fill(library.Recv, "MPI_Recv");
  fill(library.Reduce, "MPI_Reduce");
  fill(library.Send, "MPI_Send");
}

}  // namespace cairn::engine
