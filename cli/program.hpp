// SPDX-License-Identifier: BSD-3-Clause
// program.hpp - the program to be run: where it is and what it is linked with; and where Cairn's own files are.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cairn/services/symbols.hpp"
#include "request/mpi_family.hpp"

namespace cairn::cli {

/// The file that a shell would run. Throws Problem when there is none; `code` is then 127, or 126 if it may not be run.
std::string find_program(const std::string& name, int& code);

enum class ProgramKind { dynamic, statically_linked, script, unknown };

ProgramKind kind_of_program(const std::string& path);

/// "setuid", "setgid" or "given capabilities" for a program into which the system preloads nothing when this user runs
/// it; else empty.
std::string special_rights(const std::string& path);

/// Whether the program tells the address sanitizer's runtime its options itself.
bool has_sanitizer_options(const std::string& path);

struct LinkedMpi {
  const MpiFamily* family;
  std::string library;  // path
};

/// The MPI library that the dynamic loader would load with the program, found by asking the loader; none when the
/// program is not linked with one. The program does not run.
std::optional<LinkedMpi> linked_mpi(const std::string& path);

/// "Open MPI 4.1.4": the library is opened in another process and asked.
std::string describe_library(const LinkedMpi& mpi);

/// Everything that `write_to` puts into its descriptor, run in a child process; `status` as waitpid has it.
std::string from_child(const std::function<void(int out)>& write_to, int* status = nullptr);

/// The words as execv takes them, with a null pointer at the end; good as long as the words stay unchanged.
std::vector<char*> exec_arguments(std::vector<std::string>& words);

/// Where this Cairn is. Its programs may be moved together.
struct Installation {
  std::string prefix;
  std::string command;  // the program `cairn`
  std::string modules;  // the folder of tools and engines
};
Installation installation();

/// The installed libcairn.so. Throws Problem if it is not where it should be.
std::string libcairn();

/// What libcairn-NAME.so, in the folder beside it, shows by the name `symbol`. Null if it cannot be opened: dlerror says
/// why.
const void* beside_libcairn(const std::string& name, const char* symbol);

/// Of libcairn-symbols.so. Null if it cannot be opened: places are addresses then.
const Symbols* symbols();

}  // namespace cairn::cli
