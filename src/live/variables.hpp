// SPDX-License-Identifier: BSD-3-Clause
// variables.hpp - performance variables of a running job over time, as the tool `vars` publishes what it samples
//
// Of few ranks the values of each are kept, of more the least, the mean and the greatest. What has not changed is not
// kept again.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "where/jobs.hpp"

namespace cairn::live {

class Variables {
 public:
  static constexpr int most_lines = 16;  // ranks
  static constexpr std::size_t most_variables = 10'000;
  static constexpr std::size_t most_changes = 3600;      // of a variable
  static constexpr std::size_t most_values = 4U << 20U;  // of all

  void look(const where::JobPages& job, int size, double time, std::vector<std::string>& problems);

  bool is_known() const { return !all_.empty(); }
  std::uint64_t looks() const { return looks_; }
  /// Variables from number `first` on with what they are, and the latest values of all.
  std::string list_json(std::uint64_t first) const;
  /// Values of one over time: the changes after look number `after`.
  std::string series_json(std::uint64_t variable, std::uint64_t after) const;
  /// For a recording: variables from `first` on, and of all what has changed after look number `after`.
  std::string news_json(std::uint64_t first, std::uint64_t after) const;
  std::uint64_t count() const { return all_.size(); }
  bool is_by_rank() const { return size_ <= most_lines; }
  /// visit(name, class, values): the latest ones, by rank, or least, mean, greatest; NaN: unknown.
  template <class Visit>
  void each_latest(Visit visit) const {
    for (const Variable& one : all_)
      if (!one.changes.empty()) visit(one.name, one.of_class, one.changes.back().values);
  }

 private:
  using Values = std::vector<double>;  // by rank, or least, mean, greatest; NaN: unknown
  struct Change {
    std::uint64_t look;
    double time;
    Values values;
  };
  struct Variable {
    std::string name, of_class, text;
    bool of_tool = false;
    bool grows = false;
    std::deque<Change> changes;
  };
  using ByRank = std::map<int, double>;

  void read(const where::Process& process, std::vector<ByRank>& values);
  std::size_t number_of(const Variable& found);
  Values values_of(const ByRank& by_rank) const;
  void keep(Variable& variable, Values values, double time) const;

  int size_ = 0;
  std::uint64_t looks_ = 0;
  std::vector<Variable> all_;
  std::map<std::string, std::size_t> by_name_;
};

}  // namespace cairn::live
