// SPDX-License-Identifier: BSD-3-Clause
// wishes.hpp - what the ranks ask of the tool: parts of a job may have other options, or run without it
#pragma once

#include "cairn/kit/self.hpp"

namespace reorder {

struct Wishes {
  bool some_files = false;       // some rank has a file
  bool some_topologies = false;  // some rank has topologies:on
  bool all_topologies = false;   // all ranks of the job have, so that all will take part in what that takes
};

/// Collective over all ranks with the tool, when MPI has started; passes what this one has.
Wishes wishes_of_all(const cairn::Self& self, bool has_file, bool has_topologies);

}  // namespace reorder
