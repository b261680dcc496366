// SPDX-License-Identifier: BSD-3-Clause
// comm_parts.hpp - what the section of comm.json is made of
#pragma once

#include <vector>

#include "cli/report/comm_sums.hpp"
#include "cli/report/section.hpp"

namespace cairn::report {

/// What the tables and charts are computed from.
struct CommParts {
  explicit CommParts(const Json& json);

  const Json& file;
  comm::Data data;
  comm::Whole whole;
  bool with_shares;  // in the pairs
  comm::Pairs pairs;
};

std::vector<Table> comm_tables(const CommParts& parts);                                   // comm_tables.cc
std::vector<Json> comm_charts(const CommParts& parts, const std::vector<Table>& tables);  // comm_charts.cc

std::string name_of(const comm::Phase& phase);  // for people

}  // namespace cairn::report
