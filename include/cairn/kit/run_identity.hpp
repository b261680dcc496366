// SPDX-License-Identifier: BSD-3-Clause
// run_identity.hpp - the identity of the run, for the key "run" in files of results
#pragma once

#include <string>

#include "cairn/kit/self.hpp"
#include "cairn/services/run.hpp"

namespace cairn {

/// Constructed with the tool: services cannot be looked up while the process dies.
class RunIdentity {
 public:
  explicit RunIdentity(const Self& self) : service_(self.find<Run>()) {}
  /// Known once MPI has started; "" if there is none, and then the file leaves out the key.
  std::string text() const { return service_ == nullptr ? "" : service_->identity(); }
  /// Where the run's results are or will be; likewise.
  std::string folder() const { return service_ == nullptr ? "" : service_->folder(); }
  /// Lines "HOST RANKS", if it runs on several nodes; likewise.
  std::string nodes() const { return service_ == nullptr ? "" : service_->nodes(); }

 private:
  const Run* service_;
};

}  // namespace cairn
