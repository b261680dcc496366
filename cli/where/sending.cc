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
#include "cli/program.hpp"
#include "live/orders.hpp"
#include "where/followed_nodes.hpp"
#include "where/lines.hpp"
#include "where/sent_pages.hpp"

namespace cairn::cli {

namespace {

/// What `cairn live` shows beside calls.
const std::vector<std::string_view> live_boards = {board::traffic, board::variables, board::controls, board::policy};

/// Only to ranks whose pages are sent: what comes names no files.
void give_to_rank(const live::Order& order, const std::vector<where::JobPages>& jobs) {
  for (const where::JobPages& job : jobs)
    for (const where::Process& process : job.processes)
      if (file_of(process.path) == order.page) live::give(process.path, order);
}

/// Whoever reads is to have a whole look at once.
void pass_on(std::string_view line) {
  fmt::print("{}\n", line);
  if (line.find(" . ") != line.npos) std::fflush(stdout);
}

/// This node, and those that are asked through it.
class Sender {
 public:
  Sender(const Selection& wanted, const Sending& how)
      : wanted_(wanted),
        how_(how),
        own_(host_name(), how.calls, how.every ? live_boards : std::vector<std::string_view>()) {
    if (how.orders) also_ = {STDIN_FILENO, [this] { read_orders(); }};
    if (how.through.empty() || !how.every) return;
    question_ = {.launcher = how.through,
                 .nodes = {},
                 .command = installation().command,
                 .job = wanted.job,
                 .history = how.calls,
                 .every_s = *how.every,
                 .takes_orders = how.orders,
                 .fan_out = how.fan_out};
    for (const std::string_view host : split(wanted.nodes, ','))
      if (!host.empty()) question_.nodes[std::string(host)];
  }

  /// False: nobody reads any more.
  bool send() {
    jobs_ = jobs_here(wanted_);
    for (const where::JobPages& job : jobs_)
      for (const where::Process& process : job.processes) fmt::print("{}", own_.page(process.path));
    fmt::print("{}", own_.end());
    if (!question_.nodes.empty()) others_.ask(question_);
    for (const auto& [host, why] : others_.silent()) fmt::print("{}", where::line_of_silence(host, why));
    return std::fflush(stdout) == 0;
  }
  bool has_more() const { return how_.every && (!jobs_.empty() || !others_.are_over()); }
  void wait() {
    using Steady = std::chrono::steady_clock;
    const auto until =
        Steady::now() + std::chrono::duration_cast<Steady::duration>(std::chrono::duration<double>(*how_.every));
    others_.pass_on_until(until, also_);
    std::this_thread::sleep_until(until);
  }

 private:
  void read_orders() {
    char part[4096];
    const ssize_t got = ::read(STDIN_FILENO, part, sizeof part);
    if (got <= 0) also_ = {};
    else orders_.add({part, static_cast<std::size_t>(got)}, [this](std::string_view line) { give(line); });
  }
  void give(std::string_view line) {
    const std::optional<live::Order> order = live::order_of(line);
    if (order && order->host == host_name()) give_to_rank(*order, jobs_);
    else if (order) others_.give(order->host, std::string(line) + "\n");
  }

  const Selection& wanted_;
  const Sending& how_;
  where::PageSender own_;
  where::Question question_;
  where::FollowedNodes others_{{}, pass_on};
  std::vector<where::JobPages> jobs_;
  where::AlsoWaitedFor also_;
  where::Lines orders_;
};

}  // namespace

int send_pages(const Selection& wanted, const Sending& how) {
  Sender sender(wanted, how);
  while (sender.send()) {
    if (!sender.has_more()) return 0;
    sender.wait();
  }
  return 1;
}

}  // namespace cairn::cli
