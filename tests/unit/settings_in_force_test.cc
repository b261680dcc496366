// SPDX-License-Identifier: BSD-3-Clause
// settings_in_force_test.cc - what of environment and parameter files is a setting of the MPI library

#include "request/settings_in_force.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cairn {
namespace {

TEST(SettingsInForce, ComeFromEnvironmentBeforeFilesAndNotFromLaunchers) {
  const auto folder = std::filesystem::temp_directory_path() / ("cairn-settings-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "user")
      << "# a comment\nmpi_yield_when_idle = 0 # not now\n  btl_vader_eager_limit=8k\nnothing\n";
  std::ofstream(folder / "system") << "btl_vader_eager_limit = 1\npml = ob1";
  const std::string files = (folder / "user").string() + "," + (folder / "system").string() + ",/nonesuch";
  setenv("OMPI_MCA_mca_base_param_files", files.c_str(), 1);
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 1);
  setenv("OMPI_MCA_orte_launch", "1", 1);
  setenv("MPIR_CVAR_A", "b=c", 1);
  setenv("UCX_RNDV_THRESH", "inf", 1);
  auto found = settings_in_force("Open MPI 4.1.4");
  EXPECT_EQ(found["mpi_yield_when_idle"], "1");
  EXPECT_EQ(found["btl_vader_eager_limit"], "8k");
  EXPECT_EQ(found["pml"], "ob1");
  EXPECT_EQ(found["UCX_RNDV_THRESH"], "inf");
  EXPECT_FALSE(found.contains("orte_launch"));
  EXPECT_FALSE(found.contains("nothing"));
  found = settings_in_force("MPICH 4.0.2");
  EXPECT_EQ(found["MPIR_CVAR_A"], "b=c");
  EXPECT_FALSE(found.contains("mpi_yield_when_idle"));
  for (const char* name : {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mpi_yield_when_idle", "OMPI_MCA_orte_launch",
                           "MPIR_CVAR_A", "UCX_RNDV_THRESH"})
    unsetenv(name);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace cairn
