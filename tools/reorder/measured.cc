// SPDX-License-Identifier: BSD-3-Clause
// measured.cc - the variables of `comm`, bound to the library's MPI_COMM_WORLD

#include "measured.hpp"

#include <numeric>

#include "cairn/kit/own_work.hpp"

namespace reorder {

void Measured::begin() {
  const cairn::OwnWork own;
  int has_world = 0;
  int level = MPI_THREAD_SINGLE;
  int provided = 0;
  PMPI_Initialized(&has_world);
  if (has_world == 0) return;
  PMPI_Query_thread(&level);
  if (MPI_T_init_thread(level, &provided) != MPI_SUCCESS) return;
  PMPI_Comm_size(MPI_COMM_WORLD, &processes_);
  for (const char* const name : names) {
    int index = 0;
    int count = 0;
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    if (PMPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_AGGREGATE, &index) != MPI_SUCCESS) break;
    if (session_ == MPI_T_PVAR_SESSION_NULL && PMPI_T_pvar_session_create(&session_) != MPI_SUCCESS) break;
    if (PMPI_T_pvar_handle_alloc(session_, index, &world, &handle, &count) != MPI_SUCCESS || count != processes_) break;
    PMPI_T_pvar_start(session_, handle);
    handles_.push_back(handle);
  }
}

std::vector<double> Measured::by_process() const {
  std::vector<double> sums;
  std::vector<unsigned long> values(static_cast<std::size_t>(processes_));
  for (const MPI_T_pvar_handle handle : handles_) {
    if (PMPI_T_pvar_read(session_, handle, values.data()) != MPI_SUCCESS) continue;
    sums.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sums[i] += static_cast<double>(values[i]);
  }
  return sums;
}

std::vector<double> Measured::bytes(const std::vector<int>& processes) const {
  const cairn::OwnWork own;
  const std::vector<double> sums = by_process();
  if (std::accumulate(sums.begin(), sums.end(), 0.0) <= 0) return {};
  std::vector<double> bytes;
  for (const int process : processes)
    bytes.push_back(process == MPI_UNDEFINED ? 0 : sums[static_cast<std::size_t>(process)]);
  return bytes;
}

}  // namespace reorder
