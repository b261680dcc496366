// SPDX-License-Identifier: BSD-3-Clause
// settings_in_force.cc - the environment's variables, and the lines of parameter files

#include "request/settings_in_force.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string_view>

#include "base/text.hpp"

namespace cairn {

namespace {

using Settings = std::map<std::string, std::string>;

/// What mpirun tells its processes about the job.
bool is_of_launcher(std::string_view name) {
  constexpr std::string_view beginnings[] = {"orte_", "ess", "pmix", "shmem_RUNTIME", "initial_wdir"};
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

/// Variables whose names begin so; `keep` characters of that belong to the setting's name.
void add_environment(std::string_view begin, std::size_t keep, Settings& settings) {
  for (char** each = environ; *each != nullptr; ++each) {
    const std::string_view text = *each;
    const auto equals = text.find('=');
    if (!text.starts_with(begin) || equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(begin.size() - keep, equals - begin.size() + keep);
    if (!is_of_launcher(name)) settings.try_emplace(std::string(name), text.substr(equals + 1));
  }
}

/// Lines "name = value"; '#' begins a comment.
void add_file(const std::string& path, Settings& settings) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    const auto equals = line.find('=');
    if (equals == std::string::npos) continue;
    const std::string name(trimmed(std::string_view(line).substr(0, equals)));
    if (!name.empty()) settings.try_emplace(name, trimmed(std::string_view(line).substr(equals + 1)));
  }
}

/// The first that has a variable decides.
std::string parameter_files() {
  if (const char* set = std::getenv("OMPI_MCA_mca_base_param_files"); set != nullptr) return set;
  const char* home = std::getenv("HOME");
  return std::string(home == nullptr ? "" : home) + "/.openmpi/mca-params.conf,/etc/openmpi/openmpi-mca-params.conf";
}

}  // namespace

Settings settings_in_force(const std::string& mpi) {
  Settings settings;
  for (const std::string_view library : {"UCX_", "FI_"}) add_environment(library, library.size(), settings);
  add_environment("MPIR_CVAR_", std::string_view("MPIR_CVAR_").size(), settings);
  if (!mpi.starts_with("Open MPI")) return settings;
  add_environment("OMPI_MCA_", 0, settings);
  const std::string files = parameter_files();
  for (const std::string_view file : split(files, ',')) add_file(std::string(file), settings);
  return settings;
}

}  // namespace cairn
