// SPDX-License-Identifier: BSD-3-Clause
// followed_nodes.hpp - nodes that send their pages, and what the tools `comm` and `vars` publish, again and again
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "where/asking.hpp"
#include "where/other_nodes.hpp"

namespace cairn::where {

/// Up to `fan_out` processes (Question), each for a node and, through it, for others, that ask on in the same way: so there are few
/// of them anywhere, however many nodes there are. In a job of Slurm's one for all. They live as long as this. One that
/// has ended, or sends nothing any more, is started again `patience_s` after its start or later, through another node;
/// nodes that cannot be reached through others are asked from here.
class FollowedNodes {
 public:
  struct Limits {
    double patience_s = 10;
    std::size_t most_nodes = 16384;
    std::size_t most_asked = 256;  // from here
  };

  FollowedNodes() : FollowedNodes(Limits()) {}
  /// With `pass_on`, nothing is known of the pages that come.
  explicit FollowedNodes(const Limits& limits, PassOn pass_on = nullptr)
      : limits_(limits), pass_on_(std::move(pass_on)) {}

  /// Those of these that do not send yet, every so many seconds (`every_s`).
  void ask(const Question& question);
  /// Takes what comes, for so long, and then until each node has sent again, at most half as long.
  void wait(double seconds);
  /// Takes what comes until then.
  void pass_on_until(AskingUntil until, const AlsoWaitedFor& also);
  /// Text for what sends the pages of this host, or of all; as far as it takes it at once.
  void give(const std::string& host, const std::string& text);
  /// As their pages came last; those of nodes that send no more are left out. `damaged` gets a message for each page
  /// that cannot be read.
  std::vector<Process> processes(std::vector<std::string>& damaged) const;
  /// Hosts that do not send: why.
  std::map<std::string, std::string> silent() const;
  /// The message about nodes that are not followed, since there are too many; "": there are none.
  std::string left_out() const;
  /// None of those that are followed is silent, or has not answered yet.
  bool all_have_answered() const;
  /// They have nothing more to send.
  bool are_over() const;

 private:
  struct Followed {
    std::vector<std::string> hosts;  // the first one is asked; "": all of Slurm's
    std::set<std::string> names;     // the same
    Question question;
    double patience_s;
    std::unique_ptr<Asking> asking;
    AskingUntil started;
    AskingUntil listened;  // when what had come was taken

    bool is_young() const;
    void start(const Question& asked, const PassOn& pass_on);
    void start_again(const Question& asked, const PassOn& pass_on);
    /// What it has sent is what is there now; a node without pages has none until it is asked again.
    bool is_fresh(const SentPages::Sender& sender) const;
    bool sends() const;
    bool has_answered(const std::string& one) const;
    bool has_news(AskingUntil begin) const;
    bool is_expected(const std::string& host) const;
    bool is_asked(const std::string& host) const { return hosts.front().empty() || names.contains(host); }
    std::vector<std::string> silent_hosts() const;
    std::string reason(const std::string& host) const;
  };
  void follow(std::vector<std::string> hosts, const Question& question);
  std::vector<std::string> unreached() const;
  bool has_answered(const std::string& host) const;
  std::vector<Asking*> asked() const;
  void note_listening();

  Limits limits_;
  PassOn pass_on_;
  std::vector<Followed> all_;
  std::size_t left_out_nodes_ = 0;
  std::size_t left_out_ranks_ = 0;
};

}  // namespace cairn::where
