// SPDX-License-Identifier: BSD-3-Clause
// mpi_family_test.cc - telling MPI libraries and their parts apart by name.

#include "request/mpi_family.hpp"

#include <gtest/gtest.h>

namespace cairn {
namespace {

std::string_view id_of(const MpiFamily* family) { return family == nullptr ? "none" : family->id; }

const MpiFamily& family(std::string_view id) {
  for (const MpiFamily& candidate : mpi_families())
    if (candidate.id == id) return candidate;
  throw std::runtime_error("no such family");
}

TEST(MpiFamily, IsKnownByLibraryAndGlue) {
  EXPECT_EQ(id_of(family_of_library("libmpi.so.40")), "openmpi");
  EXPECT_EQ(id_of(family_of_library("libmpi_mpifh.so.40")), "openmpi");
  EXPECT_EQ(id_of(family_of_library("libmpich.so.12")), "mpich");
  EXPECT_EQ(id_of(family_of_library("libmpi.so.12")), "mpich");
  EXPECT_EQ(id_of(family_of_library("libmpichfort.so.12")), "mpich");
  EXPECT_EQ(id_of(family_of_library("libmpi_abi.so.1")), "abi");
}

TEST(MpiFamily, IsNotSeenInToolsAndOtherLibraries) {
  for (const std::string_view name : {"libompitrace.so.40", "libmpiP.so", "libm.so.6", "libmpi.so.99", "libmpifoo.so"})
    EXPECT_EQ(id_of(family_of_library(name)), "none") << name;
}

TEST(MpiFamily, GlueAndInnerPartsAreToldApart) {
  EXPECT_TRUE(family("openmpi").is_glue("libmpi_usempif08.so.40.30.0"));
  EXPECT_FALSE(family("openmpi").is_inner("libmpi_usempif08.so.40.30.0"));
  EXPECT_TRUE(family("openmpi").is_inner("mca_io_romio321.so"));
  EXPECT_TRUE(family("openmpi").is_inner("libmpi.so.40.30.4"));
  EXPECT_FALSE(family("openmpi").is_inner("libompitrace.so.40"));
  EXPECT_TRUE(family("mpich").is_inner("libmpich.so.12.2.2"));
  EXPECT_FALSE(family("mpich").is_inner("libmpichfort.so.12"));
  EXPECT_TRUE(family("mpich").is_part("libmpichcxx.so.12"));
}

TEST(MpiFamily, IsGivenAwayBySymbols) {
  EXPECT_EQ(id_of(family_of_symbol("ompi_mpi_comm_world")), "openmpi");
  EXPECT_EQ(id_of(family_of_symbol("MPIR_Process")), "mpich");
  EXPECT_EQ(id_of(family_of_symbol("PMPI_Send")), "none");
}

}  // namespace
}  // namespace cairn
