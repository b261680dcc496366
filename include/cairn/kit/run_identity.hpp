// SPDX-License-Identifier: BSD-3-Clause
// run_identity.hpp - what a file of results says of the run it belongs to, under the key "run"
#pragma once

#include <string>

#include "cairn/kit/self.hpp"
#include "cairn/services/run.hpp"

namespace cairn {

/// Made when the tool starts: a process that dies asks no more for services.
class RunIdentity {
 public:
  explicit RunIdentity(const Self& self) : service_(self.find<Run>()) {}
  /// From MPI_Init on; "" where it is not known, and then the file leaves out the key.
  std::string text() const { return service_ == nullptr ? "" : service_->identity(); }

 private:
  const Run* service_;
};

}  // namespace cairn
