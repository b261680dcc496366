// SPDX-License-Identifier: BSD-3-Clause
// common.hpp - what the traces of a run have in common, stored once beside them by `cairn trace --pack`
//
// Ranks of a program do much the same. The file `common` in the traces' folder holds content of some of their blocks, one
// after the other, and the blocks of all are compressed as if that came before them (a dictionary of zstd's).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cairn::trace {

class Common {
 public:
  /// `bytes`: of its file, where there is one.
  explicit Common(std::string content, std::uint64_t bytes = 0);

  /// That which the trace in this file was compressed with; shared by all traces of a folder. Throws Problem: it is not
  /// there, or another one.
  static std::shared_ptr<const Common> of(const std::string& trace, std::uint64_t identity);

  /// The name of the file, in the folder of this trace.
  static std::string path_beside(const std::string& trace);

  const std::string& content() const { return content_; }
  /// Of its content.
  std::uint64_t identity() const { return identity_; }
  /// Of the file.
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string content_;
  std::uint64_t identity_;
  std::uint64_t bytes_;
};

/// Throws Problem, as for a trace.
Common read_common(const std::string& path);
/// What its file holds.
std::string file_of(const Common& common);

}  // namespace cairn::trace
