// SPDX-License-Identifier: BSD-3-Clause
// tool_file.cc - the search for a tool and the checks that need no loading.

#include "request/tool_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cairn/tool.h"

namespace cairn {

namespace {

constexpr const char* shared_library = "the path of a shared library that wraps MPI functions";

bool exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

std::vector<std::string> folders_of_setting(const char* name) {
  std::vector<std::string> folders;
  if (const char* text = std::getenv(name); text != nullptr)
    for (const std::string_view folder : split(text, ':'))
      if (!folder.empty()) folders.emplace_back(folder);
  return folders;
}

/// A copy of the tool for another MPI, to tell "not built for this MPI" from "no such tool".
std::string families_offering(const std::string& tool, const std::string& bundled) {
  std::vector<std::string> names;
  for (const MpiFamily& family : mpi_families())
    if (exists(bundled + "/" + std::string(family.id) + "/" + tool + ".so")) names.emplace_back(family.name);
  return join(names, " and ");
}

void check_machine(const ElfFile& image, const std::string& path) {
  if (!image.for_this_machine())
    throw Problem(std::string(file_of(path)) + " is built for another machine (" + image.machine_name() + ")",
                  "building the tool for this machine");
  if (!image.is_shared_object() || !image.interpreter().empty())
    throw Problem(std::string(file_of(path)) + " is not a shared library", shared_library);
  try {
    image.check_loadable();
  } catch (const ElfError& error) {
    throw Problem(std::string(file_of(path)) + " " + error.what(), "building or copying the tool again");
  }
}

void check_family(const MpiFamily* built_for, const std::string& path, const TargetMpi& mpi) {
  if (built_for == nullptr || built_for == mpi.family) return;
  throw Problem(std::string(file_of(path)) + " was built for " + std::string(built_for->name) +
                    ", the application uses " + mpi.description,
                "building the tool with the application's MPI");
}

template <class Folders>
std::string find_in(const Folders& folders, std::string_view file) {
  for (const std::string_view folder : folders)
    if (std::string path = std::string(folder) + "/" + std::string(file); exists(path)) return path;
  return {};
}

/// Opening a module opens what it needs: a library of the other MPI anywhere below would end up in the process too.
void check_mpi_of(const ElfFile& image, const std::string& path, const TargetMpi& mpi, std::set<std::string>& seen) {
  for (const std::string_view symbol : image.undefined_symbols())
    if (!symbol.starts_with("PMPI") && is_known(*mpi.family)) check_family(family_of_symbol(symbol), path, mpi);
  auto folders = own_library_folders(image.rpath(), image.runpath(), path);
  const auto more = folders_of_setting("LD_LIBRARY_PATH");
  folders.insert(folders.end(), more.begin(), more.end());
  for (const std::string_view library : image.needed()) {
    const MpiFamily* family = family_of_library(library);
    check_family(family, path, mpi);
    if (family != nullptr) continue;
    const std::string found = find_in(folders, library);
    if (found.empty() || !seen.insert(found).second) continue;
    const ElfFile helper = read_module(found, shared_library);
    check_machine(helper, found);
    check_mpi_of(helper, found, mpi, seen);
  }
}

/// Those in include/pnmpi_modules/pnmpi/service.h.
bool is_pnmpi_function(std::string_view name) {
  static constexpr std::string_view names[] = {
      "CallHook",           "CallHook_NewStack", "ChangeStack",      "GetArgument",    "GetArgumentSelf",
      "GetFunctionAddress", "GetGlobalByName",   "GetModuleByName",  "GetModuleSelf",  "GetPcontrol",
      "GetPcontrolSelf",    "GetReturnAddress",  "GetServiceByName", "GetStackByName", "RegisterGlobal",
      "RegisterModule",     "RegisterService",   "strerror"};
  constexpr std::string_view prefix = "PNMPI_Service_";
  return name.starts_with(prefix) && std::ranges::find(names, name.substr(prefix.size())) != std::end(names);
}

/// Libraries that define MPI functions and are no tools.
void check_is_tool(const ElfFile& image, const std::string& path) {
  const std::string file(file_of(path));
  if (file == "libcairn.so")
    throw Problem(file + " is Cairn itself, not a tool", "'cairn tools' for the bundled tools");
  for (const MpiFamily& family : mpi_families())
    if (family.is_library(image.soname()) || family.is_library(file))
      throw Problem(file + " is the MPI library itself, not a tool", "'cairn tools' for the bundled tools");
  for (const std::string_view symbol : image.undefined_symbols())
    if (symbol.starts_with("PNMPI_") && !is_pnmpi_function(symbol))
      throw Problem(file + " calls " + std::string(symbol) + ", a function of PnMPI's that Cairn does not have",
                    "a module that calls those in pnmpi/service.h alone");
}

ToolKind kind_of(const ElfFile& image) {
  if (std::ranges::count(image.defined_functions(), "get_interceptions") > 0) return ToolKind::thesis;
  if (std::ranges::count(image.undefined_symbols(), "QMPI_Register_tool_name") > 0) return ToolKind::qmpi;
  return ToolKind::pmpi;
}

/// What Cairn itself has to know of a tool for QMPI.
void check_qmpi(ToolFile& tool) {
  if (tool.kind == ToolKind::qmpi) tool.about.options.push_back({"name", "-", "which of its registered tools"});
  if (tool.kind == ToolKind::thesis && tool.image.exported_text("qmpi_thesis_header") != "1")
    throw Problem(std::string(file_of(tool.path)) + " was built with another version of the QMPI thesis's header",
                  "compiling it with Cairn's qmpi_thesis.h");
}

bool is_mpi_name(std::string_view name) { return name.starts_with("MPI_") || name.starts_with("MPIX_"); }
bool is_fortran_name(std::string_view name) { return name.starts_with("mpi_") && name.ends_with('_'); }

}  // namespace

std::string bundled_tools_folder(const std::string& libcairn_path) { return folder_of(libcairn_path) + "/cairn"; }

std::string find_tool(const LayerRequest& layer, const MpiFamily& family, const std::string& bundled) {
  const std::string& name = layer.tool;
  if (name.find('/') != std::string::npos) {
    if (!exists(name)) throw Problem("'" + name + "' does not exist", "the path of the tool's shared library");
    return name;
  }
  if (std::string path = bundled + "/" + std::string(family.id) + "/" + name + ".so"; exists(path)) return path;
  for (const char* setting : {"CAIRN_TOOL_PATH", "LD_LIBRARY_PATH"})
    if (std::string path = find_in(folders_of_setting(setting), name); !path.empty()) return path;
  if (name.find(".so") != std::string::npos)
    if (std::string path = find_in(system_library_folders(), name); !path.empty()) return path;

  if (name == "tune") throw Problem("the tool that follows a policy is called 'policy'", "policy=file:FILE");
  if (const std::string others = families_offering(name, bundled); !others.empty())
    throw Problem("it is installed for " + others + ", not for " + std::string(family.name),
                  is_known(family) ? "'cairn add-mpi MPICC', with that MPI's compiler wrapper, which adds it"
                                   : "PMPI tools, which need nothing that is built for this MPI");
  throw Problem(
      "there is no bundled tool of this name, nor a file in CAIRN_TOOL_PATH, LD_LIBRARY_PATH or a system folder",
      "'cairn tools' for the bundled tools, or the path of a shared library (with a '/' in it)");
}

std::string service_module(const std::string& service, const MpiFamily& family, const std::string& bundled) {
  if (service.find('/') != std::string::npos) return {};
  std::string path = bundled + "/" + std::string(family.id) + "/services/" + service + ".so";
  return exists(path) ? path : "";
}

ElfFile read_module(const std::string& path, const std::string& remedy) {
  try {
    return ElfFile::read(path);
  } catch (const ElfError& error) {
    throw Problem("'" + path + "' " + error.what(), remedy);
  }
}

ToolFile examine_tool(const std::string& path, const TargetMpi& mpi) {
  ElfFile image = read_module(path, shared_library);
  check_machine(image, path);
  check_is_tool(image, path);
  std::set<std::string> seen{path};
  check_mpi_of(image, path, mpi, seen);

  ToolFile tool{path, std::move(image), {}, ToolKind::pmpi};
  tool.about = parse_tool_about(tool.image.exported_text("cairn_tool_about"));
  if (tool.about.abi > CAIRN_TOOL_ABI)
    throw Problem(std::string(file_of(path)) + " was built for a newer Cairn (tool interface " +
                  std::to_string(tool.about.abi) + ", this one has " + std::to_string(CAIRN_TOOL_ABI) + ")");
  tool.kind = kind_of(tool.image);
  if (tool.kind == ToolKind::pmpi && wraps_fortran_alone(tool.image)) tool.kind = ToolKind::fortran;
  check_qmpi(tool);
  tool.is_pnmpi_module = is_pnmpi_module(tool.image);
  if (tool.kind == ToolKind::pmpi && !tool.is_pnmpi_module && intercepted_functions(tool).empty())
    throw Problem(std::string(file_of(path)) + " intercepts nothing: it defines no MPI function",
                  "a library that defines MPI_X functions under these names and exports them");
  return tool;
}

bool is_pnmpi_module(const ElfFile& image) {
  const auto is_of_pnmpi = [](std::string_view name) {
    return name.starts_with("PNMPI_") || name.starts_with("pnmpi_") || name.starts_with("XMPI_") ||
           name.ends_with("_NewStack");
  };
  return std::ranges::any_of(image.undefined_symbols(), is_of_pnmpi) ||
         std::ranges::any_of(image.defined_functions(), is_of_pnmpi) ||
         image.exported_text("PNMPI_ModuleName").data() != nullptr;
}

bool wraps_fortran_alone(const ElfFile& image) {
  const std::vector<std::string_view> names = image.defined_functions();
  return std::ranges::any_of(names, is_fortran_name) && std::ranges::none_of(names, is_mpi_name) &&
         image.exported_text("cairn_tool_about").empty();
}

std::vector<std::string_view> intercepted_functions(const ToolFile& tool) {
  std::vector<std::string_view> names = tool.image.defined_functions();
  const auto is_wrapped = tool.kind == ToolKind::fortran ? is_fortran_name : is_mpi_name;
  std::erase_if(names, [&](std::string_view name) { return !is_wrapped(name); });
  names.insert(names.end(), tool.about.wraps.begin(), tool.about.wraps.end());
  std::ranges::sort(names);
  return names;
}

std::span<const std::string_view> system_library_folders() {
  static constexpr std::string_view folders[] = {
#if defined(__x86_64__)
    "/lib/x86_64-linux-gnu",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/local/lib/x86_64-linux-gnu",
#elif defined(__aarch64__)
    "/lib/aarch64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/local/lib/aarch64-linux-gnu",
#endif
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
    "/usr/local/lib"
  };
  return folders;
}

std::vector<std::string> own_library_folders(std::string_view rpath, std::string_view runpath,
                                             const std::string& path) {
  std::vector<std::string> folders;
  const std::string_view list = runpath.empty() ? rpath : runpath;
  for (const std::string_view entry : split(list, ':')) {
    std::string folder(entry);
    for (const std::string_view token : {"${ORIGIN}", "$ORIGIN"})
      if (const auto place = folder.find(token); place != std::string::npos)
        folder.replace(place, token.size(), folder_of(path));
    if (!folder.empty() && folder.find('$') == std::string::npos) folders.push_back(folder);
  }
  return folders;
}

}  // namespace cairn
