// SPDX-License-Identifier: BSD-3-Clause
// output_file.cc - files of the user's choice.

#include "cli/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/message.hpp"
#include "base/writing.hpp"

namespace cairn::cli {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse_file(const std::string& path, int error, const std::string& asked_by) {
  throw Problem("'" + path + "' cannot be written: " + std::strerror(error), remedy_for_file(error), asked_by);
}

/// The system's reason; 0: it can. A pipe that nobody reads yet can be written later.
int why_file_not_writable(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (file >= 0) return close(file), 0;
  if (errno == ENXIO) return 0;
  if (errno != ENOENT) return errno;
  const std::string folder = fs::path(path).parent_path().string();
  return access(folder.empty() ? "." : folder.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

}  // namespace

OutputFile::OutputFile(std::string path, std::string asked_by)
    : path_(std::move(path)),
      asked_by_(std::move(asked_by)),
      file_(path_ == "-" ? stdout : std::fopen(path_.c_str(), "wb")) {
  check(file_ != nullptr);
}
OutputFile::~OutputFile() {
  if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

/// What is wrong with standard output, main tells.
void OutputFile::check(bool is_written) const {
  if (is_written) return;
  if (path_ == "-") throw std::system_error(errno, std::generic_category());
  refuse_file(path_, errno, asked_by_);
}

void OutputFile::add(std::string_view text) { check(std::fwrite(text.data(), 1, text.size(), file_) == text.size()); }

void OutputFile::close() {
  std::FILE* const file = std::exchange(file_, nullptr);
  check((file == stdout ? std::fflush(file) : std::fclose(file)) == 0);
}

void write_output(const std::string& path, const std::string& text, const std::string& asked_by) {
  OutputFile file(path, asked_by);
  file.add(text);
  file.close();
}

void check_output(const std::string& path, const std::string& asked_by) {
  if (path.empty() || path == "-") return;
  if (const int error = why_file_not_writable(path)) refuse_file(path, error, asked_by);
}

void check_new_folder(const std::string& path, const std::string& asked_by) {
  std::error_code error;
  if (fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error)))
    throw Problem("'" + path + "' already exists", "another folder", asked_by);
}

}  // namespace cairn::cli
