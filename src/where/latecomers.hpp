// SPDX-License-Identifier: BSD-3-Clause
// latecomers.hpp - ranks that have not called MPI_Init: what the system tells of their processes on this node
#pragma once

#include <string>
#include <vector>

#include "where/page_reader.hpp"

namespace cairn::where {

struct Latecomer {
  int rank = -1;
  int pid = 0;
  char state = '?';  // as in proc(5)
  std::string name;
};

/// Of the others nothing is known: they may be on other nodes, or run without Cairn.
struct Latecomers {
  std::vector<Latecomer> late;  // their processes here have not called MPI_Init
  std::vector<int> gone;        // ranks that have no process any more
};

/// `known`: a process of the job on this node, which waits in MPI_Init; `ranks`: those without a page.
Latecomers find_latecomers(const Process& known, const std::vector<int>& ranks);

}  // namespace cairn::where
