// SPDX-License-Identifier: BSD-3-Clause
// scratch.hpp - folders for a while
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/message.hpp"

namespace cairn {

/// Removed with all that is in it at the end, unless it is to be kept. Throws Problem if there can be none.
class Scratch {
 public:
  Scratch(const std::string& folder, const std::string& name, const std::string& remedy)
      : path_(folder + "/" + name + ".XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr)
      throw Problem(fmt::format("no folder can be created in '{}': {}", folder, std::strerror(errno)), remedy);
  }
  /// In the system's folder for such, or the user's (TMPDIR).
  explicit Scratch(const std::string& name) : Scratch(temporary(), name, "another TMPDIR") {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code none;
    if (!keep) std::filesystem::remove_all(path_, none);
  }

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  bool keep = false;

 private:
  static std::string temporary() {
    const char* const wanted = std::getenv("TMPDIR");
    return wanted == nullptr || *wanted == '\0' ? "/tmp" : wanted;
  }

  std::string path_;
};

}  // namespace cairn
