// SPDX-License-Identifier: BSD-3-Clause
// reading_apart.hpp - asking for values in child processes, so that a crash costs one value
#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vars {

inline constexpr unsigned patience_s = 20;  // for one value

/// What a child is to do first: crash as a plain program does, and not hang.
inline void be_mortal() {
  for (const int signal_number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGTERM})
    signal(signal_number, SIG_DFL);
}

/// Writes a line for each of `from`, `from` + 1, … and ends the process.
template <class Read>
[[noreturn]] void read_as_child(int out, std::size_t from, std::size_t count, Read read) {
  be_mortal();
  for (std::size_t i = from; i < count; ++i) {
    alarm(patience_s);
    const nlohmann::ordered_json found = read(i);
    const std::string line = found.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
    if (write(out, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(1);
  }
  _exit(0);
}

inline std::string all_of(int in) {
  std::string text;
  char buffer[65536];
  for (ssize_t got = 0; (got = read(in, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

inline std::string how_ended(int status) {
  if (!WIFSIGNALED(status)) return "it cannot be read: the process ends";
  if (WTERMSIG(status) == SIGALRM) return "it cannot be read: the library does not come back";
  return "reading it crashes (SIG" + std::string(sigabbrev_np(WTERMSIG(status))) + ")";
}

/// read(i), an object, of each i below `count`; where that crashes or hangs, an object with "defect".
template <class Read>
std::vector<nlohmann::ordered_json> read_apart(std::size_t count, Read read_one) {
  std::vector<nlohmann::ordered_json> values;
  while (values.size() < count) {
    int ends[2];
    if (pipe(ends) != 0) break;
    const pid_t child = fork();
    if (child == 0) read_as_child(ends[1], values.size(), count, read_one);
    close(ends[1]);
    const std::string text = child > 0 ? all_of(ends[0]) : "";
    close(ends[0]);
    int status = 0;
    if (child <= 0 || waitpid(child, &status, 0) != child) break;
    for (std::size_t at = 0, end = 0; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
      values.push_back(nlohmann::ordered_json::parse(text.substr(at, end - at)));
    if (values.size() < count) values.push_back({{"defect", how_ended(status)}});
  }
  values.resize(count, nlohmann::ordered_json::object());
  return values;
}

}  // namespace vars
