// SPDX-License-Identifier: BSD-3-Clause
// followed_nodes.hpp - nodes that send their pages, and what the tools `comm` and `vars` publish, again and again
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "where/asking.hpp"
#include "where/other_nodes.hpp"

namespace cairn::where {

/// One process for each node (for all of them, in a job of Slurm's) lives as long as this. It is started again when it
/// has ended, or sends nothing any more, `patience_s` after its start or later.
class FollowedNodes {
 public:
  static constexpr std::size_t most_nodes = 256;

  /// `most`: nodes that are followed at once.
  explicit FollowedNodes(double patience_s = 10, std::size_t most = most_nodes)
      : patience_s_(patience_s), most_(most) {}

  /// Those of these that do not send yet, every so many seconds (`every_s`).
  void ask(const Question& question);
  /// Takes what comes, for so long, and then until each node has sent again, at most half as long.
  void wait(double seconds);
  /// Text for what sends the pages of this host, or of all; as far as it takes it at once.
  void give(const std::string& host, const std::string& text);
  /// As their pages came last; those of nodes that send no more are left out. `damaged` gets a message for each page
  /// that cannot be read.
  std::vector<Process> processes(std::vector<std::string>& damaged) const;
  /// Hosts that do not send: why.
  std::map<std::string, std::string> silent() const;
  /// What is said of nodes that are not followed, since there are too many; "": there are none.
  std::string left_out() const;
  /// None of those that are followed is silent, or has not answered yet.
  bool all_have_answered() const;

 private:
  struct Followed {
    std::string host;  // "": all of Slurm's
    Question question;
    double patience_s;
    std::unique_ptr<Asking> asking;
    AskingUntil started;

    bool is_young() const;
    void start(const Question& asked);
    void start_again(const Question& asked);
    /// What it has sent is what is there now; a node without pages has none until it is asked again.
    bool is_fresh(const SentPages::Sender& sender) const;
    bool has_answered(const std::string& one) const;
    bool has_news(AskingUntil begin) const;
    std::vector<std::string> silent_hosts() const;
    std::string reason() const;
  };

  double patience_s_;
  std::vector<Followed> all_;
  std::size_t most_;
  std::size_t left_out_nodes_ = 0;
  std::size_t left_out_ranks_ = 0;
};

}  // namespace cairn::where
