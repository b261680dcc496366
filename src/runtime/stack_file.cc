// SPDX-License-Identifier: BSD-3-Clause
// stack_file.cc - asking the command for the layers in a stack file

#include "runtime/stack_file.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/message.hpp"
#include "base/tool_settings.hpp"

namespace cairn {

namespace {

/// It is no MPI program and has no tools.
std::vector<char*> environment_of_command() {
  std::vector<char*> words;
  for (char** word = environ; *word != nullptr; ++word)
    if (!std::string_view(*word).starts_with("LD_PRELOAD=")) words.push_back(*word);
  words.push_back(nullptr);
  return words;
}

std::string read_all(int file) {
  std::string text;
  char buffer[1024];
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

/// What the command prints, without the end of the line; "" if it fails, of which it has told.
std::string output_of(std::vector<std::string> words) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words.front().c_str(), &actions, nullptr, arguments.data(), environment_of_command().data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text = error == 0 ? read_all(ends[0]) : "";
  close(ends[0]);
  int status = error;
  if (error == 0) waitpid(child, &status, 0);
  if (status != 0) return {};
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<LayerRequest> layers_of_stack_file(const std::string& command, std::string& source) {
  const char* const file = std::getenv(stack_setting);
  if (file == nullptr || *file == '\0') return {};
  source = std::string(stack_setting) + "=" + file;
  return parse_tools(output_of({command, "tools", "--stack", file}));
}

}  // namespace cairn
