// SPDX-License-Identifier: BSD-3-Clause
// program.cc - looking at programs from outside.

#include "cli/program.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "base/message.hpp"
#include "base/program_path.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "loader/elf_file.hpp"
#include "request/loaded_mpi.hpp"

namespace cairn::cli {

namespace {

bool is_file(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

std::string search_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_file(name) ? name : std::string{};
  const char* folders = std::getenv("PATH");
  std::string found;
  for (const std::string_view folder : split(folders != nullptr ? folders : "/usr/bin:/bin", ':')) {
    const std::string path = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (!is_file(path)) continue;
    if (access(path.c_str(), X_OK) == 0) return path;
    if (found.empty()) found = path;
  }
  return found;
}

std::string loader_list(const std::string& interpreter, const std::string& program) {
  return from_child([&](int out) {
    dup2(out, STDOUT_FILENO);
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    unsetenv("LD_PRELOAD");
    execl(interpreter.c_str(), interpreter.c_str(), "--list", program.c_str(), static_cast<char*>(nullptr));
    _exit(1);
  });
}

bool defines_mpi(const std::string& library) {
  try {
    const ElfFile image = ElfFile::read(library);
    return std::ranges::count(image.defined_functions(), "PMPI_Init") != 0;
  } catch (const ElfError&) {
    return false;
  }
}

}  // namespace

std::string from_child(const std::function<void(int out)>& write_to, int* status) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    write_to(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  if (child > 0) waitpid(child, status, 0);
  return text;
}

std::string find_program(const std::string& name, int& code) {
  const std::string path = search_path(name);
  if (path.empty() && std::filesystem::is_directory(name)) {
    code = exit_cannot_run;
    throw Problem("program '" + name + "' cannot be run: it is a folder");
  }
  if (path.empty()) {
    code = exit_not_found;
    throw Problem("program '" + name + "' not found",
                  name.find('/') == std::string::npos ? "./" + name + ", or a name in PATH" : "");
  }
  if (access(path.c_str(), X_OK) != 0) {
    code = exit_cannot_run;
    throw Problem("program '" + path + "' is not executable", "chmod +x " + path);
  }
  return path;
}

ProgramKind kind_of_program(const std::string& path) {
  try {
    const ElfFile image = ElfFile::read(path);
    if (!image.for_this_machine()) return ProgramKind::unknown;
    return image.interpreter().empty() ? ProgramKind::statically_linked : ProgramKind::dynamic;
  } catch (const ElfError&) {
    std::ifstream in(path);
    std::string mark(SELFMAG, '\0');
    in.read(mark.data(), SELFMAG);
    return mark == ELFMAG ? ProgramKind::unknown : ProgramKind::script;
  }
}

std::string special_rights(const std::string& path) {
  struct stat facts {};
  struct statvfs place {};
  if (stat(path.c_str(), &facts) != 0 || kind_of_program(path) == ProgramKind::script) return {};
  const bool ignored = (statvfs(path.c_str(), &place) == 0 && (place.f_flag & ST_NOSUID) != 0) ||
                       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  if (ignored) return {};
  if ((facts.st_mode & S_ISUID) != 0 && facts.st_uid != getuid()) return "setuid";
  if ((facts.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP) && facts.st_gid != getgid()) return "setgid";
  const bool capable = getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
  return capable && getuid() != 0 ? "given capabilities" : "";
}

bool has_sanitizer_options(const std::string& path) {
  try {
    const ElfFile image = ElfFile::read(path);
    const auto functions = image.defined_functions();
    return std::ranges::find(functions, "__asan_default_options") != functions.end();
  } catch (const ElfError&) {
    return false;
  }
}

std::optional<LinkedMpi> linked_mpi(const std::string& path) {
  std::string interpreter;
  try {
    interpreter = ElfFile::read(path).interpreter();
  } catch (const ElfError&) {
    return std::nullopt;
  }
  if (interpreter.empty()) return std::nullopt;
  const std::string list = loader_list(interpreter, path);
  std::vector<std::pair<std::string_view, std::string>> others;
  for (const std::string_view line : split(list, '\n')) {  // "\tNAME => PATH (ADDRESS)"
    const auto arrow = line.find(" => ");
    if (arrow == std::string_view::npos) continue;
    const std::string_view name = line.substr(1, arrow - 1);
    const std::string_view rest = line.substr(arrow + 4);
    others.emplace_back(name, rest.substr(0, rest.find(" (")));
    for (const MpiFamily& family : mpi_families())
      if (family.is_library(name)) return LinkedMpi{&family, others.back().second};
  }
  for (const auto& [name, library] : others)
    if (defines_mpi(library)) return LinkedMpi{&unknown_family(name), library};
  return std::nullopt;
}

std::string describe_library(const LinkedMpi& mpi) {
  const std::string text = from_child([&](int out) {
    void* library = dlopen(mpi.library.c_str(), RTLD_LAZY);
    void* version = library != nullptr ? dlsym(library, "PMPI_Get_library_version") : nullptr;
    const std::string description = describe_mpi(*mpi.family, version);
    if (write(out, description.data(), description.size()) < 0) _exit(1);
  });
  return text.empty() ? std::string(mpi.family->name) : text;
}

std::vector<char*> exec_arguments(std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return arguments;
}

/// This is `cairn`, or `cairn-commands` among the modules, which `cairn` starts with its own path as first word: folders
/// may be links to others.
Installation installation() {
  constexpr std::string_view modules = "/" CAIRN_LIBDIR "/cairn";
  constexpr std::string_view commands = "/cairn-commands";
  const std::string invoked = program_invocation_name;
  std::string command = program_path();
  if (command.ends_with(commands) && invoked.starts_with('/') && !invoked.ends_with(commands)) command = invoked;
  std::string prefix = folder_of(folder_of(command));
  if (command.ends_with(commands)) {  // started by somebody else
    prefix = folder_of(command);
    for (auto levels = std::ranges::count(modules, '/'); levels > 0; --levels) prefix = folder_of(prefix);
    command = prefix + "/" CAIRN_BINDIR "/cairn";
  }
  return {prefix, command, prefix + std::string(modules)};
}

std::string libcairn() {
  const std::string path = folder_of(installation().modules) + "/libcairn.so";
  if (!is_file(path)) throw Problem("'" + path + "' is missing", "building or installing Cairn again");
  return path;
}

const void* beside_libcairn(const std::string& name, const char* symbol) {
  const std::string path = folder_of(libcairn()) + "/cairn/libcairn-" + name + ".so";
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : dlsym(handle, symbol);
}

const Symbols* symbols() {
  static const auto* const library = static_cast<const Symbols*>(beside_libcairn("symbols", "cairn_symbols"));
  return library;
}

}  // namespace cairn::cli
