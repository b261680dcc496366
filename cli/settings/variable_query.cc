// SPDX-License-Identifier: BSD-3-Clause
// variable_query.cc - finds the program that asks the MPI library, starts it, and reads its answer

#include "cli/settings/variable_query.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/message.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/program.hpp"
#include "request/tool_file.hpp"

namespace cairn::cli {

namespace {

/// The program vars-lists that is linked with that MPI.
std::string vars_lists(std::string_view mpi) {
  return bundled_tools_folder(libcairn()) + "/" + std::string(mpi) + "/vars-lists";
}

bool has_vars_lists(std::string_view mpi) { return access(vars_lists(mpi).c_str(), X_OK) == 0; }

std::vector<std::string> vars_lists_command(const VariableQuestion& question) {
  std::vector<std::string> words;
  if (!question.tools.empty()) words = {installation().command, "run", "--alone", "--tools", question.tools, "--"};
  words.push_back(vars_lists(question.mpi));
  return words;
}

/// In the child: the list goes to `out`, what libraries say to standard error or, if not wanted, nowhere.
void become_vars_lists(const VariableQuestion& question, int out) {
  std::vector<std::string> words = vars_lists_command(question);
  words.push_back(std::to_string(dup(out)));
  if (question.before_init) words.emplace_back("before");
  for (const auto& [name, value] : question.environment) setenv(name.c_str(), value.c_str(), 1);
  if (question.quiet) {
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    unsetenv("CAIRN_STRICT");  // of a tool that cannot be loaded, the run itself tells
  }
  dup2(STDERR_FILENO, STDOUT_FILENO);
  execv(words.front().c_str(), exec_arguments(words).data());
  _exit(exit_cannot_run);
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

std::string mpi_of_program(const std::string& name) {
  int code = 0;
  const std::string path = find_program(name, code);
  if (const auto mpi = linked_mpi(path)) return std::string(mpi->family->id);
  throw Problem("'" + path + "' is not linked with an MPI library",
                "saying which: --mpi openmpi, --mpi mpich or --mpi abi");
}

std::string mpi_of_launcher() {
  if (std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return "openmpi";
  return std::getenv("MPI_LOCALNRANKS") != nullptr ? "mpich" : "";
}

std::string only_mpi() {
  std::vector<std::string> found;
  for (const MpiFamily& family : mpi_families())
    if (has_vars_lists(family.id)) found.emplace_back(family.id);
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw Problem("no MPI library can be queried: none was installed when Cairn was built", "building Cairn again");
  throw Problem("more than one MPI library could be queried: " + join(found, " and "), "--mpi " + found.front());
}

Json ask_variables(const VariableQuestion& question) {
  if (!has_vars_lists(question.mpi))
    throw Problem("no MPI library '" + question.mpi + "' can be queried: '" + vars_lists(question.mpi) + "' is missing",
                  "--mpi openmpi, --mpi mpich or --mpi abi");
  int status = 0;
  const std::string text = from_child([&](int out) { become_vars_lists(question, out); }, &status);
  if (text.empty() || status != 0)
    throw Problem("the MPI library could not be queried: the program that queries it " + how_it_ended(status),
                  "mpirun -n 1 cairn vars");
  Json list = parse_variable_list(text, "what '" + vars_lists(question.mpi) + "' wrote");
  if (!question.tools.empty()) list["tools"] = question.tools;
  return list;
}

}  // namespace cairn::cli
