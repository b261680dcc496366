// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - the record as variables of MPI_T: our own set, and the names of Open MPI's monitoring component
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cairn/kit/self.hpp"
#include "cairn/kit/variables.hpp"
#include "monitor.hpp"

namespace comm {

class OwnVariables {
 public:
  OwnVariables(cairn::Self self, Monitor& monitor) : self_(self), monitor_(monitor) {}

  /// Once, when the tool starts; write_snapshot is set before.
  void offer();
  std::function<bool()> write_snapshot;

  /// Tells the user if it cannot be written.
  bool write_file(const std::string& path, const std::string& text) const;

 private:
  friend struct FlushHandle;
  friend struct SeedHandle;

  void offer_own(const cairn::Variables& variables);
  void offer_controls(const cairn::Variables& variables);
  void offer_seed_names();

  /// Forgets what came before, for the next flush and for the handles of the seed's names.
  void reset();
  /// What came since the last time into FILE.RANK.prof; "": nowhere.
  bool flush(const std::string& file);

  cairn::Self self_;
  Monitor& monitor_;
  std::mutex lock_;  // of all below
  Amounts flushed_;
  unsigned flushes_ = 0;
  std::string phase_;
};

}  // namespace comm
