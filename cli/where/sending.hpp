// SPDX-License-Identifier: BSD-3-Clause
// sending.hpp - this node's pages for a command on another node, and its orders
#pragma once

#include <cstddef>
#include <optional>

#include "cli/where/selection.hpp"

namespace cairn::cli {

/// To standard output, with so many calls of each thread. `every_s`: again and again, until the job has gone or nobody
/// reads; with `orders`, what comes on standard input meanwhile is given to ranks (live/orders.hpp). The exit code.
int send_pages(const Selection& wanted, std::size_t calls, std::optional<double> every_s, bool orders);

}  // namespace cairn::cli
