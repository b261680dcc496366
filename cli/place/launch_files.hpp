// SPDX-License-Identifier: BSD-3-Clause
// launch_files.hpp - a mapping as launchers take it
#pragma once

#include <string>

#include "placement/mapping.hpp"

namespace cairn::place {

/// Open MPI's rankfile. Nodes without names are those of the allocation, by number.
std::string rankfile(const placement::Machine& machine, const placement::Mapping& mapping, bool has_names);
/// A host file of MPICH's Hydra, with the cores of each rank.
std::string hydra_file(const placement::Machine& machine, const placement::Mapping& mapping);
/// The host file of Slurm's arbitrary distribution; which cores, Slurm decides.
std::string slurm_file(const placement::Machine& machine, const placement::Mapping& mapping);

}  // namespace cairn::place
