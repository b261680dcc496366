// SPDX-License-Identifier: BSD-3-Clause
// traffic.hpp - who of a running job has sent how much to whom, as the tool `comm` publishes it
//
// However many ranks there are, it becomes a matrix of at most most_units rows: each stands for as many ranks as needed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/comm.hpp"
#include "where/jobs.hpp"

namespace cairn::live {

class Traffic {
 public:
  static constexpr int most_units = 64;
  static constexpr std::array<std::string_view, 3> kinds = {"point-to-point", "one-sided", "collective"};

  /// `size`: ranks of the job. What was seen of a rank whose board is gone stays.
  void look(const where::JobPages& job, int size, std::vector<std::string>& problems);

  bool is_known() const { return published_ != 0; }
  /// As JSON, the cells that have changed after look number `after` (from 1); 0: all.
  std::string json(std::uint64_t after) const;
  std::uint64_t looks() const { return looks_; }
  /// visit(row of `kinds`, unit that sends, unit that receives, formats::comm::Volume since the job began).
  template <class Visit>
  void each(Visit visit) const {
    for (const auto& [place, cell] : cells_)
      visit(kinds[static_cast<std::size_t>(place[0])], place[1], place[2], cell.volume);
  }

 private:
  struct Cell {
    formats::comm::Volume volume;
    std::uint64_t changed = 0;  // in that look
  };
  /// By kind, row and column.
  using Sums = std::map<std::array<int, 3>, formats::comm::Volume>;

  Sums read(const where::Process& process, bool& is_there);
  void lay_out(int size);

  int size_ = 0;
  int block_ = 1;  // ranks of a unit
  std::uint64_t looks_ = 0;
  std::uint64_t lost_ = 0;
  std::size_t published_ = 0;    // ranks that were ever seen
  std::map<int, Sums> by_rank_;  // what each has published
  std::map<std::array<int, 3>, Cell> cells_;
};

}  // namespace cairn::live
