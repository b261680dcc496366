// SPDX-License-Identifier: BSD-3-Clause
// causes.cc - charging waits, the latest first, so that what is passed on to earlier ones is known when they come

#include "waits/causes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <tuple>
#include <unordered_map>

#include "waits/own_costs.hpp"
#include "waits/usual_work.hpp"

namespace cairn::waits {

namespace {

constexpr Index short_interval = 2048;  // calls looked back at least, and
constexpr std::int64_t ns_of_a_call =
    2000;                         // one more for each of these of the wait: so this takes little of what was waited
constexpr int most_holders = 64;  // of a lock, looked at for one wait

/// Follows one thread's calls: when did it last know where another one was?
class Meetings {
 public:
  explicit Meetings(const Graph& graph) : graph_(graph) {}

  /// At the beginning of a section all knew of each other, or it is not known.
  void begin(const Lane& lane) {
    by_lane_.clear();
    operations_.clear();
    begin_ = graph_.section == 0 ? graph_.begin_ns : graph_.nodes[lane.first].exit;
  }

  std::int64_t last_with(Index lane) const {
    std::int64_t last = begin_;
    if (const auto found = by_lane_.find(lane); found != by_lane_.end()) last = found->second;
    const int rank = graph_.lanes[lane].rank;
    for (const auto& [operation, moment] : operations_)
      if (moment > last && graph_.part_of(graph_.operations[operation], rank) != none) last = moment;
    return last;
  }

  void add(Index node) {
    const std::int64_t moment = graph_.nodes[node].exit;
    for (Index i = graph_.ended_at[node]; i < graph_.ended_at[node + 1]; ++i) {
      const Ended& one = graph_.ended[i];
      if (one.what == Ended::part) add_part(one.which, moment);
      else if (one.needs_sender()) add_call(graph_.links[one.which].send_begin, moment);
      else add_call(graph_.links[one.which].receive_begin, moment);
    }
  }
  /// That of another thread had begun by then, as is known.
  void add_call(Index node, std::int64_t moment) { by_lane_[graph_.nodes[node].lane] = moment; }

 private:
  static constexpr std::size_t most_operations = 16;

  void add_part(Index part, std::int64_t moment) {
    const Index operation = graph_.operation_of[part];
    const Operation& of = graph_.operations[operation];
    const bool is_root = graph_.parts[part].rank == of.root;
    if (of.pattern == Pattern::barrier || of.pattern == Pattern::n_to_n || of.pattern == Pattern::fence ||
        (of.pattern == Pattern::n_to_one && is_root))
      return add_operation(operation, moment);
    if (of.pattern != Pattern::one_to_n || is_root) return;
    if (const Index root = graph_.part_of(of, of.root); root != none) add_call(graph_.parts[root].begin, moment);
  }
  /// The last one on each communicator, of those where the process knows of all.
  void add_operation(Index operation, std::int64_t moment) {
    const Operation& of = graph_.operations[operation];
    const auto same = std::ranges::find_if(
        operations_, [&](const auto& one) { return graph_.operations[one.first].comm == of.comm; });
    if (same != operations_.end()) *same = {operation, moment};
    else if (operations_.size() < most_operations) operations_.emplace_back(operation, moment);
  }

  const Graph& graph_;
  std::int64_t begin_ = 0;
  std::unordered_map<Index, std::int64_t> by_lane_;
  std::vector<std::pair<Index, std::int64_t>> operations_;
};

/// When two threads last knew of each other before a wait: with whom it ended, and with whom its first part did.
struct Met {
  std::int64_t last = 0;
  std::int64_t early = 0;
};

std::vector<Met> meetings_of(const Graph& graph, const Waits& waits) {
  std::vector<Met> all(waits.all.size());
  Meetings meetings(graph);
  const auto last_with = [&](Index call) { return call == none ? 0 : meetings.last_with(graph.nodes[call].lane); };
  for (const Lane& lane : graph.lanes) {
    meetings.begin(lane);
    for (Index node = lane.first; node < lane.last; ++node) {
      const Index wait = waits.at[node];
      if (wait != none) all[wait] = {last_with(waits.all[wait].culprit), last_with(waits.all[wait].early.began)};
      meetings.add(node);
      if (wait != none) meetings.add_call(waits.all[wait].culprit, graph.nodes[node].exit);
    }
  }
  return all;
}

struct Spent {
  Piece piece;
  std::int64_t ns = 0;
  Index last = none;       // call that it belongs to
  std::int64_t usual = 0;  // of that
};

/// What a thread did from a moment on until it came to a call.
struct Interval {
  std::vector<Spent> pieces;                          // sorted, each piece once
  std::vector<std::pair<Index, std::int64_t>> waits;  // of its own, with what of them lies in that time
  std::int64_t waited = 0;

  void clear() {
    pieces.clear();
    waits.clear();
    waited = 0;
  }
  double ns_of(Piece piece) const {
    const auto found = std::ranges::find(pieces, piece, &Spent::piece);
    return found == pieces.end() ? 0 : static_cast<double>(found->ns);
  }
  std::int64_t work_ns() const {
    std::int64_t ns = 0;
    for (const Spent& spent : pieces) ns += spent.piece.to == none ? 0 : spent.ns;
    return ns;
  }
  void scale_work(double factor) {
    for (Spent& spent : pieces)
      if (spent.piece.to != none) spent.ns = std::llround(factor * static_cast<double>(spent.ns));
  }
  /// The latest call of each piece stays.
  void join_alike() {
    std::ranges::sort(pieces, [](const Spent& one, const Spent& other) {
      return std::tie(one.piece, other.last) < std::tie(other.piece, one.last);
    });
    std::size_t count = 0;
    for (const Spent& spent : pieces) {
      if (count == 0 || pieces[count - 1].piece != spent.piece) {
        pieces[count++] = spent;
        continue;
      }
      pieces[count - 1].ns += spent.ns;
      pieces[count - 1].usual += spent.usual;
    }
    pieces.resize(count);
  }
};

class Charger {
 public:
  Charger(const Graph& graph, const Waits& waits)
      : graph_(graph),
        waits_(waits),
        meetings_(meetings_of(graph, waits)),
        own_costs_(graph, waits),
        usual_(graph, own_costs_.idle_ranks()),
        carried_(waits.all.size()) {}

  std::vector<CauseSum> charge() {
    std::vector<Index> order(waits_.all.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::greater{}, [&](Index wait) { return waits_.all[wait].until; });
    for (const Index wait : order) charge(wait);
    std::vector<CauseSum> all;
    for (auto& [key, cause] : causes_) {
      cause.find_dearest();
      all.push_back(std::move(cause));
    }
    std::ranges::stable_sort(all, std::greater{}, &CauseSum::cost_ns);
    return all;
  }

 private:
  /// An idle rank's own waiting apart from what is passed on to it. It may wait for a lock only because others have it.
  void charge(Index number) {
    const Wait& wait = waits_.all[number];
    longest_interval_ = std::max<std::int64_t>(short_interval, wait.ns(graph_) / ns_of_a_call);
    if (wait.kind == WaitKind::lock_contention || !is_idle(wait.node))
      return charge(number, own_costs_[number] + carried_[number]);
    is_of_idle_ = true;
    charge(number, own_costs_[number]);
    is_of_idle_ = false;
    charge(number, carried_[number]);
  }
  void charge(Index number, double cost) {
    if (cost <= 0) return;
    const Wait& wait = waits_.all[number];
    if (!is_completion(wait.kind)) return charge(wait, meetings_[number].last, cost);
    const double part = static_cast<double>(wait.early.ns) / static_cast<double>(wait.ns(graph_));
    const double begun_late = charge_completion(wait, meetings_[number].last, cost * (1 - part));
    if (const Index began = wait.early.began; began != none)
      charge({wait.node, began, graph_.nodes[began].entry, wait.early.kind, wait.comm, {}}, meetings_[number].early,
             cost * part + begun_late);
  }

  /// To what the late one has done since the two last met.
  void charge(const Wait& wait, std::int64_t met, double cost) {
    if (graph_.previous(wait.culprit) == none) return add({}, wait, wait.culprit, cost);
    if (wait.kind == WaitKind::lock_contention) return charge_holders(wait, cost);
    charge_until(wait, INT64_MAX, met, cost);
  }
  void charge_until(const Wait& wait, std::int64_t until, std::int64_t met, double cost) {
    met = since_waiting(wait.culprit, graph_.nodes[wait.node].lane, met);
    look_back(own_, wait.node, met);
    look_back(others_, wait.culprit, met, until);
    charge_excess(wait, cost, own_, others_);
  }

  /// To what the other one was at while nobody took part in the transfer; what came before that is as for other waits, and
  /// so is what is no longer than the same work of the one that waits: that was begun late. Returns what of it is due to
  /// the transfer's late beginning.
  double charge_completion(const Wait& wait, std::int64_t met, double cost) {
    const Index before = graph_.last_before(wait.culprit);
    const Index began = wait.early.began;
    const std::int64_t since = graph_.nodes[wait.node].entry + wait.early.ns;
    const bool is_all = before == none || before == began || wait.until == since;
    const std::int64_t away = is_all ? since : std::clamp(graph_.nodes[before].exit, since, wait.until);
    const auto at_work = static_cast<double>(wait.until - away);
    const double of_all = is_all ? cost : cost * at_work / static_cast<double>(wait.until - since);
    const bool is_begun_late = began != none && graph_.nodes[began].lane == graph_.nodes[wait.culprit].lane;
    const double same = is_begun_late || !is_all ? of_all * part_alike(wait, met, at_work) : 0;
    if (is_all || of_all > same) {
      const double usual = std::min(of_all - same, usual_before(wait.culprit, at_work));
      add(work_before(graph_, wait.culprit), wait, wait.culprit, of_all - same - usual);
      add_usual(work_before(graph_, wait.culprit), wait, wait.culprit, usual);
    }
    const double earlier = cost - of_all + (is_begun_late ? 0 : same);
    if (earlier > 0) charge_until(wait, away, met, earlier);
    return is_begun_late ? same : 0;
  }

  bool is_idle(Index node) const { return own_costs_.idle_ranks()[static_cast<std::size_t>(graph_.rank(node))]; }

  /// Of time at work before the late call: what an idle rank would have waited, too, if that had taken no longer than usual.
  double usual_before(Index node, double at_work) const {
    const std::int64_t usual = is_of_idle_ ? usual_.before_ns(node) : 0;
    if (usual == 0) return 0;
    const auto excess = static_cast<double>(graph_.work_before_ns(node) - usual);
    return std::max(0.0, at_work - std::max(0.0, excess));
  }

  /// Of time at work before the late call: what is no longer than the same work of the one that waits.
  double part_alike(const Wait& wait, std::int64_t met, double at_work) {
    if (at_work <= 0) return 0;
    const Piece piece = work_before(graph_, wait.culprit);
    look_back(own_, wait.node, met);
    look_back(others_, wait.culprit, met);
    const double own = own_.ns_of(piece);
    const double longer = std::max(0.0, others_.ns_of(piece) - own);
    return std::clamp(at_work - longer, 0.0, std::min(own, at_work)) / at_work;
  }

  /// To all who had the lock meanwhile, each for what it did while it had it. Where nobody had it, it was on its way to the
  /// next one. Of very many, the first one stands for those before it.
  void charge_holders(const Wait& wait, double cost) {
    const std::int64_t began = graph_.nodes[wait.node].entry;
    const double of_all = cost / static_cast<double>(wait.ns(graph_));
    own_.clear();
    Wait part = wait;
    std::int64_t until = wait.until;
    for (int holders = 1; until > began; ++holders) {
      const Held* const held = graph_.held_until(part.culprit);
      const bool is_last = held == nullptr || held->before == none || holders == most_holders;
      const std::int64_t asked = held == nullptr ? began : graph_.nodes[held->begin].entry;
      const std::int64_t free = is_last || held->is_beside ? began : graph_.nodes[held->before].entry;
      const std::int64_t since = std::clamp(std::max(asked, free), began, until);
      if (since < until) {
        look_back(others_, part.culprit, since, until);
        charge_excess(part, of_all * static_cast<double>(until - since), own_, others_);
      }
      until = std::min(since, is_last ? began : std::max(began, graph_.nodes[held->before].entry));
      if (until < since)
        add({graph_.nodes[held->begin].site, none}, part, held->begin, of_all * static_cast<double>(since - until));
      if (is_last) return;
      part.culprit = held->before;
    }
  }

  /// Takes off what the one that waits has spent in that time: on the same; on work that begins after, or ends with, the same
  /// call, as where one of two has calls to make that the other one has not; on any other work; and on what others did, too,
  /// for whom the late one waited.
  void take_off_own(Interval& own, Interval& others) const {
    auto mine = own.pieces.begin();
    for (Spent& spent : others.pieces) {
      while (mine != own.pieces.end() && mine->piece < spent.piece) ++mine;
      if (mine != own.pieces.end() && mine->piece == spent.piece) take_off(spent, *mine);
    }
    constexpr std::size_t most_compared = 4096;
    if (own.pieces.size() * others.pieces.size() <= most_compared)
      for (Spent& spent : others.pieces)
        for (Spent& one : own.pieces)
          if (spent.piece.to != none && one.piece.to != none &&
              (spent.piece.from == one.piece.from || spent.piece.to == one.piece.to))
            take_off(spent, one);
    take_off_other_work(own, others);
    take_off_same_of_others(own, others);
  }
  static void take_off(Spent& spent, Spent& mine) {
    const std::int64_t both = std::min(spent.ns, mine.ns);
    spent.ns -= both;
    spent.usual = std::max<std::int64_t>(0, spent.usual - both);
    mine.ns -= both;
  }
  static void take_off_other_work(Interval& own, Interval& others) {
    const std::int64_t left = own.work_ns();
    const std::int64_t rest = others.work_ns();
    if (left == 0 || rest == 0) return;
    const auto both = static_cast<double>(std::min(left, rest));
    own.scale_work(1 - both / static_cast<double>(left));
    others.scale_work(1 - both / static_cast<double>(rest));
  }
  /// The earliest waits first. The late one has not waited while it worked itself.
  void take_off_same_of_others(Interval& own, Interval& others) const {
    std::int64_t left = own.work_ns();
    for (auto at = others.waits.rbegin(); left > 0 && at != others.waits.rend(); ++at) {
      auto& [wait, ns] = *at;
      const Index late = waits_.all[wait].culprit;
      const Index to = work_before(graph_, late).to;
      const auto is_same = [&](const Spent& one) { return one.ns > 0 && to != none && one.piece.to == to; };
      const auto mine = std::ranges::find_if(own.pieces, is_same);
      if (mine == own.pieces.end()) continue;
      const std::int64_t work = graph_.work_before_ns(late);
      const std::int64_t both = std::min(work, mine->ns);
      const std::int64_t waited = std::max<std::int64_t>(0, both - std::max<std::int64_t>(0, work - ns));
      mine->ns -= both;
      left -= both;
      ns -= waited;
      others.waited -= waited;
    }
  }

  /// Beyond what the one that waits has spent on the same; of an idle rank, beyond what is usual.
  void charge_excess(const Wait& wait, double cost, Interval& own, Interval& others) {
    take_off_own(own, others);
    double all = 0;
    double usual = 0;
    for (Spent& spent : others.pieces) {
      spent.usual = is_of_idle_ ? std::min(spent.usual, spent.ns) : 0;
      spent.ns -= spent.usual;
      all += static_cast<double>(spent.ns);
      usual += static_cast<double>(spent.usual);
    }
    const auto waited = static_cast<double>(std::max<std::int64_t>(0, others.waited - own.waited));
    all += waited;
    if (all + usual <= 0) return add(work_before(graph_, wait.culprit), wait, wait.culprit, cost);
    const double lost = usual > 0 ? std::min(cost, all) : cost;
    for (const Spent& spent : others.pieces) {
      if (spent.ns > 0) add(spent.piece, wait, spent.last, lost * static_cast<double>(spent.ns) / all);
      if (spent.usual > 0)
        add_usual(spent.piece, wait, spent.last, (cost - lost) * static_cast<double>(spent.usual) / usual);
    }
    if (waited <= 0) return;
    for (const auto& [before, ns] : others.waits)
      pass_on(before, wait, lost * waited / all * static_cast<double>(ns) / static_cast<double>(others.waited));
  }

  /// To those whom the late one had waited for.
  void pass_on(Index before, const Wait& wait, double cost) {
    if (cost <= 0) return;
    if (waits_.all[before].until < wait.until) carried_[before] += cost;
    else add({}, wait, wait.culprit, cost);
  }

  /// Where the late one had waited for the other one itself meanwhile, it was not late before.
  std::int64_t since_waiting(Index late, Index other, std::int64_t since) const {
    Index at = late;
    for (std::int64_t looked_at = 0; looked_at < longest_interval_; ++looked_at) {
      at = graph_.last_before(at);
      if (at == none || graph_.nodes[at].exit <= since) break;
      if (const Index wait = waits_.at[at]; wait != none && graph_.nodes[waits_.all[wait].culprit].lane == other)
        return std::max(since, waits_.all[wait].until);
    }
    return since;
  }

  /// Before a thread's first call, that is what the process's main one did; before a thread's end was waited for, what that
  /// one did.
  void look_back(Interval& interval, Index node, std::int64_t since, std::int64_t until = INT64_MAX) const {
    interval.clear();
    const Lane* lane = &graph_.lanes[graph_.nodes[node].lane];
    Index at = node;
    for (std::int64_t looked_at = 0; looked_at < longest_interval_; ++looked_at) {
      const Index before = graph_.last_before(at);
      if (before == none) break;
      lane = &graph_.lanes[graph_.nodes[before].lane];
      const Node& call = graph_.nodes[before];
      if (const std::int64_t ns = std::min(graph_.nodes[at].entry, until) - std::max(call.exit, since); ns > 0)
        interval.pieces.push_back({{call.site, graph_.nodes[at].site}, ns, at, std::min(ns, usual_.before_ns(at))});
      if (call.exit <= since) break;
      add_call(interval, before, *lane, since, until);
      at = before;
    }
    interval.join_alike();
  }

  /// Up to the end of MPI_Init all is the start of MPI.
  void add_call(Interval& interval, Index node, const Lane& lane, std::int64_t since, std::int64_t until) const {
    const Node& call = graph_.nodes[node];
    if (node == lane.first && lane.after == none) {
      if (!lane.begins_earlier) interval.pieces.push_back({{}, std::min(call.exit, until) - since, node});
      return;
    }
    std::int64_t from = std::max(call.entry, since);
    const std::int64_t end = std::min(call.exit, until);
    if (const Index wait = waits_.at[node]; wait != none && waits_.all[wait].until > from) {
      const std::int64_t ns = std::min(waits_.all[wait].until, end) - from;
      if (ns <= 0) return;
      interval.waits.emplace_back(wait, ns);
      interval.waited += ns;
      from += ns;
    }
    if (end > from) interval.pieces.push_back({{call.site, none}, end - from, node});
  }

  void add_usual(Piece piece, const Wait& wait, Index node, double cost) {
    if (cost > 0) add(piece, wait, node, cost, true);
  }
  void add(Piece piece, const Wait& wait, Index node, double cost, bool is_usual = false) {
    CauseSum& cause = causes_[{key_of(piece), is_usual}];
    cause.is_usual = is_usual;
    cause.pieces[piece] += cost;
    if (cause.times == 0) cause.region = piece.to == none ? graph_.nodes[node].region : graph_.nodes[node].before;
    cause.cost_ns += cost;
    ++cause.times;
    cause.by_rank[graph_.rank(node)] += cost;
    cause.symptoms[{wait.kind, graph_.nodes[wait.node].site}] += cost;
  }

  const Graph& graph_;
  const Waits& waits_;
  std::vector<Met> meetings_;
  OwnCosts own_costs_;
  UsualWork usual_;
  bool is_of_idle_ = false;  // what is being charged: its own waiting
  std::vector<double> carried_;
  std::int64_t longest_interval_ = short_interval;
  std::map<CauseKey, CauseSum> causes_;
  Interval own_, others_;
};

}  // namespace

void CauseSum::find_dearest() {
  piece = std::ranges::max_element(pieces, {}, [](const auto& one) { return one.second; })->first;
}

void CauseSum::add(const CauseSum& other) {
  if (times == 0) {
    region = other.region;
    is_usual = other.is_usual;
  }
  for (const auto& [of, cost] : other.pieces) pieces[of] += cost;
  cost_ns += other.cost_ns;
  times += other.times;
  for (const auto& [rank, cost] : other.by_rank) by_rank[rank] += cost;
  for (const auto& [what, cost] : other.symptoms) symptoms[what] += cost;
  find_dearest();
}

std::vector<CauseSum> causes_of(const Graph& graph, const Waits& waits) { return Charger(graph, waits).charge(); }

}  // namespace cairn::waits
