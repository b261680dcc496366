// SPDX-License-Identifier: BSD-3-Clause
// hosts.hpp - nodes as users and launchers write them
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cairn::place {

struct Host {
  std::string name;
  int cores = 0;  // 0: not given
};

/// "n1,n[02-04,9]": Slurm's lists. Throws Problem for what is none.
std::vector<std::string> expand_hosts(std::string_view list);

/// "a:16,n[1-4]:8"
std::vector<Host> hosts_of(std::string_view list);

/// A line for each: "NAME", "NAME:CORES" (Hydra) or "NAME slots=CORES" (Open MPI); comments begin with '#'. `path` is for
/// messages.
std::vector<Host> hosts_in_file(const std::string& path);

}  // namespace cairn::place
