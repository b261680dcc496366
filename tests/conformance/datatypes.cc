// SPDX-License-Identifier: BSD-3-Clause
// datatypes.cc - datatypes, those of MPI-1 and large ones too, and packing

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

// The type that a call has made is described and freed before its twin makes one.
#define TYPE(name, ...) (CALL(name, __VA_ARGS__, &type), describe_and_free(type))
#define TYPES(name, ...) (TYPE(name, __VA_ARGS__), MAYBE(name##_c, __VA_ARGS__, &type), describe_and_free(type))

void describe_and_free(MPI_Datatype& type) {
  if (type == MPI_DATATYPE_NULL) return;
  Number size;
  Number lower;
  Number length;
  CALL(MPI_Type_commit, &type);
  BOTH(MPI_Type_size, type, size);
  BOTH(MPI_Type_get_extent, type, lower, length);
  CALL(MPI_Type_free, &type);
  type = MPI_DATATYPE_NULL;
}

void regular_layouts() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  TYPES(MPI_Type_contiguous, 3, MPI_INT);
  TYPES(MPI_Type_vector, 3, 2, 4, MPI_INT);
  TYPES(MPI_Type_create_hvector, 3, 2, 24, MPI_INT);
  TYPES(MPI_Type_create_resized, MPI_INT, -4, 16);
  TYPE(MPI_Type_dup, MPI_DOUBLE);
}

void listed_layouts() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const Numbers lengths = {2, 1, 3};
  const Numbers places = {0, 16, 32};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  TYPES(MPI_Type_indexed, 3, lengths, places, MPI_INT);
  TYPES(MPI_Type_create_hindexed, 3, lengths, places, MPI_INT);
  TYPES(MPI_Type_create_indexed_block, 3, 2, places, MPI_INT);
  TYPES(MPI_Type_create_hindexed_block, 3, 2, places, MPI_INT);
  TYPES(MPI_Type_create_struct, 3, lengths, places, types);
}

void array_layouts() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const Numbers sizes = {6, 4};
  const Numbers part = {2, 2};
  const Numbers start = {1, 1};
  const int distributions[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC};
  const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
  const int processes[] = {2, 1};
  TYPES(MPI_Type_create_subarray, 2, sizes, part, start, MPI_ORDER_C, MPI_INT);
  TYPES(MPI_Type_create_darray, 2, launch_rank(), 2, sizes, distributions, arguments, processes, MPI_ORDER_FORTRAN,
        MPI_INT);
}

void removed_layouts() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const Numbers lengths = {2, 1, 3};
  const Numbers places = {0, 16, 32};
  MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  MPI_Aint value = 0;
  TYPE(MPI_Type_hvector, 3, 2, 24, MPI_INT);
  TYPE(MPI_Type_hindexed, 3, lengths, places, MPI_INT);
  TYPE(MPI_Type_struct, 3, lengths, places, types);
  CALL(MPI_Type_extent, MPI_INT, &value);
  CALL(MPI_Type_lb, MPI_INT, &value);
  CALL(MPI_Type_ub, MPI_INT, &value);
}

void found_types() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Number size;
  const auto describe = [&] { CALL(MPI_Type_size_x, type, size); };
  CALL(MPI_Type_create_f90_real, 6, 30, &type);
  describe();
  CALL(MPI_Type_create_f90_complex, 6, 30, &type);
  describe();
  CALL(MPI_Type_create_f90_integer, 8, &type);
  describe();
  CALL(MPI_Type_match_size, MPI_TYPECLASS_REAL, 8, &type);
  describe();
}

void read_contents(MPI_Datatype type) {
  std::array<int, 8> integers = {};
  std::array<MPI_Aint, 8> addresses = {};
  std::array<MPI_Datatype, 8> types = {};
  int counts[3] = {};
  int combiner = 0;
  CALL(MPI_Type_get_envelope, type, &counts[0], &counts[1], &counts[2], &combiner);
  CALL(MPI_Type_get_contents, type, counts[0], counts[1], counts[2], integers.data(), addresses.data(), types.data());
  note_numbers("contents", integers.data(), integers.size());
#if MPI_VERSION >= 4
  std::array<MPI_Count, 8> large = {};
  MPI_Count many[4] = {};
  CALL(MPI_Type_get_envelope_c, type, &many[0], &many[1], &many[2], &many[3], &combiner);
  CALL(MPI_Type_get_contents_c, type, many[0], many[1], many[2], many[3], integers.data(), addresses.data(),
       large.data(), types.data());
#endif
}

void ask_about_type() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  Number lower;
  Number length;
  char name[MPI_MAX_OBJECT_NAME] = "";
  CALL(MPI_Type_vector, 3, 2, 4, MPI_INT, &type);
  CALL(MPI_Type_get_extent_x, type, lower, length);
  BOTH(MPI_Type_get_true_extent, type, lower, length);
  CALL(MPI_Type_get_true_extent_x, type, lower, length);
  CALL(MPI_Type_set_name, type, "conformance type");
  CALL(MPI_Type_get_name, type, name, length);
  read_contents(type);
  describe_and_free(type);
}

template <Function Pack, Function Unpack, Function Size, class... Comm>
void pack_and_unpack(Arguments& arguments, const Comm&... comm) {
  std::array<char, 256> packed = {};
  Number size;
  Number position;
  arguments.fill();
  call<Size>(block, MPI_INT, comm..., size);
  call<Pack>(arguments.out.data(), block, MPI_INT, packed.data(), int{packed.size()}, position, comm...);
  position.value = 0;
  call<Unpack>(packed.data(), int{packed.size()}, position, arguments.in.data(), block, MPI_INT, comm...);
  note_received<Unpack>(arguments);
}

template <Function Pack, Function Unpack, Function Size>
void pack_and_unpack_external(Arguments& arguments) {
  std::array<char, 256> packed = {};
  Number size;
  Number position;
  arguments.fill();
  call<Size>("external32", block, MPI_INT, size);
  call<Pack>("external32", arguments.out.data(), block, MPI_INT, packed.data(), int{packed.size()}, position);
  position.value = 0;
  call<Unpack>("external32", packed.data(), int{packed.size()}, position, arguments.in.data(), block, MPI_INT);
  note_received<Unpack>(arguments);
}

}  // namespace

void datatypes() {
  regular_layouts();
  listed_layouts();
  array_layouts();
  removed_layouts();
  found_types();
  ask_about_type();
}

void packing() {
  using enum Function;
  Arguments arguments(MPI_COMM_WORLD);
  pack_and_unpack<MPI_Pack_, MPI_Unpack_, MPI_Pack_size_>(arguments, MPI_COMM_WORLD);
  pack_and_unpack_external<MPI_Pack_external_, MPI_Unpack_external_, MPI_Pack_external_size_>(arguments);
#if MPI_VERSION >= 4
  pack_and_unpack<MPI_Pack_c_, MPI_Unpack_c_, MPI_Pack_size_c_>(arguments, MPI_COMM_WORLD);
  pack_and_unpack_external<MPI_Pack_external_c_, MPI_Unpack_external_c_, MPI_Pack_external_size_c_>(arguments);
#endif
}

}  // namespace conformance
