// SPDX-License-Identifier: BSD-3-Clause
// timeline_levels.cc - dividing time into cells

#include "cli/report/timeline_levels.hpp"

#include <algorithm>
#include <cmath>

namespace cairn::report {

namespace {

constexpr std::size_t step = 4;  // from one level to the next
constexpr std::size_t fewest = 256;

}  // namespace

TimelineLevels::TimelineLevels(std::size_t rows, std::size_t functions, std::int64_t length, std::size_t bins)
    : functions_(functions), length_(static_cast<double>(length)) {
  for (; levels_.empty() || bins >= fewest; bins /= step) levels_.push_back({bins, std::string(rows * bins * 2, '\0')});
}

TimelineLevels::Row::Row(const TimelineLevels& levels)
    : functions_(levels.functions_),
      width_(levels.length_ / static_cast<double>(levels.levels_.front().bins)),
      bins_(levels.levels_.front().bins),
      times_(bins_ * functions_) {}

void TimelineLevels::Row::add(std::size_t function, std::int64_t from, std::int64_t to) {
  const auto first = static_cast<std::size_t>(static_cast<double>(from) / width_);
  for (std::size_t bin = first; bin < bins_; ++bin) {
    const double begin = std::max(static_cast<double>(from), static_cast<double>(bin) * width_);
    const double end = std::min(static_cast<double>(to), static_cast<double>(bin + 1) * width_);
    if (end <= begin) return;
    times_[bin * functions_ + function] += static_cast<float>(end - begin);
  }
}

void TimelineLevels::take(std::size_t number, Row row) {
  for (Level& level : levels_) {
    const double width = length_ / static_cast<double>(level.bins);
    for (std::size_t bin = 0; bin < level.bins; ++bin) {
      const auto begin = row.times_.begin() + static_cast<std::ptrdiff_t>(bin * functions_);
      const auto end = begin + static_cast<std::ptrdiff_t>(functions_);
      double sum = 0;
      for (auto time = begin; time != end; ++time) sum += *time;
      if (sum <= 0) continue;
      char* const cell = &level.cells[(number * level.bins + bin) * 2];
      cell[0] = static_cast<char>(std::max_element(begin, end) - begin + 1);
      cell[1] = static_cast<char>(std::clamp(std::lround(255 * sum / width), 1L, 255L));
    }
    for (std::size_t i = 0; i < row.times_.size() / step; ++i) {  // in place: what is read comes later
      const std::size_t from = (i / functions_ * step) * functions_ + i % functions_;
      float sum = 0;
      for (std::size_t part = 0; part < step; ++part) sum += row.times_[from + part * functions_];
      row.times_[i] = sum;
    }
    row.times_.resize(row.times_.size() / step);
  }
}

}  // namespace cairn::report
