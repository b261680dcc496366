// SPDX-License-Identifier: BSD-3-Clause
// pools.cc - a policy as a tool: examples/tuning/pools.policy in C++
//
// Every tenth MPI_Waitall of the process it compares what pools of buffers have allocated with what was ever used, and
// lets the library free the rest. The variables are MVAPICH2's.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include "cairn/kit.hpp"

class Pools {
 public:
  static constexpr std::string_view about = "gives back message buffers that were never used (MVAPICH2's variables)";
  struct Options {
    unsigned threshold = 10;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("threshold", threshold, "unused buffers of a pool that do not matter");
    }
  };

  Pools(cairn::Self self, const Options& options) : self_(self), threshold_(options.threshold) {}

  int on(cairn::Call<cairn::Function::MPI_Init_>& call) { return open_after(call.proceed()); }
  int on(cairn::Call<cairn::Function::MPI_Init_thread_>& call) { return open_after(call.proceed()); }
  int on(cairn::Call<cairn::Function::MPI_Waitall_>& call) {
    if (is_open_ && (calls_.fetch_add(1, std::memory_order_relaxed) + 1) % 10 == 0) look();
    return call.proceed();
  }
  void finish() { is_open_ = false; }

 private:
  static constexpr int most_pools = 16;

  int open_after(int result) {
    int provided = 0;
    if (result == MPI_SUCCESS && MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS) {
      MPI_T_pvar_session_create(&session_);
      is_open_ = open("mv2_vbuf_allocated_array", MPI_T_PVAR_CLASS_LEVEL, allocated_) &&
                 open("mv2_vbuf_max_use_array", MPI_T_PVAR_CLASS_HIGHWATERMARK, most_used_) &&
                 open("MPIR_CVAR_VBUF_POOL_REDUCED_VALUE", reduced_) && open("MPIR_CVAR_VBUF_POOL_CONTROL", control_);
      if (!is_open_) self_.warn("this MPI has no pools of buffers that can be seen and set");
    }
    return result;
  }

  bool open(const char* name, int of_class, MPI_T_pvar_handle& handle) {
    int index = 0;
    return MPI_T_pvar_get_index(name, of_class, &index) == MPI_SUCCESS &&
           MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle, &pools_) == MPI_SUCCESS && pools_ <= most_pools;
  }
  bool open(const char* name, MPI_T_cvar_handle& handle) {
    int index = 0;
    int count = 0;
    return MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
           MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS && count <= most_pools;
  }

  void look() {
    std::array<unsigned long, most_pools> allocated{};
    std::array<unsigned long, most_pools> most_used{};
    MPI_T_pvar_read(session_, allocated_, allocated.data());
    MPI_T_pvar_read(session_, most_used_, most_used.data());
    std::array<int, most_pools> keep{};
    int is_wasteful = 0;
    for (int pool = 0; pool < pools_; ++pool) {
      keep[pool] = static_cast<int>(most_used[pool]);
      if (allocated[pool] > most_used[pool] + threshold_) is_wasteful = 1;
    }
    if (is_wasteful != 0) MPI_T_cvar_write(reduced_, keep.data());
    MPI_T_cvar_write(control_, &is_wasteful);
  }

  cairn::Self self_;
  unsigned threshold_;
  bool is_open_ = false;
  std::atomic<unsigned> calls_{0};
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle allocated_ = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_pvar_handle most_used_ = MPI_T_PVAR_HANDLE_NULL;
  MPI_T_cvar_handle reduced_ = MPI_T_CVAR_HANDLE_NULL;
  MPI_T_cvar_handle control_ = MPI_T_CVAR_HANDLE_NULL;
  int pools_ = 0;
};

CAIRN_TOOL(Pools)
