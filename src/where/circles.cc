// SPDX-License-Identifier: BSD-3-Clause
// circles.cc - taking away whoever may move until only those are left that cannot
//
// A rank that waits for nobody who is left may move, and is taken away; a wait for any of several is over as soon as one
// of these has been. Whoever is left at the end waits for another one that is left, so that each way leads into a circle.
// This runs on a thread inside the program, for jobs of any size: nothing here calls itself, and lists are not copied.

#include "where/circles.hpp"

#include <algorithm>
#include <cstddef>
#include <map>

namespace cairn::where {

namespace {

constexpr std::size_t nobody = static_cast<std::size_t>(-1);

class Reduction {
 public:
  Reduction(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part);

  void take_away_all_that_may_move();
  std::vector<int> shortest_circle() const;

 private:
  struct Part {
    std::size_t list;
    std::size_t size;  // of its beginning
  };
  struct Wait {
    std::size_t node;
    std::vector<Part> parts;  // several: any of them is enough
    int left_out;
    bool any;
    bool is_over = false;
  };
  struct Node {
    int rank;
    std::vector<std::size_t> waits;
    std::size_t open = 0;                                     // of these, those that are not over
    std::vector<std::pair<std::size_t, std::size_t>> places;  // list, and place in it
    bool is_left = true;
  };
  struct Use {
    std::size_t size;
    std::size_t wait;
  };
  struct List {
    RankList ranks;  // as far as anybody uses it
    std::vector<std::size_t> nodes;
    std::vector<Use> of_all;  // the shortest first
    std::vector<Use> of_any;
    std::size_t over = 0;   // of of_all
    std::size_t first = 0;  // place of the first who is left, and of the next one
    std::size_t second = 0;
    std::size_t gap;  // of the first who is not
  };

  void add_nodes(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part);
  void add_waits(const std::vector<Arc>& arcs);
  void add_wait(std::size_t node, const Arc& arc, std::vector<Part> parts);
  std::size_t list_of(RankList ranks);
  void fill(List& list, std::size_t index);
  std::size_t node_of(int rank) const {
    return rank < 0 || static_cast<std::size_t>(rank) >= by_rank_.size() ? nobody
                                                                         : by_rank_[static_cast<std::size_t>(rank)];
  }
  bool is_left(const List& list, std::size_t place) const {
    return list.nodes[place] != nobody && nodes_[list.nodes[place]].is_left;
  }
  void look_again(List& list);
  void end(std::size_t wait);
  void take_away(std::size_t node);
  /// One who is left, and whom it waits for.
  std::size_t next(std::size_t node) const;

  std::vector<Node> nodes_;
  std::vector<std::size_t> by_rank_;
  std::vector<Wait> waits_;
  std::vector<List> lists_;
  std::map<const int*, std::size_t> by_beginning_;
  std::vector<std::size_t> leaving_;
};

Reduction::Reduction(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part) {
  add_nodes(arcs, can_take_part);
  add_waits(arcs);
  for (std::size_t i = 0; i < lists_.size(); ++i) fill(lists_[i], i);
}

void Reduction::add_nodes(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part) {
  for (const Arc& arc : arcs) {
    if (arc.from < 0 || node_of(arc.from) != nobody || !can_take_part(arc.from)) continue;
    const auto place = static_cast<std::size_t>(arc.from);
    if (place >= by_rank_.size()) by_rank_.resize(place + 1, nobody);
    by_rank_[place] = nodes_.size();
    nodes_.push_back({arc.from, {}, 0, {}, true});
  }
}

void Reduction::add_waits(const std::vector<Arc>& arcs) {
  for (const Arc& arc : arcs) {
    const std::size_t node = node_of(arc.from);
    if (node == nobody) continue;
    std::vector<Part> parts;
    for (const RankList list : arc.whom->lists) parts.push_back({list_of(list), list.size()});
    if (!arc.any)
      for (const Part part : parts) add_wait(node, arc, {part});
    else if (!parts.empty()) add_wait(node, arc, std::move(parts));
  }
}

void Reduction::add_wait(std::size_t node, const Arc& arc, std::vector<Part> parts) {
  const std::size_t index = waits_.size();
  for (const Part& part : parts)
    (arc.any ? lists_[part.list].of_any : lists_[part.list].of_all).push_back({part.size, index});
  waits_.push_back({node, std::move(parts), arc.whom->left_out, arc.any});
  nodes_[node].waits.push_back(index);
  ++nodes_[node].open;
}

std::size_t Reduction::list_of(RankList ranks) {
  const auto [place, is_new] = by_beginning_.try_emplace(ranks.data(), lists_.size());
  if (is_new) lists_.emplace_back();
  List& list = lists_[place->second];
  if (ranks.size() > list.ranks.size()) list.ranks = ranks;
  return place->second;
}

void Reduction::fill(List& list, std::size_t index) {
  list.gap = list.ranks.size();
  for (std::size_t place = 0; place < list.ranks.size(); ++place) {
    list.nodes.push_back(node_of(list.ranks[place]));
    if (list.nodes.back() != nobody) nodes_[list.nodes.back()].places.emplace_back(index, place);
    else list.gap = std::min(list.gap, place);
  }
  std::ranges::sort(list.of_all, {}, &Use::size);
  std::ranges::sort(list.of_any, {}, &Use::size);
}

void Reduction::end(std::size_t wait) {
  if (waits_[wait].is_over) return;
  waits_[wait].is_over = true;
  if (--nodes_[waits_[wait].node].open == 0) leaving_.push_back(waits_[wait].node);
}

/// Which waits are over since somebody has left, or who was never there.
void Reduction::look_again(List& list) {
  const std::size_t size = list.ranks.size();
  const std::pair before(list.first, list.second);
  for (; !list.of_any.empty() && list.of_any.back().size > list.gap; list.of_any.pop_back())
    end(list.of_any.back().wait);
  while (list.first < size && !is_left(list, list.first)) ++list.first;
  list.second = std::max(list.second, list.first + 1);
  while (list.second < size && !is_left(list, list.second)) ++list.second;
  for (; list.over < list.of_all.size() && list.of_all[list.over].size <= list.first; ++list.over)
    end(list.of_all[list.over].wait);
  if (list.first >= size || before == std::pair(list.first, list.second)) return;
  const Node& alone = nodes_[list.nodes[list.first]];  // for whom only itself may be left
  for (const std::size_t index : alone.waits) {
    const Wait& wait = waits_[index];
    if (wait.any || wait.left_out != alone.rank || &lists_[wait.parts.front().list] != &list) continue;
    if (wait.parts.front().size <= list.second) end(index);
  }
}

void Reduction::take_away(std::size_t node) {
  nodes_[node].is_left = false;
  for (const auto& [index, place] : nodes_[node].places) {
    List& list = lists_[index];
    list.gap = std::min(list.gap, place);
    look_again(list);
  }
}

void Reduction::take_away_all_that_may_move() {
  for (List& list : lists_) look_again(list);
  while (!leaving_.empty()) {
    const std::size_t node = leaving_.back();
    leaving_.pop_back();
    take_away(node);
  }
}

std::size_t Reduction::next(std::size_t node) const {
  for (const std::size_t index : nodes_[node].waits) {
    const Wait& wait = waits_[index];
    if (wait.is_over) continue;
    for (const Part& part : wait.parts) {
      const List& list = lists_[part.list];
      for (const std::size_t place : {list.first, list.second})
        if (place < part.size && list.ranks[place] != wait.left_out) return list.nodes[place];
    }
  }
  return nobody;
}

std::vector<int> Reduction::shortest_circle() const {
  std::vector<std::size_t> way_of(nodes_.size(), nobody);  // the start of the way that came there first
  std::vector<int> shortest;
  for (std::size_t start = 0; start < nodes_.size(); ++start) {
    std::size_t at = nodes_[start].is_left ? start : nobody;
    for (; at != nobody && way_of[at] == nobody; at = next(at)) way_of[at] = start;
    if (at == nobody || way_of[at] != start) continue;
    std::vector<int> circle;
    const std::size_t first = at;
    do circle.push_back(nodes_[at].rank), at = next(at);
    while (at != first);
    if (shortest.empty() || circle.size() < shortest.size()) shortest = std::move(circle);
  }
  return shortest;
}

}  // namespace

std::vector<int> find_circle(const std::vector<Arc>& arcs, const std::function<bool(int)>& can_take_part) {
  Reduction reduction(arcs, can_take_part);
  reduction.take_away_all_that_may_move();
  return reduction.shortest_circle();
}

}  // namespace cairn::where
