// SPDX-License-Identifier: BSD-3-Clause
// tool_file.hpp - finding a tool's module and seeing, before anything of it runs, whether it can work here.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "loader/elf_file.hpp"
#include "request/mpi_family.hpp"
#include "request/request.hpp"
#include "request/tool_about.hpp"

namespace cairn {

/// By what a module is entered: MPI_X or a table (tool.h), as one of both kinds of QMPI, or by the Fortran names alone:
/// mpi_x_, which only programs call.
enum class ToolKind { pmpi, qmpi, thesis, fortran };

struct ToolFile {
  std::string path;
  ElfFile image;
  ToolAbout about;
  ToolKind kind = ToolKind::pmpi;
  bool is_pnmpi_module = false;  // it uses PnMPI's interface for modules
};

/// The MPI library that tools are to work with.
struct TargetMpi {
  const MpiFamily* family;
  std::string description;  // "MPICH 4.0.2"
};

/// Folder with one folder of bundled tools per MPI family: `cairn` beside libcairn.so.
std::string bundled_tools_folder(const std::string& libcairn_path);

/// Where the tool of a request lies: a bundled tool of this family, a path, or a file in CAIRN_TOOL_PATH or
/// LD_LIBRARY_PATH (folders separated by colons) or a system folder. Throws Problem.
std::string find_tool(const LayerRequest& layer, const MpiFamily& family, const std::string& bundled);

/// The bundled module that offers a service, or "".
std::string service_module(const std::string& service, const MpiFamily& family, const std::string& bundled);

/// Throws Problem, with the remedy, if it is no ELF file.
ElfFile read_module(const std::string& path, const std::string& remedy = {});

/// Reads and checks the module at `path` and its private libraries without loading them. Throws Problem.
ToolFile examine_tool(const std::string& path, const TargetMpi& mpi);

/// Whether a module calls PnMPI or has hooks that PnMPI calls.
bool is_pnmpi_module(const ElfFile& image);

/// Whether a module defines Fortran's names of MPI procedures and none of C's.
bool wraps_fortran_alone(const ElfFile& image);

/// "MPI_Abort", …, or "mpi_abort_": the MPI functions that a module exports or says to wrap, in order.
std::vector<std::string_view> intercepted_functions(const ToolFile& tool);

/// Folders in which the dynamic loader looks for everybody.
std::span<const std::string_view> system_library_folders();

/// Folders in which the object at `path` looks for libraries by its own RPATH and RUNPATH, $ORIGIN put in.
std::vector<std::string> own_library_folders(std::string_view rpath, std::string_view runpath, const std::string& path);

}  // namespace cairn
