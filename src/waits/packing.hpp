// SPDX-License-Identifier: BSD-3-Clause
// packing.hpp - the records of a process as few bytes, for the way to rank 0 and for the file waits.graph (docs/waits.md)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "waits/records.hpp"

namespace cairn::waits {

std::string packed(const RankRecords& records);
/// Throws trace::Damaged.
RankRecords unpacked(std::string_view bytes);

/// A file of any number of ranks: head, then for each its length and its bytes.
std::string graph_file(const std::vector<std::string>& packed);
/// What is whole. `damage`: "" or what stopped the reading. Throws Problem if it is no such file.
std::vector<RankRecords> read_graph(const std::string& path, std::string& damage);

}  // namespace cairn::waits
