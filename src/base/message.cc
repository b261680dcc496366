// SPDX-License-Identifier: BSD-3-Clause
// message.cc - the one form in which Cairn speaks to its users.

#include "base/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace cairn {

std::string format_message(Severity severity, const std::string& text, const std::string& asked_by,
                           const std::string& remedy) {
  constexpr std::string_view names[] = {"error", "warning", "note"};
  std::string out = "cairn: ";
  out.append(names[static_cast<int>(severity)]).append(": ").append(text).append("\n");
  if (!asked_by.empty()) out.append("cairn:   asked for by: ").append(asked_by).append("\n");
  if (!remedy.empty()) out.append("cairn:   try: ").append(remedy).append("\n");
  return out;
}

namespace {
StandardError original_error;
bool is_silent = false;

bool is_heard() { return !is_silent && original_error.is_still_there(); }
}  // namespace

void set_standard_error(const StandardError& original) { original_error = original; }

void be_silent() { is_silent = true; }

void show(const std::string& text) {
  if (is_heard()) write_quietly(STDERR_FILENO, text.data(), text.size());
}

void tell(Severity severity, const std::string& text, const std::string& asked_by, const std::string& remedy) {
  show(format_message(severity, text, asked_by, remedy));
}

void warn_without_memory(const char* tool, const char* text) {
  char line[1024];
  const int length = std::snprintf(line, sizeof line, "cairn: warning: tool '%s': %s\n", tool, text);
  if (length > 0 && is_heard())
    write_quietly(STDERR_FILENO, line, std::min<std::size_t>(static_cast<std::size_t>(length), sizeof line - 1));
}

}  // namespace cairn
