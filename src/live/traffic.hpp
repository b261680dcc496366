// SPDX-License-Identifier: BSD-3-Clause
// traffic.hpp - who of a running job has sent how much to whom, as the tool `comm` publishes it
//
// However many ranks there are, it becomes a matrix of at most most_units rows: each stands for as many ranks as needed.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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
    for (std::size_t place = 0; place < cells_.size(); ++place)
      if (cells_[place].changed != 0)
        visit(kinds[place / area()], row_of(place), column_of(place), cells_[place].volume);
  }

 private:
  struct Cell {
    formats::comm::Volume volume;
    std::uint64_t changed = 0;  // in that look; 0: nothing was ever sent there
  };
  /// Places in the matrix: kind by kind, row by row.
  using Sums = std::vector<std::pair<std::uint32_t, formats::comm::Volume>>;
  class Reader;

  std::size_t area() const { return static_cast<std::size_t>(units_) * static_cast<std::size_t>(units_); }
  int row_of(std::size_t place) const { return static_cast<int>(place) / units_ % units_; }
  int column_of(std::size_t place) const { return static_cast<int>(place) % units_; }
  void lay_out(int size);
  void take_sums();

  int size_ = 0;
  int block_ = 1;  // ranks of a unit
  int units_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t lost_ = 0;
  std::size_t published_ = 0;    // ranks that were ever seen
  std::map<int, Sums> by_rank_;  // what each has published
  std::vector<Cell> cells_;      // by place
};

}  // namespace cairn::live
