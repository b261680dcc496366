// SPDX-License-Identifier: BSD-3-Clause
// later.cc - a tool that looks for "cairn.run" and would call a function of it in MPI_Finalize, as it would one of "cairn.job"
#include <mpi.h>

#include "cairn/kit.hpp"
#include "cairn/services/run.hpp"

class Later {
 public:
  static constexpr std::string_view about = "is built with other headers than Cairn";

  explicit Later(cairn::Self self) : run_(self.find<cairn::Run>()) {}
  void finish() { run_->identity(); }

 private:
  const cairn::Run* run_;
};

CAIRN_TOOL(Later)
