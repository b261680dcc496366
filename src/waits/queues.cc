// SPDX-License-Identifier: BSD-3-Clause
// queues.cc - how many messages lay in a process's queue when a receive asked for one

#include "waits/queues.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace cairn::waits {

namespace {

/// A call that asks for one message.
struct Receive {
  Index link = none;
  Index length = 0;  // of the queue; 0: the message came later
  std::int64_t own_ns = 0;
};

/// Of receives that are alike: whether the message is complete when they return, is within a node, and its size.
using Likeness = std::tuple<bool, bool, int>;

class Finding {
 public:
  Finding(const Graph& graph, const Waits& waits) : graph_(graph), waits_(waits) {
    find_receives();
    if (may_be_worth_it()) find_lengths();
    find_usual();
  }

  bool is_usual_known() const { return !usual_.empty(); }
  std::vector<Search> searches() const {
    const std::map<Likeness, double> means = means_of_searching();
    std::vector<Search> all;
    for (const Receive& receive : receives_) {
      if (receive.length <= Queues::few) continue;
      const Likeness kind = likeness(receive);
      const auto usual = usual_.find(kind);
      if (usual == usual_.end() || usual->second >= receive.own_ns) continue;
      if (means.at(kind) < longer * static_cast<double>(usual->second)) continue;
      all.push_back({node_of(receive), receive.length, usual->second, receive.own_ns - usual->second});
    }
    std::ranges::sort(all, {}, &Search::node);
    return all;
  }

 private:
  static constexpr double longer = 1.5;  // than usual, on average: else it is chance, or others use the memory

  std::map<Likeness, double> means_of_searching() const {
    std::map<Likeness, std::pair<double, double>> sums;
    for (const Receive& receive : receives_)
      if (receive.length > Queues::few) {
        auto& [ns, count] = sums[likeness(receive)];
        ns += static_cast<double>(receive.own_ns);
        ++count;
      }
    std::map<Likeness, double> means;
    for (const auto& [kind, sum] : sums) means[kind] = sum.first / sum.second;
    return means;
  }
  const Link& link_of(const Receive& receive) const { return graph_.links[receive.link]; }
  Index node_of(const Receive& receive) const { return link_of(receive).receive_begin; }
  bool has_come(const Link& link) const {
    return graph_.nodes[link.send_begin].entry < graph_.nodes[link.receive_begin].entry;
  }
  static bool is_message(const Link& link) {
    return link.signal == Signal::message && link.send_begin != none && link.receive_begin != none;
  }
  bool is_complete(const Link& link) const { return link.receive_begin == link.receive_end; }
  Likeness likeness(const Receive& receive) const {
    const Link& link = link_of(receive);
    return {is_complete(link), link.is_within_node, std::bit_width(link.bytes)};
  }

  /// Those that do nothing else.
  void find_receives() {
    std::vector<std::uint8_t> begun(graph_.nodes.size());  // messages: 2 stands for more
    for (const Link& link : graph_.links)
      if (is_message(link)) begun[link.receive_begin] = begun[link.receive_begin] == 0 ? 1 : 2;
    for (Index i = 0; i < graph_.links.size(); ++i) {
      const Link& link = graph_.links[i];
      if (!is_message(link) || begun[link.receive_begin] != 1) continue;
      const Index node = link.receive_begin;
      const Index ends = graph_.ended_at[node + 1] - graph_.ended_at[node];
      if (ends == (is_complete(link) ? 1 : 0)) receives_.push_back({i, 0, waits_.transfer_ns(graph_, node)});
    }
  }

  bool may_be_worth_it() const {
    constexpr double least = 0.005;  // of all processes' time
    std::int64_t ns = 0;
    for (const Receive& receive : receives_)
      if (has_come(link_of(receive))) ns += receive.own_ns;
    return 1e-9 * static_cast<double>(ns) >= least * graph_.run_s() * graph_.size;
  }

  /// What lay there was sent before, and asked for later.
  void find_lengths() {
    std::vector<std::vector<std::int64_t>> sent(static_cast<std::size_t>(graph_.size));  // moments, by rank
    std::vector<std::vector<std::int64_t>> asked(sent.size());
    for (const Link& link : graph_.links) {
      if (!is_message(link) || !has_come(link)) continue;
      const auto rank = static_cast<std::size_t>(graph_.rank(link.receive_begin));
      sent[rank].push_back(graph_.nodes[link.send_begin].entry);
      asked[rank].push_back(graph_.nodes[link.receive_begin].entry);
    }
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
      std::ranges::sort(sent[rank]);
      std::ranges::sort(asked[rank]);
    }
    for (Receive& receive : receives_) {
      if (!has_come(link_of(receive))) continue;
      const auto rank = static_cast<std::size_t>(graph_.rank(node_of(receive)));
      const std::int64_t now = graph_.nodes[node_of(receive)].entry;
      const auto come = std::ranges::lower_bound(sent[rank], now) - sent[rank].begin();
      const auto gone = std::ranges::lower_bound(asked[rank], now) - asked[rank].begin();
      receive.length = static_cast<Index>(come - gone);
    }
  }

  /// A receive that waits for its message shows it, or one that finds few there.
  bool is_usual(const Receive& receive) const {
    if (!has_come(link_of(receive))) return !is_complete(link_of(receive)) || waits_.at[node_of(receive)] != none;
    return receive.length != 0 && receive.length <= Queues::few;
  }
  void find_usual() {
    std::map<Likeness, std::vector<std::int64_t>> times;
    for (const Receive& receive : receives_)
      if (is_usual(receive)) times[likeness(receive)].push_back(receive.own_ns);
    for (auto& [kind, ns] : times) {
      const auto middle = ns.begin() + static_cast<std::ptrdiff_t>(ns.size() / 2);
      std::ranges::nth_element(ns, middle);
      usual_[kind] = *middle;
    }
  }

  const Graph& graph_;
  const Waits& waits_;
  std::vector<Receive> receives_;
  std::map<Likeness, std::int64_t> usual_;
};

}  // namespace

Queues::Queues(const Graph& graph, const Waits& waits) {
  const Finding found(graph, waits);
  searches_ = found.searches();
  is_usual_known_ = found.is_usual_known();
}

}  // namespace cairn::waits
