// SPDX-License-Identifier: BSD-3-Clause
// common.hpp - what the traces of a run have in common, stored once beside them by `cairn trace --pack`
//
// Ranks of a program do much the same. The file `common` in the traces' folder holds content of some of their blocks, one
// after the other, and the blocks of all are compressed as if that came before them (a dictionary of zstd's).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cairn::trace {

class Common {
 public:
  /// `bytes`: of its file, where there is one.
  explicit Common(std::string content, std::uint64_t bytes = 0);

  /// That beside the trace in this file. `identity`: that with which the trace was packed; none: it is damaged. `known`:
  /// what was read for a trace beside it, or null. Throws Problem: it is not there, or another one.
  static std::shared_ptr<const Common> of(const std::string& trace, std::optional<std::uint64_t> identity,
                                          std::shared_ptr<const Common> known);

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

inline constexpr const char* common_name = "common";
inline constexpr std::size_t most_common = 1U << 18U;  // bytes; more takes longer than it brings

/// What its file holds.
std::string file_of(const Common& common);

/// The content of a block that says with what those after it are packed, and back; none: it is damaged.
std::string content_of_use(const Common& common);
std::optional<std::uint64_t> identity_in(std::string_view content);

}  // namespace cairn::trace
