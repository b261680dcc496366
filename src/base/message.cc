// SPDX-License-Identifier: BSD-3-Clause
// message.cc - the one form in which Cairn speaks to its users.

#include "base/message.hpp"

#include <unistd.h>

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

void tell(Severity severity, const std::string& text, const std::string& asked_by, const std::string& remedy) {
  const std::string message = format_message(severity, text, asked_by, remedy);
  for (std::string_view rest = message; !rest.empty();) {
    const ssize_t written = write(STDERR_FILENO, rest.data(), rest.size());
    if (written <= 0) return;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace cairn
