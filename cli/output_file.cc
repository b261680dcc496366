// SPDX-License-Identifier: BSD-3-Clause
// output_file.cc - files of the user's choice.

#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/message.hpp"

namespace cairn::cli {

void write_output(const std::string& path, const std::string& text, const std::string& asked_by) {
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  std::FILE* out = std::fopen(path.c_str(), "wb");
  bool written = out != nullptr && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (out != nullptr) written = std::fclose(out) == 0 && written;
  if (!written)
    throw Problem("'" + path + "' cannot be written: " + std::strerror(errno), "a folder in which you may create files",
                  asked_by);
}

}  // namespace cairn::cli
