// SPDX-License-Identifier: BSD-3-Clause
// one_sided.cc - windows of every sort, every transfer in a passive epoch, and all ways to synchronize

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

constexpr int unit_size = sizeof(int);

void note_window(const char* label, const int* memory) { note_sum(label, memory, block); }

/// Each process is the only one that changes the other's memory.
template <Function F>
void transfer(Arguments& arguments, const int* memory) {
  arguments.fill();
  CALL(MPI_Win_lock, MPI_LOCK_EXCLUSIVE, arguments.peer, 0, arguments.win);
  call_by_roles<F>(arguments);
  if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, false);
  CALL(MPI_Win_unlock, arguments.peer, arguments.win);
  note_received<F>(arguments);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  CALL(MPI_Win_lock, MPI_LOCK_SHARED, arguments.rank, 0, arguments.win);
  note_window(cairn::facts(F).name, memory);
  CALL(MPI_Win_unlock, arguments.rank, arguments.win);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
}

void transfers() {
  Arguments arguments(MPI_COMM_WORLD);
  int* memory = nullptr;
  CALL(MPI_Win_allocate, block * MPI_Aint{sizeof(int)}, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &memory,
       &arguments.win);
  for (int i = 0; i < block; ++i) memory[i] = i;
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  for_each_of<Category::one_sided>([&]<Function F>() { transfer<F>(arguments, memory); });
  CALL(MPI_Win_free, &arguments.win);
}

void put(Arguments& arguments) {
  CALL(MPI_Put, arguments.out.data(), block, MPI_INT, arguments.peer, 0, block, MPI_INT, arguments.win);
}

void use_fences(Arguments& arguments, const int* memory) {
  CALL(MPI_Win_fence, MPI_MODE_NOPRECEDE, arguments.win);
  put(arguments);
  CALL(MPI_Win_fence, MPI_MODE_NOSUCCEED, arguments.win);
  note_window("fence", memory);
}

void use_groups(Arguments& arguments, const int* memory) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group peer = MPI_GROUP_NULL;
  CALL(MPI_Win_get_group, arguments.win, &all);
  CALL(MPI_Group_incl, all, 1, &arguments.peer, &peer);
  int flag = 0;
  for (const bool ask : {false, true}) {
    CALL(MPI_Win_post, peer, 0, arguments.win);
    CALL(MPI_Win_start, peer, 0, arguments.win);
    put(arguments);
    CALL(MPI_Win_complete, arguments.win);
    if (ask) UNTIL(flag, MPI_Win_test, arguments.win, &flag);
    else CALL(MPI_Win_wait, arguments.win);
    note_window("post and start", memory);
  }
  CALL(MPI_Group_free, &all);
  CALL(MPI_Group_free, &peer);
}

void use_locks(Arguments& arguments, const int* memory) {
  CALL(MPI_Win_lock_all, 0, arguments.win);
  put(arguments);
  CALL(MPI_Win_flush_local, arguments.peer, arguments.win);
  CALL(MPI_Win_flush, arguments.peer, arguments.win);
  put(arguments);
  CALL(MPI_Win_flush_local_all, arguments.win);
  CALL(MPI_Win_flush_all, arguments.win);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  CALL(MPI_Win_sync, arguments.win);
  note_window("lock all", memory);
  CALL(MPI_Win_unlock_all, arguments.win);
}

void describe(MPI_Win win) {
  MPI_Info info = MPI_INFO_NULL;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  CALL(MPI_Win_set_name, win, "conformance window");
  CALL(MPI_Win_get_name, win, name, &length);
  CALL(MPI_Info_create, &info);
  CALL(MPI_Info_set, info, "no_locks", "false");
  CALL(MPI_Win_set_info, win, info);
  CALL(MPI_Info_free, &info);
  CALL(MPI_Win_get_info, win, &info);
  CALL(MPI_Info_free, &info);
}

void synchronization() {
  Arguments arguments(MPI_COMM_WORLD);
  std::array<int, block> memory = {};
  CALL(MPI_Win_create, memory.data(), sizeof memory, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &arguments.win);
  describe(arguments.win);
  use_fences(arguments, memory.data());
  use_groups(arguments, memory.data());
  use_locks(arguments, memory.data());
  CALL(MPI_Win_free, &arguments.win);
}

void dynamic_memory() {
  Arguments arguments(MPI_COMM_WORLD);
  std::array<int, block> memory = {};
  MPI_Aint here = 0;
  MPI_Aint there = 0;
  CALL(MPI_Win_create_dynamic, MPI_INFO_NULL, MPI_COMM_WORLD, &arguments.win);
  CALL(MPI_Win_attach, arguments.win, memory.data(), sizeof memory);
  CALL(MPI_Get_address, memory.data(), &here);
  CALL(MPI_Sendrecv, &here, 1, MPI_AINT, arguments.peer, 0, &there, 1, MPI_AINT, arguments.peer, 0, MPI_COMM_WORLD,
       MPI_STATUS_IGNORE);
  CALL(MPI_Win_fence, 0, arguments.win);
  CALL(MPI_Put, arguments.out.data(), block, MPI_INT, arguments.peer, there, block, MPI_INT, arguments.win);
  CALL(MPI_Win_fence, 0, arguments.win);
  note_window("dynamic", memory.data());
  CALL(MPI_Win_detach, arguments.win, memory.data());
  CALL(MPI_Win_free, &arguments.win);
}

void shared_memory() {
  Arguments arguments(MPI_COMM_WORLD);
  int* mine = nullptr;
  int* other = nullptr;
  MPI_Aint size = 0;
  int unit = 0;
  CALL(MPI_Win_allocate_shared, block * MPI_Aint{sizeof(int)}, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &mine,
       &arguments.win);
  CALL(MPI_Win_shared_query, arguments.win, arguments.peer, &size, &unit, &other);
#if MPI_VERSION >= 4
  MPI_Aint large_unit = 0;
  CALL(MPI_Win_shared_query_c, arguments.win, arguments.peer, &size, &large_unit, &other);
#endif
  CALL(MPI_Win_fence, 0, arguments.win);
  for (int i = 0; i < block; ++i) mine[i] = 10 * arguments.rank + i;
  CALL(MPI_Win_fence, 0, arguments.win);
  note_window("shared", other);
  CALL(MPI_Win_fence, 0, arguments.win);
  CALL(MPI_Win_free, &arguments.win);
}

#if MPI_VERSION >= 4
void large_windows() {
  std::array<int, block> memory = {};
  int* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  CALL(MPI_Win_create_c, memory.data(), sizeof memory, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CALL(MPI_Win_free, &win);
  CALL(MPI_Win_allocate_c, sizeof memory, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  CALL(MPI_Win_free, &win);
  CALL(MPI_Win_allocate_shared_c, sizeof memory, unit_size, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
  CALL(MPI_Win_free, &win);
}
#else
void large_windows() {}
#endif

}  // namespace

void one_sided() {
  transfers();
  synchronization();
  dynamic_memory();
  shared_memory();
  large_windows();
}

}  // namespace conformance
