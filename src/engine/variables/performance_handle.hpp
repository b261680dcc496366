// SPDX-License-Identifier: BSD-3-Clause
// performance_handle.hpp - a handle of one of our performance variables, and what can be done with it.
#pragma once

#include <mpi.h>

#include "variables/handle_values.hpp"
#include "variables/handles.hpp"
#include "variables/variable.hpp"

namespace cairn::engine {

class PerformanceHandle {
 public:
  static constexpr Slot slot = Slot::performance;

  /// `bound` and `elements` as the variable's `open` gave them; is_good() tells whether there was memory.
  PerformanceHandle(const Variable& variable, MPI_T_pvar_session session, void* bound, int elements);
  bool is_good() const { return variable_->starts_by_itself || values_.is_open(); }
  /// Reads the starting value; an error code of MPI_T.
  int begin();
  void close() const;

  MPI_T_pvar_session session() const { return session_; }
  bool is_continuous() const { return (variable_->facts.flags & CAIRN_CONTINUOUS) != 0; }
  bool is_read_only() const { return (variable_->facts.flags & CAIRN_READONLY) != 0; }

  // Each returns an error code of MPI_T.
  int read(void* value);
  int read_and_reset(void* value);
  int write(const void* value);
  int reset();
  int start();
  int stop();

 private:
  int present(void* value) const;
  int ask(int (*function)(void*), int without) const;
  bool adds_up() const;

  const Variable* variable_;
  MPI_T_pvar_session session_;
  void* bound_;
  HandleValues values_;
  bool started_;
};

}  // namespace cairn::engine
