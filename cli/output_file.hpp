// SPDX-License-Identifier: BSD-3-Clause
// output_file.hpp - writing what an option asked for
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace cairn::cli {

/// A file that is written piece by piece. "-" is standard output. Throws Problem, with who asked, if it cannot be written.
class OutputFile {
 public:
  OutputFile(std::string path, std::string asked_by);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void add(std::string_view text);
  /// All is written.
  void close();

 private:
  void check(bool is_written) const;

  std::string path_;
  std::string asked_by_;
  std::FILE* file_;
};

/// "-" is standard output. Throws Problem, with who asked, if the file cannot be written.
void write_output(const std::string& path, const std::string& text, const std::string& asked_by);

/// Before the work whose results the file is for: throws Problem, with who asked, if it could not be written now. Leaves
/// no trace. "" is no file.
void check_output(const std::string& path, const std::string& asked_by);

/// Throws Problem, with who asked, unless nothing is there, or an empty folder.
void check_new_folder(const std::string& path, const std::string& asked_by);

}  // namespace cairn::cli
