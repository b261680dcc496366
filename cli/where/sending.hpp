// SPDX-License-Identifier: BSD-3-Clause
// sending.hpp - this node's pages for a command on another node, and its orders
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "cli/where/selection.hpp"

namespace cairn::cli {

struct Sending {
  std::size_t calls = 0;        // of each thread
  std::optional<double> every;  // seconds: again and again, until the job has gone or nobody reads
  bool orders = false;          // what comes on standard input is given to ranks (live/orders.hpp)
  std::string through;          // launcher, by which the wanted nodes are asked, and what they send passed on
  std::size_t fan_out = 16;     // how many of them from here
};

/// To standard output. The exit code.
int send_pages(const Selection& wanted, const Sending& how);

}  // namespace cairn::cli
