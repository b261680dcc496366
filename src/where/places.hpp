// SPDX-License-Identifier: BSD-3-Clause
// places.hpp - addresses of a process as places in its source
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cairn/services/symbols.hpp"
#include "formats/text.hpp"
#include "where/page_reader.hpp"

namespace cairn::where {

class Places {
 public:
  /// `symbols`: null if names cannot be looked up.
  explicit Places(const Symbols* symbols) : symbols_(symbols) {}

  /// Of a return address; everything in it is empty where nothing is known.
  const formats::SourcePosition& of(const std::vector<Mapped>& mapped, std::uint64_t site);
  const formats::SourcePosition& of(const Process& process, std::uint64_t site) { return of(process.mapped, site); }
  /// "halo.c:88 exchange"; "" if unknown.
  std::string text(const Process& process, std::uint64_t site) { return formats::place_text(of(process, site)); }
  /// The calls that led to the one that the thread is in, from its caller up to main; none if they cannot be found:
  /// the process is on another node, or must not be read.
  std::vector<std::string> callers(const Process& process, const Thread& thread);

 private:
  struct File {
    std::string stamp;
    std::string build_id;
  };
  /// A file, as the process had it: its path and build id, and where that is unknown, what tells it from a later file.
  using Build = std::pair<std::string, std::string>;

  bool has_changed(const Mapped& object);

  const Symbols* symbols_;
  std::map<std::string, File> files_;                                         // by path
  std::map<std::pair<Build, std::uint64_t>, formats::SourcePosition> known_;  // by build and offset
};

}  // namespace cairn::where
