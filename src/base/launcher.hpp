// SPDX-License-Identifier: BSD-3-Clause
// launcher.hpp - by what a job's launcher reaches the other nodes, as the environment of its processes tells
#pragma once

#include <string>

#include "base/environment.hpp"

namespace cairn {

/// "slurm 1234": inside this job of Slurm's; "agent PROGRAM …": a program that is given a host and a command, in place
/// of ssh, by Open MPI or Hydra; "" if nothing is set: ssh.
inline std::string launcher_of_environment() {
  if (const std::string job = environment("SLURM_JOB_ID"); !job.empty()) return "slurm " + job;
  for (const char* name : {"OMPI_MCA_plm_rsh_agent", "PRTE_MCA_plm_ssh_agent", "HYDRA_LAUNCHER_EXEC"})
    if (const std::string agent = environment(name); !agent.empty()) return "agent " + agent;
  return "";
}

}  // namespace cairn
