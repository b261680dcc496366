// SPDX-License-Identifier: BSD-3-Clause
// comm_parts.hpp - what the section of comm.json is made of
#pragma once

#include <vector>

#include "cli/report/comm_sums.hpp"
#include "cli/report/section.hpp"
#include "formats/part.hpp"

namespace cairn::report {

/// What the tables and charts are computed from.
struct CommParts {
  explicit CommParts(comm::Data from);

  comm::Data data;
  comm::Whole whole;
  bool with_shares;  // in the pairs
  comm::Pairs pairs;
};

/// `ends`: of ranks that have left snapshots.
void show_comm(comm::Data read, const std::vector<formats::Part>& ends, Section& section);  // comm_section.cc

std::vector<Table> comm_tables(const CommParts& parts);                                   // comm_tables.cc
std::vector<Json> comm_charts(const CommParts& parts, const std::vector<Table>& tables);  // comm_charts.cc

std::string name_of(const comm::Phase& phase);    // for people
std::string name_of(const comm::Moment& moment);  // the snapshot's number, or "end"

}  // namespace cairn::report
