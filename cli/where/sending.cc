// SPDX-License-Identifier: BSD-3-Clause
// sending.cc - the other end of `cairn where` and `cairn live` on a node with ranks of the job

#include "cli/where/sending.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "base/host_name.hpp"
#include "base/text.hpp"
#include "cairn/board.hpp"
#include "live/orders.hpp"
#include "where/lines.hpp"
#include "where/sent_pages.hpp"

namespace cairn::cli {

namespace {

/// What `cairn live` shows beside calls.
const std::vector<std::string_view> live_boards = {board::traffic, board::variables, board::controls, board::policy};

/// Only to ranks whose pages are sent: what comes names no files.
void give_to_rank(std::string_view line, const std::vector<where::JobPages>& jobs) {
  const std::optional<live::Order> order = live::order_of(line);
  if (!order || order->host != host_name()) return;
  for (const where::JobPages& job : jobs)
    for (const where::Process& process : job.processes)
      if (file_of(process.path) == order->page) live::give(process.path, *order);
}

/// What comes on standard input.
class Orders {
 public:
  /// Gives them to ranks of these jobs for so long.
  void wait(double seconds, const std::vector<where::JobPages>& jobs) {
    using Steady = std::chrono::steady_clock;
    const auto end =
        Steady::now() + std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(seconds));
    while (!is_over_ && Steady::now() < end) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Steady::now());
      pollfd input{STDIN_FILENO, POLLIN, 0};
      if (poll(&input, 1, static_cast<int>(left.count()) + 1) > 0) read_more(jobs);
    }
    std::this_thread::sleep_until(end);
  }

 private:
  void read_more(const std::vector<where::JobPages>& jobs) {
    char part[4096];
    const ssize_t got = ::read(STDIN_FILENO, part, sizeof part);
    is_over_ = got <= 0;
    if (got > 0)
      lines_.add({part, static_cast<std::size_t>(got)}, [&](std::string_view line) { give_to_rank(line, jobs); });
  }

  where::Lines lines_;
  bool is_over_ = false;
};

}  // namespace

int send_pages(const Selection& wanted, std::size_t calls, std::optional<double> every_s, bool orders) {
  where::PageSender sender(host_name(), calls, every_s ? live_boards : std::vector<std::string_view>());
  Orders given;
  while (true) {
    const std::vector<where::JobPages> jobs = jobs_here(wanted);
    for (const where::JobPages& job : jobs)
      for (const where::Process& process : job.processes) fmt::print("{}", sender.page(process.path));
    fmt::print("{}", sender.end());
    if (std::fflush(stdout) != 0) return 1;
    if (!every_s || jobs.empty()) return 0;
    if (orders) given.wait(*every_s, jobs);
    else std::this_thread::sleep_for(std::chrono::duration<double>(*every_s));
  }
}

}  // namespace cairn::cli
