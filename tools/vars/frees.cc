// SPDX-License-Identifier: BSD-3-Clause
// frees.cc - keys, attributes and their callbacks

#include "frees.hpp"

namespace vars {

void Frees::start() {
  if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, comm_is_gone, &comm_key_, this) != MPI_SUCCESS)
    comm_key_ = MPI_KEYVAL_INVALID;
  if (PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, win_is_gone, &win_key_, this) != MPI_SUCCESS)
    win_key_ = MPI_KEYVAL_INVALID;
}

/// Objects that live on keep their attributes, and the library the keys.
void Frees::finish() {
  if (comm_key_ != MPI_KEYVAL_INVALID) PMPI_Comm_free_keyval(&comm_key_);
  if (win_key_ != MPI_KEYVAL_INVALID) PMPI_Win_free_keyval(&win_key_);
}

bool Frees::watch(Bound kind, const void* handle) const {
  if (kind == Bound::communicator) return watch_comm(*static_cast<const MPI_Comm*>(handle));
  return kind == Bound::file || watch_win(*static_cast<const MPI_Win*>(handle));
}

/// Once: a value that is replaced counts as deleted.
bool Frees::watch_comm(MPI_Comm comm) const {
  void* value = nullptr;
  int is_watched = 0;
  if (comm_key_ == MPI_KEYVAL_INVALID || PMPI_Comm_get_attr(comm, comm_key_, &value, &is_watched) != MPI_SUCCESS)
    return false;
  return is_watched != 0 || PMPI_Comm_set_attr(comm, comm_key_, nullptr) == MPI_SUCCESS;
}

bool Frees::watch_win(MPI_Win win) const {
  void* value = nullptr;
  int is_watched = 0;
  if (win_key_ == MPI_KEYVAL_INVALID || PMPI_Win_get_attr(win, win_key_, &value, &is_watched) != MPI_SUCCESS)
    return false;
  return is_watched != 0 || PMPI_Win_set_attr(win, win_key_, nullptr) == MPI_SUCCESS;
}

int Frees::comm_is_gone(MPI_Comm comm, int /*key*/, void* /*value*/, void* frees) {
  const Frees& self = *static_cast<const Frees*>(frees);
  self.gone_(self.who_, Bound::communicator, &comm, sizeof comm);
  return MPI_SUCCESS;
}

int Frees::win_is_gone(MPI_Win win, int /*key*/, void* /*value*/, void* frees) {
  const Frees& self = *static_cast<const Frees*>(frees);
  self.gone_(self.who_, Bound::window, &win, sizeof win);
  return MPI_SUCCESS;
}

}  // namespace vars
