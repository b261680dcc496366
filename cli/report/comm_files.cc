// SPDX-License-Identifier: BSD-3-Clause
// comm_files.cc - reads the files beside comm.json

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>
#include <vector>

#include "cli/report/comm_data.hpp"

namespace cairn::report::comm {

namespace {

/// inner.RANK.prof of all ranks.
std::vector<Flow> inner_of(const std::string& folder) {
  std::vector<Flow> flows;
  std::error_code error;
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (const std::string name = entry.path().filename().string();
        name.starts_with("inner.") && name.ends_with(".prof"))
      found.push_back(entry.path());
  for (const std::filesystem::path& path : found) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      int from = 0;
      int to = 0;
      formats::comm::Volume volume;
      if (std::sscanf(line.c_str(), "I %d %d %" SCNu64 " bytes %" SCNu64 " msgs", &from, &to, &volume.bytes,
                      &volume.messages) == 4)
        flows.push_back({volume, from, to, {}});
    }
  }
  std::ranges::sort(flows, {}, [](const Flow& flow) { return std::pair(flow.from, flow.to); });
  return flows;
}

/// Values of a Matrix Market file by pair of ranks.
std::map<std::pair<int, int>, std::uint64_t> matrix_of(const std::string& path) {
  std::map<std::pair<int, int>, std::uint64_t> values;
  std::ifstream in(path);
  bool sizes_passed = false;
  for (std::string line; std::getline(in, line);) {
    int row = 0;
    int column = 0;
    std::uint64_t value = 0;
    if (line.starts_with('%') || std::sscanf(line.c_str(), "%d %d %" SCNu64, &row, &column, &value) != 3) continue;
    if (std::exchange(sizes_passed, true)) values[{row - 1, column - 1}] = value;
  }
  return values;
}

std::vector<Flow> modelled_of(const std::string& folder) {
  std::vector<Flow> flows;
  std::map<std::pair<int, int>, std::uint64_t> bytes = matrix_of(folder + "/coll_modelled.bytes.mtx");
  for (const auto& [pair, messages] : matrix_of(folder + "/coll_modelled.messages.mtx"))
    flows.push_back({{messages, bytes[pair]}, pair.first, pair.second, {}});
  return flows;
}

}  // namespace

Beside::Beside(const std::string& folder)
    : run(formats::run::of_folder(std::filesystem::path(folder).parent_path().string())),
      inner(inner_of(folder)),
      modelled(modelled_of(folder)) {}

}  // namespace cairn::report::comm
