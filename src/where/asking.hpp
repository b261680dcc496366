// SPDX-License-Identifier: BSD-3-Clause
// asking.hpp - a command on other nodes that is to send pages, by the way the job's launcher goes
#pragma once

#include <poll.h>
#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "where/other_nodes.hpp"
#include "where/sent_pages.hpp"

namespace cairn::where {

using AskingUntil = std::chrono::steady_clock::time_point;

/// What else is waited for: `take` is called when `file` can be read; -1: nothing.
struct AlsoWaitedFor {
  int file = -1;
  std::function<void()> take;
};

/// A command that runs, with what it writes.
class Asking {
 public:
  /// `pages`: takes what it writes. `again`: it goes on until this ends. `takes_orders`: what is given here is its
  /// standard input.
  Asking(const std::vector<std::string>& words, std::vector<std::string> hosts, SentPages pages, bool again,
         bool takes_orders);
  ~Asking();
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  /// Nothing more can come. What it has started may keep its standard error open.
  bool is_over() const { return ends_[0] < 0; }
  const std::vector<std::string>& hosts() const { return hosts_; }
  const SentPages& pages() const { return pages_; }
  /// Once more, if it has not taken the text before whole yet: then this one is left out.
  void give(const std::string& text);
  /// Its last words.
  std::string reason(double limit_s) const;

 private:
  friend bool read_more(const std::vector<Asking*>& all, AskingUntil until, const AlsoWaitedFor& also);
  void add_to(std::vector<pollfd>& waited_for) const;
  void read();
  void read_complaint();
  void start(const std::vector<std::string>& words, bool again, int in, int out, int err);

  std::vector<std::string> hosts_;
  pid_t child_ = -1;
  int ends_[2] = {-1, -1};
  int orders_ = -1;    // a socket: what has ended meanwhile is no signal
  std::string given_;  // that it has not taken yet
  SentPages pages_;
  std::string part_;  // room for what is read
  std::string complaint_;
  std::string problem_;
};

/// Reads what comes; false if nothing can come any more, or the time is up.
bool read_more(const std::vector<Asking*>& all, AskingUntil until, const AlsoWaitedFor& also = {});

bool is_of_slurm(const Question& question);
/// One process for all nodes: Slurm knows them.
std::unique_ptr<Asking> ask_slurm(const Question& question);
std::unique_ptr<Asking> ask_host(const Question& question, const std::string& host);
/// The first of these, and through it the others. `pass_on`: as SentPages has it.
std::unique_ptr<Asking> ask_hosts(const Question& question, const std::vector<std::string>& hosts,
                                  PassOn pass_on = nullptr);

}  // namespace cairn::where
