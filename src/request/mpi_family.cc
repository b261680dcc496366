// SPDX-License-Identifier: BSD-3-Clause
// mpi_family.cc - the table of MPI libraries that Cairn knows.

#include "request/mpi_family.hpp"

#include <algorithm>
#include <array>

namespace cairn {

namespace {

using Names = std::string_view;

constexpr std::array<Names, 1> openmpi_libraries = {"libmpi.so.40"};
constexpr std::array<Names, 2> openmpi_glue = {"libmpi_mpifh", "libmpi_usempi"};
constexpr std::array<Names, 2> openmpi_glue_helpers = {"MPI_Comm_size", "MPI_Cartdim_get"};
// libopen_mpi: what the libraries of Open MPI 6 for its own ABI and for the standard's have in common.
constexpr std::array<Names, 6> openmpi_inner = {"libmpi.so",   "mca_",        "libmca_",
                                                "libopen-pal", "libopen-rte", "libopen_mpi"};
constexpr std::array<Names, 1> openmpi_bindings = {"libmpi_cxx"};
constexpr std::array<Names, 3> openmpi_symbols = {"ompi_mpi_", "ompi_request_", "opal_"};

// libmpi.so.12 is the name that the MPICH ABI initiative agreed on (Intel MPI, MVAPICH, MPICH outside Debian).
constexpr std::array<Names, 2> mpich_libraries = {"libmpich.so.12", "libmpi.so.12"};
constexpr std::array<Names, 2> mpich_glue = {"libmpichfort", "libmpifort.so"};
constexpr std::array<Names, 7> mpich_glue_helpers = {
    "MPI_Comm_size",   "MPI_Cartdim_get",     "MPI_Dist_graph_neighbors_count",
    "MPI_Type_commit", "MPI_Type_contiguous", "MPI_Type_create_hvector",
    "MPI_Type_free"};
constexpr std::array<Names, 2> mpich_inner = {"libmpich.so", "libmpi.so"};
constexpr std::array<Names, 2> mpich_bindings = {"libmpichcxx", "libmpicxx"};
// Not all of MPIR_: some of these names belong to the debugger interface, which every MPI has.
constexpr std::array<Names, 4> mpich_symbols = {"MPID_", "MPIR_Process", "MPIR_Err_", "MPIR_Comm_"};

constexpr std::array<Names, 2> abi_libraries = {"libmpi_abi.so.1", "libmpi_abi.so.0"};
constexpr std::array<Names, 2> abi_glue = {"libmpifort_abi", "libmpi_abi_fort"};
constexpr std::array<Names, 5> abi_inner = {"libmpi_abi.so", "mca_", "libmca_", "libopen-pal", "libopen_mpi"};

constexpr std::array<MpiFamily, 3> families = {{
    {"openmpi", "Open MPI", openmpi_libraries, openmpi_glue, openmpi_glue_helpers, openmpi_inner, openmpi_bindings,
     openmpi_symbols},
    {"mpich", "MPICH", mpich_libraries, mpich_glue, mpich_glue_helpers, mpich_inner, mpich_bindings, mpich_symbols},
    {"abi", "an MPI with the standard ABI", abi_libraries, abi_glue, {}, abi_inner, {}, {}},
}};

// What is common among the libraries that are not in the table.
constexpr std::array<Names, 6> common_glue = {"libmpi_mpifh",      "libmpi_usempi", "libmpi_ibm_mpifh",
                                              "libmpi_ibm_usempi", "libmpichfort",  "libmpifort"};
constexpr std::array<Names, 5> common_inner = {"mca_", "libmca_", "libopen-pal", "libopen-rte", "libmpi_ibm.so"};

bool starts_with_one_of(std::string_view name, std::span<const std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

bool MpiFamily::is_library(std::string_view file_name) const {
  return std::ranges::find(libraries, file_name) != libraries.end();
}

bool MpiFamily::is_glue(std::string_view file_name) const { return starts_with_one_of(file_name, glue); }

bool MpiFamily::is_inner(std::string_view file_name) const { return starts_with_one_of(file_name, inner); }

bool MpiFamily::is_glue_helper(std::string_view function) const {
  return std::ranges::find(glue_helpers, function) != glue_helpers.end();
}

bool is_handle_conversion(std::string_view function) {
  constexpr std::array<Names, 6> endings = {"_f2c", "_c2f", "_f082c", "_c2f08", "_f082f", "_f2f08"};
  return std::ranges::any_of(endings, [&](std::string_view ending) { return function.ends_with(ending); });
}

bool MpiFamily::is_part(std::string_view file_name) const {
  return is_library(file_name) || is_glue(file_name) || is_inner(file_name) || starts_with_one_of(file_name, bindings);
}

std::span<const MpiFamily> mpi_families() { return families; }

const MpiFamily& unknown_family(std::string_view library) {
  static std::array<char, 256> name;  // no file's name is longer; nothing that exit would destroy
  static std::array<Names, 1> libraries;
  static std::array<Names, common_inner.size() + 1> inner;
  static MpiFamily family;
  const std::string_view kept(name.data(), library.substr(0, name.size()).copy(name.data(), name.size()));
  libraries = {kept};
  std::ranges::copy(common_inner, inner.begin());
  inner.back() = kept;
  family = {"unknown", kept, libraries, common_glue, mpich_glue_helpers, inner, {}, {}};
  return family;
}

const MpiFamily* family_of_library(std::string_view name) {
  for (const MpiFamily& family : families)
    if (family.is_library(name) || family.is_glue(name)) return &family;
  return nullptr;
}

const MpiFamily* family_of_symbol(std::string_view symbol) {
  for (const MpiFamily& family : families)
    if (starts_with_one_of(symbol, family.symbols)) return &family;
  return nullptr;
}

}  // namespace cairn
