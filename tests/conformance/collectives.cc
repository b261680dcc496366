// SPDX-License-Identifier: BSD-3-Clause
// collectives.cc - every collective operation of the spec, also nonblocking, persistent, large and among neighbors

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

/// Calls all functions of a category with arguments by role.
template <Category C>
void call_all(Arguments& arguments) {
  for_each_of<C>([&]<Function F>() {
    if constexpr (!cairn::has<F>(Role::flag)) {
      arguments.fill();
      call_by_roles<F>(arguments);
      constexpr bool persistent = cairn::has<F>(Role::info);
      if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, persistent);
      note_received<F>(arguments);
    }
  });
}

void add(void* in, void* inout, int* length, MPI_Datatype* type) {
  int size = 0;
  CALL(MPI_Type_size, *type, &size);
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i] * size;
}

void use_own_operation() {
  Arguments arguments(MPI_COMM_WORLD);
  int commutative = 0;
  CALL(MPI_Op_create, add, 1, &arguments.op);
  CALL(MPI_Op_commutative, arguments.op, &commutative);
  call_by_roles<Function::MPI_Allreduce_>(arguments);
  note_sum("own operation", arguments.in.data(), arguments.in.size());
  BOTH(MPI_Reduce_local, arguments.out.data(), arguments.in.data(), block, MPI_INT, arguments.op);
  note_sum("own operation, local", arguments.in.data(), arguments.in.size());
  CALL(MPI_Op_free, &arguments.op);
}

void use_in_place() {
  Arguments arguments(MPI_COMM_WORLD);
  CALL(MPI_Allreduce, MPI_IN_PLACE, arguments.out.data(), block, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  CALL(MPI_Allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, arguments.out.data(), block, MPI_INT, MPI_COMM_WORLD);
  note_sum("in place", arguments.out.data(), arguments.out.size());
}

#if MPI_VERSION >= 4
void add_large(void* in, void* inout, MPI_Count* length, MPI_Datatype*) {
  for (MPI_Count i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<const int*>(in)[i];
}

void use_own_large_operation() {
  Arguments arguments(MPI_COMM_WORLD);
  CALL(MPI_Op_create_c, add_large, 1, &arguments.op);
  call_by_roles<Function::MPI_Allreduce_c_>(arguments);
  note_sum("own large operation", arguments.in.data(), arguments.in.size());
  CALL(MPI_Op_free, &arguments.op);
}
#endif

void use_neighbors() {
  const int dimensions[] = {2};
  const int periods[] = {1};
  MPI_Comm ring = MPI_COMM_NULL;
  CALL(MPI_Cart_create, MPI_COMM_WORLD, 1, dimensions, periods, 0, &ring);
  Arguments arguments(ring);
  call_all<Category::neighborhood>(arguments);
  call_all<Category::neighborhood_nonblocking>(arguments);
  call_all<Category::neighborhood_persistent>(arguments);
  CALL(MPI_Comm_free, &ring);
}

}  // namespace

void collectives() {
  Arguments arguments(MPI_COMM_WORLD);
  call_all<Category::collective>(arguments);
  call_all<Category::collective_nonblocking>(arguments);
  call_all<Category::collective_persistent>(arguments);
  use_neighbors();
  use_own_operation();
#if MPI_VERSION >= 4
  use_own_large_operation();
#endif
  use_in_place();
}

}  // namespace conformance
