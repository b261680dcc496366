// SPDX-License-Identifier: BSD-3-Clause
// attributes.cc - attributes of communicators, datatypes and windows with callbacks, info objects, memory and addresses

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

// Callbacks. Copies call MPI, which layers must see too.

template <class Handle>
int copy(Handle, int, void* state, void* value, void* copied, int* flag) {
  int started = 0;
  CALL(MPI_Initialized, &started);
  note("copies attribute " + std::to_string(*static_cast<int*>(value)) + ", state " +
       std::to_string(*static_cast<int*>(state)));
  *static_cast<void**>(copied) = value;
  *flag = 1;
  return MPI_SUCCESS;
}

template <class Handle>
int drop(Handle, int, void* value, void*) {
  note("drops attribute " + std::to_string(*static_cast<int*>(value)));
  return MPI_SUCCESS;
}

int state = 3;
int value = 4;

void note_found(const void* found, int flag) {
  note(flag != 0 ? "found attribute " + std::to_string(*static_cast<const int*>(found)) : "found no attribute");
}

void on_communicators() {
  int keyval = MPI_KEYVAL_INVALID;
  int* found = nullptr;
  int flag = 0;
  MPI_Comm first = MPI_COMM_NULL;
  MPI_Comm second = MPI_COMM_NULL;
  CALL(MPI_Comm_dup, MPI_COMM_WORLD, &first);
  CALL(MPI_Comm_create_keyval, copy<MPI_Comm>, drop<MPI_Comm>, &keyval, &state);
  CALL(MPI_Comm_set_attr, first, keyval, &value);
  CALL(MPI_Comm_dup, first, &second);
  CALL(MPI_Comm_get_attr, second, keyval, &found, &flag);
  note_found(found, flag);
  CALL(MPI_Comm_delete_attr, second, keyval);
  CALL(MPI_Comm_get_attr, second, keyval, &found, &flag);
  CALL(MPI_Comm_free, &second);
  CALL(MPI_Comm_free, &first);
  CALL(MPI_Comm_free_keyval, &keyval);
  int* limit = nullptr;
  CALL(MPI_Comm_get_attr, MPI_COMM_WORLD, MPI_TAG_UB, &limit, &flag);
  if (flag != 0) note("MPI_TAG_UB " + std::to_string(*limit));
}

void on_datatypes() {
  int keyval = MPI_KEYVAL_INVALID;
  int* found = nullptr;
  int flag = 0;
  MPI_Datatype first = MPI_DATATYPE_NULL;
  MPI_Datatype second = MPI_DATATYPE_NULL;
  CALL(MPI_Type_contiguous, 2, MPI_INT, &first);
  CALL(MPI_Type_create_keyval, copy<MPI_Datatype>, drop<MPI_Datatype>, &keyval, &state);
  CALL(MPI_Type_set_attr, first, keyval, &value);
  CALL(MPI_Type_dup, first, &second);
  CALL(MPI_Type_get_attr, second, keyval, &found, &flag);
  note_found(found, flag);
  CALL(MPI_Type_delete_attr, first, keyval);
  CALL(MPI_Type_free, &first);
  CALL(MPI_Type_free, &second);
  CALL(MPI_Type_free_keyval, &keyval);
}

void on_windows() {
  int keyval = MPI_KEYVAL_INVALID;
  int* found = nullptr;
  int flag = 0;
  MPI_Win win = MPI_WIN_NULL;
  CALL(MPI_Win_create, nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CALL(MPI_Win_create_keyval, copy<MPI_Win>, drop<MPI_Win>, &keyval, &state);
  CALL(MPI_Win_set_attr, win, keyval, &value);
  CALL(MPI_Win_get_attr, win, keyval, &found, &flag);
  note_found(found, flag);
  CALL(MPI_Win_delete_attr, win, keyval);
  CALL(MPI_Win_free_keyval, &keyval);
  CALL(MPI_Win_free, &win);
}

void as_in_mpi_1() {
  int keyval = MPI_KEYVAL_INVALID;
  int* found = nullptr;
  int flag = 0;
  CALL(MPI_Keyval_create, copy<MPI_Comm>, drop<MPI_Comm>, &keyval, &state);
  CALL(MPI_Attr_put, MPI_COMM_SELF, keyval, &value);
  CALL(MPI_Attr_get, MPI_COMM_SELF, keyval, &found, &flag);
  note_found(found, flag);
  CALL(MPI_Attr_delete, MPI_COMM_SELF, keyval);
  CALL(MPI_Keyval_free, &keyval);
}

void read_info(MPI_Info info) {
  char text[MPI_MAX_INFO_VAL + 1] = "";
  char key[MPI_MAX_INFO_KEY + 1] = "";
  int number = 0;
  int flag = 0;
  CALL(MPI_Info_get_nkeys, info, &number);
  CALL(MPI_Info_get_nthkey, info, 0, key);
  CALL(MPI_Info_get_valuelen, info, "layer", &number, &flag);
  CALL(MPI_Info_get, info, "layer", MPI_MAX_INFO_VAL, text, &flag);
  number = MPI_MAX_INFO_VAL;
  MAYBE(MPI_Info_get_string, info, "layer", &number, text, &flag);
}

}  // namespace

void attributes() {
  on_communicators();
  on_datatypes();
  on_windows();
  as_in_mpi_1();
}

void infos() {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info second = MPI_INFO_NULL;
  CALL(MPI_Info_create, &info);
  CALL(MPI_Info_set, info, "layer", "outermost");
  CALL(MPI_Info_set, info, "other", "1");
  CALL(MPI_Info_dup, info, &second);
  CALL(MPI_Info_delete, info, "other");
  read_info(info);
  read_info(second);
  CALL(MPI_Info_free, &info);
  CALL(MPI_Info_free, &second);
#if MPI_VERSION >= 4
  char name[] = "conformance";
  char* words[] = {name, nullptr};
  CALL(MPI_Info_create_env, 1, words, &info);
  CALL(MPI_Info_free, &info);
#endif
}

void memory() {
  int* space = nullptr;
  MPI_Aint address = 0;
  CALL(MPI_Alloc_mem, 16 * MPI_Aint{sizeof(int)}, MPI_INFO_NULL, &space);
  CALL(MPI_Get_address, space, &address);
  note(address == reinterpret_cast<MPI_Aint>(space) ? "its address" : "another address");
  CALL(MPI_Address, space, &address);
  note(address == reinterpret_cast<MPI_Aint>(space) ? "its address" : "another address");
  CALL(MPI_Free_mem, space);
#ifdef MPICH
  note("sum " + std::to_string(CALL(MPI_Aint_add, 4096, 40)));
  note("difference " + std::to_string(CALL(MPI_Aint_diff, 4096, 40)));
#endif
}

}  // namespace conformance
