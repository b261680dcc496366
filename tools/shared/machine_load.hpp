// SPDX-License-Identifier: BSD-3-Clause
// machine_load.hpp - how long other processes kept this one from running, as the system counts it
//
// For the start and the end of a run: it reads a file.
#pragma once

#include <sys/resource.h>

#include "base/processes.hpp"

namespace shared {

struct MachineLoad {
  double run_delay_s = 0;           // ready to run while no processor was free; of the main thread
  double involuntary_switches = 0;  // preempted; of all threads

  /// Since the process started; zeros if the system does not tell.
  static MachineLoad now() {
    MachineLoad load;
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0) load.involuntary_switches = static_cast<double>(usage.ru_nivcsw);
    load.run_delay_s = cairn::run_delay_s("self");
    return load;
  }

  MachineLoad since(const MachineLoad& before) const {
    return {run_delay_s - before.run_delay_s, involuntary_switches - before.involuntary_switches};
  }
};

}  // namespace shared
