// SPDX-License-Identifier: BSD-3-Clause
// comm_matrices.cc - Matrix Market for what Open MPI sends by itself, and the square text of Open MPI's script

#include "cli/report/comm_matrices.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <numeric>

#include "cli/report/comm_data.hpp"
#include "cli/report/reading.hpp"
#include "formats/matrix_market.hpp"

namespace cairn::report {

namespace {

using comm::Data;
using comm::Flow;
using comm::Volume;

// ------------------------------------------------------------ Matrix Market

std::string inner_text(const Data& data, const std::string& run, bool is_bytes) {
  const char* const unit = is_bytes ? "bytes" : "messages";
  std::string text =
      formats::matrix_head(fmt::format("{} sent by the library itself, by Open MPI's monitoring component", unit), run);
  text += fmt::format("{} {} {}\n", data.ranks, data.ranks, data.beside.inner.size());
  for (const Flow& flow : data.beside.inner)
    text += fmt::format("{} {} {}\n", flow.from + 1, flow.to + 1, is_bytes ? flow.bytes : flow.messages);
  return text;
}

/// "comm", "comm.2", …
std::vector<std::string> comm_instances(const std::string& run) {
  std::vector<std::string> instances;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(run, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "comm" || name.starts_with("comm.")) instances.push_back(name);
  }
  return instances;
}

// ------------------------------------------------------------ both directions in one

/// Half of what a pair exchanges stands in each of its two places, as the script has it.
class Symmetric {
 public:
  explicit Symmetric(int ranks) : rows_(static_cast<std::size_t>(ranks)) {}

  void add(int from, int to, const Volume& volume) {
    if (from < 0 || to < 0 || volume.messages == 0) return;
    rows_[static_cast<std::size_t>(from)][to].add(volume, 0.5);
    rows_[static_cast<std::size_t>(to)][from].add(volume, 0.5);
    is_empty_ = false;
  }
  void add(const Symmetric& other) {
    for (std::size_t from = 0; from < rows_.size(); ++from)
      for (const auto& [to, volume] : other.rows_[from]) rows_[from][to].add(volume);
    is_empty_ = is_empty_ && other.is_empty_;
  }
  bool is_empty() const { return is_empty_; }

  std::string text(double (*value_of)(const Volume&)) const {
    std::string text;
    for (const auto& row : rows_) {
      for (int to = 0; to < static_cast<int>(rows_.size()); ++to) {
        const auto found = row.find(to);
        text += fmt::format("{:.0f} ", found == row.end() ? 0 : value_of(found->second));
      }
      text += "\n";
    }
    return text;
  }

 private:
  std::vector<std::map<int, Volume>> rows_;
  bool is_empty_ = true;
};

Symmetric counted(const Data& data, comm::Kind kind) {
  std::vector<int> alone(static_cast<std::size_t>(data.ranks));
  std::iota(alone.begin(), alone.end(), 0);
  Symmetric sum(data.ranks);
  for (const comm::Phase& phase : data.phases)
    for_each_flow(data, phase, kind, alone, data.ranks,
                  [&](int from, int to, const Volume& volume) { sum.add(from, to, volume); });
  return sum;
}

Symmetric inside(const Data& data) {
  Symmetric sum(data.ranks);
  for (const Flow& flow : data.beside.inner) sum.add(flow.from, flow.to, flow);
  return sum;
}

void add_files(const Symmetric& matrix, const std::string& prefix, const char* of, std::vector<MatrixFile>& files) {
  if (matrix.is_empty()) return;
  const auto add = [&](const char* what, double (*value_of)(const Volume&)) {
    files.push_back({fmt::format("{}_{}_{}.mat", prefix, what, of), matrix.text(value_of)});
  };
  add("size", [](const Volume& volume) { return volume.bytes; });
  add("msg", [](const Volume& volume) { return volume.messages; });
  add("avg", [](const Volume& volume) { return volume.bytes / volume.messages; });
}

}  // namespace

std::vector<MatrixFile> inner_matrices(const std::string& run) {
  std::vector<MatrixFile> files;
  for (const std::string& instance : comm_instances(run)) try {
      const std::string folder = run + "/" + instance;
      if (!std::filesystem::exists(folder + "/comm.json") || comm::Beside(folder).inner.empty()) continue;
      const comm::Recorded recorded = comm::read_recorded(run, instance);
      files.push_back({folder + "/inner.bytes.mtx", inner_text(recorded.data, recorded.summary.run, true)});
      files.push_back({folder + "/inner.messages.mtx", inner_text(recorded.data, recorded.summary.run, false)});
    } catch (const OtherRun&) {
      // The report says so, and leaves it out too.
    }
  return files;
}

std::vector<MatrixFile> symmetric_matrices(const std::string& run, const std::string& prefix) {
  const Data data = comm::read_recorded(run, "comm", "--mat " + prefix).data;
  std::vector<MatrixFile> files;
  Symmetric all(data.ranks);
  for (const auto& [name, matrix] : {std::pair<const char*, Symmetric>("external", counted(data, comm::p2p)),
                                     {"internal", inside(data)},
                                     {"osc", counted(data, comm::osc)},
                                     {"coll", counted(data, comm::coll)}}) {
    all.add(matrix);
    add_files(matrix, prefix, name, files);
  }
  add_files(all, prefix, "all", files);
  return files;
}

}  // namespace cairn::report
