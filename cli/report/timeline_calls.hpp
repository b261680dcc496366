// SPDX-License-Identifier: BSD-3-Clause
// timeline_calls.hpp - single calls and messages of a timeline, packed for the page
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cli/report/section.hpp"
#include "trace/flows.hpp"

namespace cairn::report {

/// As web/timeline.js reads numbers: 7 bits in each byte (trace/bytes.hpp), the bytes as base64.
std::string base64(std::string_view bytes);

/// By row, in the order of their beginnings; outer calls before those within them.
class TimelineCalls {
 public:
  explicit TimelineCalls(std::size_t rows) : rows_(rows) {}

  void add(std::size_t row, std::int64_t begin, std::int64_t end, std::size_t function, const std::string& arguments,
           const std::string& place);
  /// Into the chart.
  void put(Json& chart);

 private:
  struct Call {
    std::int64_t begin;
    std::int64_t end;
    std::size_t kind;
  };
  std::vector<std::vector<Call>> rows_;
  std::unordered_map<std::string, std::size_t> known_;
  Json kinds_ = Json::array();  // [function, arguments, place]
};

/// Messages of which both ends were found.
class TimelineMessages {
 public:
  explicit TimelineMessages(std::size_t most) : most_(most) {}

  /// One that is not marked is of interest if the other end is known. Ends may come more than once.
  void add(const trace::FlowEnd& end, std::size_t row, std::int64_t at);
  /// Whether ends are missing that may come when all are gone through again.
  bool are_incomplete() const { return has_passed_ && whole_ < ends_.size(); }
  std::uint64_t left_out() const { return left_out_; }
  void put(Json& chart) const;

 private:
  struct Ends {
    std::size_t from_row = 0, to_row = 0;
    std::int64_t from_ns = 0, to_ns = 0;
    std::uint64_t bytes = 0;
    std::int32_t tag = 0;
    bool has_from = false, has_to = false;
  };
  std::size_t most_;
  std::unordered_map<std::uint64_t, Ends> ends_;
  std::size_t whole_ = 0;
  std::uint64_t left_out_ = 0;
  bool has_passed_ = false;
};

}  // namespace cairn::report
