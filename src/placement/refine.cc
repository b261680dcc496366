// SPDX-License-Identifier: BSD-3-Clause
// refine.cc - Kernighan and Lin's search: two objects of a level exchange slots' contents, the best pair first even where
// that costs something for the moment, and keep the best state on the way
//
// From the widest level inwards; at each, distances within an object count as equal, since narrower levels come later.
// Empty slots take part like ranks without traffic.

#include "placement/refine.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace cairn::placement {

namespace {

constexpr int most_sweeps = 6;               // over all pairs of objects of a level
constexpr int most_steps_without_gain = 24;  // until an exchange of two objects ends
constexpr double most_work = 6e8;            // partners looked at, in all; beyond it the mapping stays as it is
constexpr double too_little = 1e-9;          // of all traffic: no gain, rounding

/// The contents of slots, at one level.
class Exchange {
 public:
  Exchange(const Traffic& traffic, const Machine& machine, std::vector<int>& content, double& work)
      : traffic_(traffic),
        machine_(machine),
        content_(content),
        work_(work),
        slot_of_(content.size()),
        gain_(content.size()),
        locked_(content.size()) {
    for (std::size_t slot = 0; slot < content.size(); ++slot) slot_of_[at(content[slot])] = static_cast<int>(slot);
  }

  /// Whether anything was exchanged.
  bool go_over(int level) {
    level_ = level;
    find_members();
    bool any = false;
    std::vector<std::uint8_t> changed(members_.size() - 1, 1);
    for (int sweep = 0; sweep < most_sweeps && work_ < most_work; ++sweep) {
      std::vector<std::uint8_t> now(changed.size());
      for (std::size_t one = 0; one < changed.size(); ++one)
        for (const int other : neighbours(static_cast<int>(one)))
          if ((changed[one] | changed[at(other)]) != 0 && work_ < most_work && improve(static_cast<int>(one), other))
            now[one] = now[at(other)] = 1;
      changed = now;
      if (std::ranges::find(changed, 1) == changed.end()) break;
      any = true;
    }
    return any;
  }

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  bool is_rank(int content) const { return content < traffic_.ranks(); }
  int object_of(int content) const { return machine_.object_of(level_, slot_of_[at(content)]); }

  /// Where each object's slots begin.
  void find_members() {
    members_.assign(1, 0);
    for (const int slots : machine_.slots_by_object(level_, 0, machine_.slots()))
      members_.push_back(members_.back() + slots);
  }

  /// Objects with higher numbers that its ranks exchange data with.
  std::vector<int> neighbours(int object) {
    std::vector<int> found;
    for (int slot = members_[at(object)]; slot < members_[at(object) + 1]; ++slot)
      if (is_rank(content_[at(slot)]))
        for (const Partner& partner : traffic_.partners(content_[at(slot)])) {
          ++work_;
          if (const int other = object_of(partner.rank); other > object) found.push_back(other);
        }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  int hops_between(int object, int other) const {
    if (object == other) return machine_.hops(level_);
    return machine_.hops(machine_.common_level(members_[at(object)], members_[at(other)]));
  }

  /// What is saved by moving it there.
  double gain_of(int content, int to) {
    if (!is_rank(content)) return 0;
    const int from = object_of(content);
    double gain = 0;
    for (const Partner& partner : traffic_.partners(content)) {
      const int there = object_of(partner.rank);
      gain += partner.amount * (hops_between(from, there) - hops_between(to, there));
    }
    work_ += 2 * static_cast<double>(traffic_.partners(content).size());
    return gain;
  }

  double amount_between(int content, int other) const {
    if (!is_rank(content) || !is_rank(other)) return 0;
    const auto partners = traffic_.partners(content);
    const auto found = std::ranges::lower_bound(partners, other, {}, &Partner::rank);
    return found != partners.end() && found->rank == other ? found->amount : 0;
  }

  /// The one of an object's contents that gains most by going to the other; -1 if all are locked.
  int best_of(int object) const {
    int best = -1;
    for (int slot = members_[at(object)]; slot < members_[at(object) + 1]; ++slot) {
      const int content = content_[at(slot)];
      if (!locked_[at(content)] && (best < 0 || gain_[at(content)] > gain_[at(best)])) best = content;
    }
    return best;
  }

  void exchange(int one, int other) {
    std::swap(slot_of_[at(one)], slot_of_[at(other)]);
    content_[at(slot_of_[at(one)])] = one;
    content_[at(slot_of_[at(other)])] = other;
  }

  /// After `moved` has come to the object `to` from `from`: what its partners in these two would gain now.
  void update_partners(int moved, int from, int to) {
    if (!is_rank(moved)) return;
    const double apart = hops_between(from, to) - hops_between(from, from);
    for (const Partner& partner : traffic_.partners(moved)) {
      const int object = object_of(partner.rank);
      if (object == from) gain_[at(partner.rank)] += 2 * partner.amount * apart;
      else if (object == to) gain_[at(partner.rank)] -= 2 * partner.amount * apart;
    }
    work_ += static_cast<double>(traffic_.partners(moved).size());
  }

  bool improve(int one, int other) {
    for (const int object : {one, other})
      for (int slot = members_[at(object)]; slot < members_[at(object) + 1]; ++slot) {
        const int content = content_[at(slot)];
        gain_[at(content)] = gain_of(content, object == one ? other : one);
        locked_[at(content)] = 0;
      }
    const double apart = hops_between(one, other) - hops_between(one, one);
    std::vector<std::pair<int, int>> steps;
    std::size_t kept = 0;
    double sum = 0;
    double best = too_little * traffic_.total();
    while (steps.size() - kept < static_cast<std::size_t>(most_steps_without_gain)) {
      const int a = best_of(one);
      const int b = best_of(other);
      if (a < 0 || b < 0) break;
      sum += gain_[at(a)] + gain_[at(b)] - 2 * amount_between(a, b) * apart;
      exchange(a, b);
      locked_[at(a)] = locked_[at(b)] = 1;
      update_partners(a, one, other);
      update_partners(b, other, one);
      steps.emplace_back(a, b);
      if (sum > best) {
        best = sum;
        kept = steps.size();
      }
    }
    for (; steps.size() > kept; steps.pop_back()) exchange(steps.back().first, steps.back().second);
    return kept > 0;
  }

  const Traffic& traffic_;
  const Machine& machine_;
  std::vector<int>& content_;  // by slot: a rank, or a number beyond for an empty slot
  double& work_;
  std::vector<int> slot_of_;  // by content
  std::vector<double> gain_;  // by content: of moving to the other object
  std::vector<std::uint8_t> locked_;
  std::vector<int> members_;
  int level_ = 0;
};

std::vector<int> contents(const Mapping& mapping, int slots) {
  std::vector<int> content(static_cast<std::size_t>(slots), -1);
  for (std::size_t rank = 0; rank < mapping.size(); ++rank)
    content[static_cast<std::size_t>(mapping[rank])] = static_cast<int>(rank);
  int next = static_cast<int>(mapping.size());
  for (int& one : content)
    if (one < 0) one = next++;
  return content;
}

}  // namespace

void refine(const Traffic& traffic, const Machine& machine, Mapping& mapping) {
  std::vector<int> content = contents(mapping, machine.slots());
  double work = 0;
  const double before = hop_bytes_of(traffic, machine, mapping);
  for (int level = 1; level < machine.levels(); ++level) Exchange(traffic, machine, content, work).go_over(level);
  Mapping after(mapping.size());
  for (std::size_t slot = 0; slot < content.size(); ++slot)
    if (content[slot] < traffic.ranks()) after[static_cast<std::size_t>(content[slot])] = static_cast<int>(slot);
  if (hop_bytes_of(traffic, machine, after) < before) mapping = std::move(after);
}

}  // namespace cairn::placement
