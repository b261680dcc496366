// SPDX-License-Identifier: BSD-3-Clause
// add_mpi.cc - `cairn add-mpi`: compiles engine, tools and services for one more MPI, into this installation.
//
// What is compiled stands in share/cairn/engine, with a CMake project; what needs no MPI stands beside it, compiled. Until
// the very end, nothing but a folder for what is new is in the installation.

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/add_mpi/moves.hpp"
#include "cli/command.hpp"
#include "cli/output_file.hpp"
#include "cli/program.hpp"
#include "cli/scratch.hpp"
#include "cli/trial.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

using Words = std::vector<std::string>;

struct AddMpiOptions {
  std::string wrapper;
  bool replace = false;
};

AddMpiOptions add_mpi_options;

/// Runs a command without tools, in English, and so that it writes nowhere but where it is told.
Trial result_of(const Words& command) {
  constexpr double a_day = 86400;
  Trial trial =
      run_trial(command, {{"LD_PRELOAD", ""}, {"LC_ALL", "C"}, {"DESTDIR", ""}, {"CMAKE_INSTALL_MODE", ""}}, a_day);
  if (trial.interrupted) throw Problem("interrupted: nothing was added");
  return trial;
}

/// The line to show of a compiler's words: the first that names an error, or what CMake says of it; else the last.
std::string telling_line(const std::string& text) {
  std::string last = "it says nothing";
  bool is_cmakes = false;
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty()) continue;
    last = harmless(trimmed(line));
    if (line.find("rror") != std::string_view::npos && !line.starts_with("CMake Error at ")) return last;
    if (is_cmakes) return last;
    is_cmakes = line.starts_with("CMake Error at ");
  }
  return last;
}

bool is_there(const std::string& program) {
  int code = 0;
  try {
    return !find_program(program, code).empty();
  } catch (const Problem&) {
    return false;
  }
}

/// Which of these programs there is; the first that is.
std::string one_of(const Words& programs, const std::string& what, const std::string& remedy) {
  for (const std::string& program : programs)
    if (!program.empty() && is_there(program)) return program;
  throw Problem(fmt::format("an engine cannot be compiled: there is no {}", what), remedy);
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string engine_sources() {
  const std::string folder = installation().prefix + "/share/cairn/engine";
  if (!std::filesystem::exists(folder + "/CMakeLists.txt"))
    throw Problem(
        fmt::format("this installation does not carry what an engine is compiled of: '{}' is missing", folder),
        "the package cairn-add-mpi, or 'cmake --install build' from Cairn's sources");
  return folder;
}

struct Target {
  LinkedMpi mpi;
  std::string includes;  // folder of mpi.h
};

/// The folder of mpi.h, from the list of files that the compiler makes for `make`.
std::string folder_of_header(const std::string& wrapper, const std::string& source) {
  const Trial trial = result_of({wrapper, "-M", source});
  std::string list = trial.output;
  std::ranges::replace(list, '\n', ' ');
  for (const std::string_view word : split(list, ' '))
    if (trial.status == 0 && word.ends_with("/mpi.h")) {
      std::error_code error;
      if (const auto folder = std::filesystem::canonical(folder_of(word), error); !error) return folder.string();
    }
  throw Problem(fmt::format("'{} -M' does not tell where mpi.h is: {}", wrapper, telling_line(trial.output)),
                "the wrapper of a compiler that has the option -M, as GCC, Clang and Intel's do");
}

/// Compiles a program with the wrapper and looks at it.
Target look_at(const std::string& wrapper, const Scratch& scratch) {
  const std::string source = scratch.file("probe.c");
  const std::string program = scratch.file("probe");
  write_output(source, "#include <mpi.h>\nint main(int argc, char** argv) { return MPI_Init(&argc, &argv); }\n",
               "TMPDIR");
  const Trial trial = result_of({wrapper, source, "-o", program});
  if (trial.status != 0)
    throw Problem(fmt::format("'{}' cannot compile a program that calls MPI: {}", wrapper, telling_line(trial.output)),
                  "the compiler wrapper of an MPI for C, which is often called mpicc");
  const std::optional<LinkedMpi> mpi = linked_mpi(program);
  if (!mpi)
    throw Problem(fmt::format("what '{}' compiles is not linked with an MPI as a shared library", wrapper),
                  "the compiler wrapper of an MPI for C, with its library in LD_LIBRARY_PATH");
  if (!is_known(*mpi->family))
    throw Problem(
        fmt::format("there is no engine for {} ('{}'), only for Open MPI (libmpi.so.40), MPICH and what is compatible "
                    "with it (libmpich.so.12, libmpi.so.12), and the standard ABI (libmpi_abi.so.1, libmpi_abi.so.0)",
                    mpi->family->name, mpi->library),
        "'cairn run' without adding it: PMPI tools need no engine");
  return {*mpi, folder_of_header(wrapper, source)};
}

std::string engine_of(const std::string& bundled, const MpiFamily& family) {
  return fmt::format("{}/engine-{}.so", bundled, family.id);
}

void check_place(const std::string& bundled, const MpiFamily& family) {
  const std::string engine = engine_of(bundled, family);
  if (!add_mpi_options.replace && std::filesystem::exists(engine))
    throw Problem(fmt::format("there is an engine for {} already: '{}'", family.name, engine),
                  "nothing, where its programs run under tools; --replace, where they use another version of it");
  if (access(bundled.c_str(), W_OK) != 0)
    throw Problem(fmt::format("'{}' cannot be written: {}", bundled, std::strerror(errno)),
                  "as the user who has installed Cairn");
}

/// The commands that compile, one after the other.
std::vector<Words> compiling(const Target& target, const std::string& build, const std::string& sources) {
  const std::string cmake = one_of({"cmake"}, "'cmake' in PATH", "installing CMake 3.25 or later");
  one_of({from_environment("CXX"), "c++", "g++", "clang++"}, "C++ compiler in PATH",
         "installing GCC 12 or later, or its name in CXX");
  const bool ninja = one_of({"ninja", "make"}, "'ninja' or 'make' in PATH", "installing one of the two") == "ninja";
  const std::string id(target.mpi.family->id);
  const std::string prefix = installation().prefix;
  return {{cmake, "-S", sources, "-B", build, "-G", ninja ? "Ninja" : "Unix Makefiles", "-DCMAKE_BUILD_TYPE=Release",
           "-DCMAKE_C_FLAGS_RELEASE=-O2 -DNDEBUG", "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG",
           "-DCMAKE_INSTALL_LIBDIR:STRING=" CAIRN_LIBDIR, "-DCAIRN_ADDED_MPI=" + id,
           fmt::format("-DCAIRN_{}_LIBRARY={}", id, target.mpi.library), "-DCAIRN_ADDED_INCLUDES=" + target.includes,
           "-DCAIRN_ENGINE_LIBRARIES=" + prefix + "/" CAIRN_LIBDIR "/cairn/engine"},
          {cmake, "--build", build, "-j", std::to_string(std::max(1U, std::thread::hardware_concurrency()))}};
}

constexpr const char* try_larger_tmpdir = "TMPDIR on a disk with 50 MB left";
constexpr const char* try_larger_disk = "space on the disk that Cairn is installed on";

/// Adds one engine to the files of the installation in `bundled`.
class Addition {
 public:
  Addition(const Target& target, Scratch& scratch, std::string bundled)
      : family_(*target.mpi.family), scratch_(scratch), bundled_(std::move(bundled)) {}

  void compile(const std::vector<Words>& commands) const {
    for (const Words& command : commands) follow(command, try_larger_tmpdir);
  }

  /// Beside the files of the installation first, so that a full disk leaves these as they are. Folders are as open as
  /// the one they are in.
  void install(const std::string& cmake) const {
    struct stat facts {};
    if (stat(bundled_.c_str(), &facts) == 0) umask(~facts.st_mode & 0777U);
    const Scratch fresh(bundled_, ".adding", try_larger_disk);
    follow({cmake, "--install", scratch_.file("build"), "--strip", "--prefix", fresh.file("new"), "--component",
            std::string(family_.id)},
           try_larger_disk);
    try {
      put_in_place(fresh.file("new/" CAIRN_LIBDIR "/cairn"), bundled_, fresh.file("old"),
                   std::string(file_of(engine_of(bundled_, family_))));
    } catch (const std::filesystem::filesystem_error& error) {
      const std::string place = (error.path2().empty() ? error.path1() : error.path2()).string();
      const bool is_full = error.code().value() == ENOSPC || error.code().value() == EDQUOT;
      give_up(fmt::format("'{}': {}", place, error.code().message()),
              is_full ? try_larger_disk : "removing what is in its way, or as the user who has installed Cairn");
    }
  }

 private:
  void follow(const Words& command, const std::string& remedy_for_full_disk) const {
    const Trial trial = result_of(command);
    std::ofstream(scratch_.file("log"), std::ios::app) << trial.output;
    for (const char* full : {"No space left on device", "Disk quota exceeded"})
      if (trial.status != 0 && trial.output.find(full) != std::string::npos) give_up(full, remedy_for_full_disk);
    if (trial.status != 0) give_up(telling_line(trial.output));
  }

  [[noreturn]] void give_up(const std::string& why, const std::string& remedy = {}) const {
    scratch_.keep = remedy.empty();
    throw Problem(fmt::format("the engine for {} could not be compiled or installed: {}", family_.name, why),
                  remedy.empty() ? fmt::format("what '{}' tells", scratch_.file("log")) : remedy);
  }

  const MpiFamily& family_;
  Scratch& scratch_;
  std::string bundled_;
};

int add_mpi(const std::vector<std::string>& /*program*/) {
  int code = 0;
  const std::string wrapper = find_program(add_mpi_options.wrapper, code);
  const std::string sources = engine_sources();
  const std::string bundled = bundled_tools_folder(libcairn());
  const Interruptible interruptible;
  Scratch scratch("cairn-add-mpi");
  const Target target = look_at(wrapper, scratch);
  check_place(bundled, *target.mpi.family);
  const std::vector<Words> commands = compiling(target, scratch.file("build"), sources);
  const std::string name = describe_library(target.mpi);
  fmt::print("compiling for {}, which takes some minutes\n", name);
  std::fflush(stdout);
  const Addition addition(target, scratch, bundled);
  addition.compile(commands);
  addition.install(commands.front().front());
  fmt::print("programs that use {} can run under all tools: '{}'\n", name, engine_of(bundled, *target.mpi.family));
  return 0;
}

}  // namespace

Command add_mpi_command() {
  return {
      .name = "add-mpi",
      .synopsis = "[--replace] MPICC",
      .summary = "Add engine and tools for another MPI to this installation",
      .more =
          {{"EXAMPLES", "  cairn add-mpi /opt/openmpi/bin/mpicc"},
           {"WHAT IT NEEDS",
            "  A C++ compiler, CMake 3.25, ninja or make, and the right to write where Cairn is installed. Cairn's\n"
            "  sources are not needed: what has to be compiled is in share/cairn/engine (package cairn-add-mpi).\n"
            "  An installation has one engine each for Open MPI, for MPICH and what is compatible with it, and for "
            "all\n"
            "  that have the standard ABI (MPICC: mpicc_abi)."},
           {"EXIT STATUS", "  0: added; 125: not."}},
      .add_options =
          [](OptionAdder& add) {
            add.option("mpicc", add_mpi_options.wrapper, "The MPI's compiler wrapper for C")
                .type_name("MPICC")
                .required();
            add.flag("--replace", add_mpi_options.replace,
                     "Compile anew where there is an engine for such an MPI already");
          },
      .action = add_mpi,
  };
}

}  // namespace cairn::cli
