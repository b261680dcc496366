// SPDX-License-Identifier: BSD-3-Clause
// comm_files.cc - merges the snapshots of single ranks, and reads the files beside comm.json

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <utility>

#include "cli/report/comm_data.hpp"
#include "cli/report/entries.hpp"

namespace cairn::report::comm {

namespace {

void append(Json& into, const Json& from, const char* key) {
  for (const Json& item : at(from, key)) into[key].push_back(item);
}

/// Each snapshot knows the node of its own rank.
void merge_nodes(Json& into, const Json& other) {
  Json& all = into["nodes"];
  for (const Json& node : at(other, "nodes")) {
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Json& one) { return text_at(one, "name") == text_at(node, "name"); });
    if (same == all.end()) all.push_back(node);
    else (*same)["ranks"] = text_at(*same, "ranks") + "," + text_at(node, "ranks");
  }
}

std::string identity(const Json& one) {
  return text_at(one, "members") + ' ' + text_at(one, "remote") + ' ' + text_at(one, "name");
}

/// Where each communicator of `other` is in `into`.
std::vector<std::size_t> merge_communicators(Json& into, const Json& other) {
  std::map<std::string, std::size_t> known;
  Json& all = into["communicators"];
  for (std::size_t i = 0; i < all.size(); ++i) known.emplace(identity(all[i]), i);
  std::vector<std::size_t> places;
  for (const Json& one : at(other, "communicators")) {
    const auto [found, is_new] = known.try_emplace(identity(one), all.size());
    if (is_new) all.push_back(one);
    places.push_back(found->second);
  }
  return places;
}

/// Snapshots with the same number are one moment.
void merge_moments(Json& into, const Json& other) {
  Json& all = into["moments"];
  for (const Json& row : at(other, "moments")) {
    const auto same = std::find_if(all.begin(), all.end(), [&](const Json& one) { return one.at(0) == row.at(0); });
    if (same == all.end()) {
      all.push_back(row);
      continue;
    }
    same->at(1) = std::max(same->at(1).get<double>(), row.at(1).get<double>());
    for (std::size_t i = 2; i < row.size(); ++i) same->at(i) = same->at(i).get<double>() + row.at(i).get<double>();
  }
  std::sort(all.begin(), all.end(), [](const Json& a, const Json& b) { return a.at(0) < b.at(0); });
}

}  // namespace

void merge(Json& into, const Json& other) {
  merge_nodes(into, other);
  merge_moments(into, other);
  const std::vector<std::size_t> places = merge_communicators(into, other);
  for (Json phase : at(other, "phases")) {
    for (const char* const key : {"coll_shared", "collectives"})
      if (phase.contains(key))
        for (Json& row : phase[key]) row.at(0) = places.at(row.at(0).get<std::size_t>());
    Json& all = into["phases"];
    const auto same = std::find_if(all.begin(), all.end(),
                                   [&](const Json& one) { return text_at(one, "name") == text_at(phase, "name"); });
    if (same == all.end()) {
      all.push_back(std::move(phase));
      continue;
    }
    for (const char* const key : {"p2p", "osc_put", "osc_get", "coll", "coll_shared", "collectives", "files"})
      append(*same, phase, key);
  }
}

// ------------------------------------------------------------ further files

namespace {

/// inner.RANK.prof of all ranks.
void add_inner(const std::string& folder, Json& file) {
  std::error_code error;
  std::set<std::filesystem::path> found;  // sorted
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (const std::string name = entry.path().filename().string();
        name.starts_with("inner.") && name.ends_with(".prof"))
      found.insert(entry.path());
  for (const std::filesystem::path& path : found) {
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
      int from = 0;
      int to = 0;
      double bytes = 0;
      double messages = 0;
      if (std::sscanf(line.c_str(), "I %d %d %lf bytes %lf msgs", &from, &to, &bytes, &messages) == 4)
        file["inner"].push_back({from, to, messages, bytes});
    }
  }
}

/// Values of a Matrix Market file by pair of ranks.
std::map<std::pair<int, int>, double> matrix_of(const std::string& path) {
  std::map<std::pair<int, int>, double> values;
  std::ifstream in(path);
  bool sizes_passed = false;
  for (std::string line; std::getline(in, line);) {
    int row = 0;
    int column = 0;
    double value = 0;
    if (line.starts_with('%') || std::sscanf(line.c_str(), "%d %d %lf", &row, &column, &value) != 3) continue;
    if (std::exchange(sizes_passed, true)) values[{row - 1, column - 1}] = value;
  }
  return values;
}

void add_modelled(const std::string& folder, Json& file) {
  std::map<std::pair<int, int>, double> bytes = matrix_of(folder + "/coll_modelled.bytes.mtx");
  for (const auto& [pair, messages] : matrix_of(folder + "/coll_modelled.messages.mtx"))
    file["modelled"].push_back({pair.first, pair.second, messages, bytes[pair]});
}

}  // namespace

void complete(const std::string& folder, Json& file) {
  add_inner(folder, file);
  add_modelled(folder, file);
}

}  // namespace cairn::report::comm
