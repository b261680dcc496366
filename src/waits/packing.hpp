// SPDX-License-Identifier: BSD-3-Clause
// packing.hpp - the records of a process as few bytes, for the way to rank 0 and for the file waits.graph (docs/waits.md)
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

std::string packed(const RankRecords& records);
/// Throws trace::Damaged.
RankRecords unpacked(std::string_view bytes);

/// The file waits.graph: a head with the identity of the run, then for each section of each rank its length and its bytes.
std::string graph_head(std::string_view run);
std::string graph_of(const std::vector<std::string>& packed);

/// Such a file, to be read.
class GraphReader {
 public:
  /// Throws Problem if it is none.
  explicit GraphReader(const std::string& path);
  const std::string& run() const { return run_; }
  /// visit(records): of one section after the other, those of all ranks, as far as they are whole. Returns "" or what
  /// stopped the reading.
  std::string read(const std::function<void(std::vector<RankRecords>)>& visit) const;

 private:
  std::string bytes_;
  std::string run_;
  std::size_t sections_at_ = 0;
};

}  // namespace cairn::waits
