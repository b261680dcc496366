// SPDX-License-Identifier: BSD-3-Clause
// verdict.cc - finding who keeps a job from moving
//
// Causes, the most telling first: collective calls that do not fit each other, messages that cannot match, waiting for
// a process that has ended or finalizes, ranks that wait for each other, ranks that are outside MPI.

#include "where/verdict.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "where/deaths.hpp"
#include "where/latecomers.hpp"
#include "where/messages.hpp"
#include "where/threads.hpp"
#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

class Judge {
 public:
  Judge(const Job& job, Places& places, double patience_s) : job_(job), places_(places), patience_s_(patience_s) {}

  Verdict judge();

 private:
  struct Edge {
    const Actor* from;
    Wait wait;
  };

  void collect();
  void find_different_calls();
  void find_different_messages();
  void find_waits_for_ended();
  void find_circle();
  void find_waits_for_busy();
  void find_waits_for_start();
  void find_working_beside();
  void find_waits_for_others();
  State state() const;
  bool may_move() const;
  bool is_hopeless() const;

  void compare_calls(const Edge& edge);
  bool compare(const Edge& edge, const std::string& kind, const std::string& what,
               const std::function<std::string(const Process&, const Call&)>& value);
  void compare_messages(const Edge& edge, int partner);
  static long pending(const Edge& edge, int partner, int tag);
  bool is_over_for_others(int rank) const;
  bool waits(int rank) const;
  std::vector<const Edge*> edges_of(int rank) const;
  std::vector<int> circle_from(int start) const;
  bool descend(int rank, std::vector<int>& path, std::set<int>& done) const;
  std::string edge_phrase(const Edge& edge) const;
  std::string waiters_phrase(const std::vector<const Edge*>& edges) const;
  std::string who_does(int rank) const;
  void tell(std::string kind, std::string text, std::vector<int> ranks) {
    verdict_.findings.push_back({std::move(kind), std::move(text), std::move(ranks)});
  }

  const Job& job_;
  Places& places_;
  double patience_s_;
  std::vector<Edge> edges_;
  std::multimap<int, const Edge*> by_rank_;
  std::set<const Process*> working_;  // threads that have never called MPI
  Verdict verdict_;
};

void Judge::collect() {
  working_ = job_.working;
  for (const Process* const process : job_.processes)
    if (job_.last_event_s >= patience_s_ && (process->runs_beside || runs_beside(*process))) working_.insert(process);
  for (const Actor& actor : job_.actors)
    if (actor.doing == Doing::waiting && actor.since_s >= patience_s_)
      for (Wait& wait : waits_of(job_, actor)) edges_.push_back({&actor, std::move(wait)});
  for (const Edge& edge : edges_) by_rank_.emplace(edge.from->process->rank, &edge);
}

std::vector<const Judge::Edge*> Judge::edges_of(int rank) const {
  std::vector<const Edge*> edges;
  const auto [first, last] = by_rank_.equal_range(rank);
  for (auto at = first; at != last; ++at) edges.push_back(at->second);
  return edges;
}

std::string Judge::who_does(int rank) const {
  const Actor* const actor = job_.actor_of(rank);
  return cat({"rank ", rank, " ", actor == nullptr ? "is unknown" : doing_phrase(*actor, places_)});
}

/// "rank 1 waits in MPI_Recv (x.c:4) for a message with tag 7 from rank 0"
std::string Judge::edge_phrase(const Edge& edge) const {
  const Call& call = *edge.wait.call;
  std::string text = cat(
      {"rank ", edge.from->process->rank, " waits in ", call_phrase(*edge.from->process, *edge.from->call, places_)});
  switch (edge.wait.what) {
    case Wait::What::message:
      text += cat({" for ", message_phrase(call, receive_tag(call)), " from ",
                   call.from_anyone ? "any rank" : ranks_phrase(edge.wait.ranks)});
      break;
    case Wait::What::receiver:
      text += cat({" for ", ranks_phrase(edge.wait.ranks), " to receive ", message_phrase(call, call.tag)});
      break;
    default:
      text += " for " + ranks_phrase(edge.wait.ranks);
  }
  if (edge.from->call != &call && edge.from->call->function != call.function)
    text += cat({" (", call_phrase(*edge.from->process, call, places_), ")"});
  return text;
}

// ------------------------------------------------------------ collective calls

/// Tells which ranks have which value, if they differ; the fewest first.
bool Judge::compare(const Edge& edge, const std::string& kind, const std::string& what,
                    const std::function<std::string(const Process&, const Call&)>& value) {
  const Call& call = *edge.wait.call;
  std::map<std::string, std::vector<int>> ranks;
  for (const int rank : members_of(*call.object)) {
    const Process* const process = job_.of_rank(rank);
    const Call* const there =
        process == nullptr ? nullptr : collective_call(*process, call.object->identity, call.collective);
    if (there == nullptr || there->object->numbers_differ) continue;
    if (const std::string found = value(*process, *there); !found.empty()) ranks[found].push_back(rank);
  }
  if (ranks.size() < 2) return false;
  std::vector<std::pair<std::string, std::vector<int>>> groups(ranks.begin(), ranks.end());
  std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.second.size(); });
  std::string text = cat({"collective call ", call.collective, " on ", call.object->title(), what, ": "});
  for (std::size_t i = 0; i < groups.size(); ++i)
    text += cat({i == 0 ? "" : ", ", ranks_phrase(groups[i].second), " ", groups[i].first});
  tell(kind, text, groups.front().second);
  return true;
}

void Judge::compare_calls(const Edge& edge) {
  const auto name = [this](const Process& process, const Call& call) {
    return "in " + call_phrase(process, call, places_);
  };
  const auto function = [](const Process&, const Call& call) { return "in " + call.function->name; };
  std::set<std::string> names;
  if (compare(edge, "other function", " is not the same function everywhere", function)) {
    verdict_.findings.pop_back();
    compare(edge, "other function", " is not the same function everywhere", name);
    return;
  }
  const std::string in = ", " + edge.wait.call->function->name;
  if (edge.wait.call->object->remote_size != 0) return;
  if (compare(edge, "other root", in + ", has not the same root everywhere",
              [this](const Process& process, const Call& call) {
                return call.has(page::has_root) ? cat({"with root ", call.peer, place_phrase(process, call, places_)})
                                                : std::string();
              }))
    return;
  compare(edge, "other count", in + ", has not the same amount everywhere",
          [this](const Process& process, const Call& call) {
            return call.has(page::same_for_all) && call.type_size != 0
                       ? cat({"with ", amount_phrase(call), place_phrase(process, call, places_)})
                       : std::string();
          });
}

void Judge::find_different_calls() {
  std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
  for (const Edge& edge : edges_) {
    const Call& call = *edge.wait.call;
    if (call.collective == 0 || call.object == nullptr) continue;
    if (seen.emplace(call.object->identity, call.collective).second) compare_calls(edge);
  }
  // A call that everybody has come to can still wait, and has then no edges.
  for (const Actor& actor : job_.actors) {
    if (actor.doing != Doing::waiting || actor.since_s < patience_s_ || actor.call == nullptr) continue;
    const Call& call = *actor.call;
    if (call.collective != 0 && call.object != nullptr && seen.emplace(call.object->identity, call.collective).second)
      compare_calls({&actor, {Wait::What::collective, &call, {}}});
  }
}

// ------------------------------------------------------------ messages

/// Receives of such a message that are posted, and have counted as received.
long Judge::pending(const Edge& edge, int partner, int tag) {
  return std::ranges::count_if(edge.from->process->requests, [&](const Call& request) {
    return identity_of(request) == identity_of(*edge.wait.call) && request.partner() == partner && request.tag == tag;
  });
}

/// Whether a message that the rank waits for was sent with another tag, or on another communicator.
void Judge::compare_messages(const Edge& edge, int partner) {
  const Call& call = *edge.wait.call;
  const Process* const sender = job_.of_rank(partner);
  if (sender == nullptr || call.any_tag || call.from_anyone) return;
  if (verdict_.state != State::stuck && !is_over_for_others(partner)) return;  // what is missing may still be sent
  const Unmatched unmatched = unmatched_between(*sender, *edge.from->process);
  if (!unmatched.is_exact) return;
  const int tag = receive_tag(call);
  if (const auto there = unmatched.count.find({identity_of(call), tag});
      there != unmatched.count.end() && there->second + pending(edge, partner, tag) > 0)
    return;
  for (const auto& [key, count] : unmatched.count) {
    if (count <= 0) continue;
    const auto& [process, sent] = unmatched.last.at(key);
    const bool same_comm = key.first == identity_of(call);
    const std::string how = same_comm ? cat({"with tag ", key.second}) : cat({"on ", sent->object->title()});
    const std::string wanted = same_comm ? "" : cat({" on ", call.object->title()});
    tell(same_comm ? "other tag" : "other communicator",
         cat({edge_phrase(edge), wanted, "; rank ", partner, " has sent it one ", how,
              " that nobody receives: ", call_phrase(*process, *sent, places_)}),
         {partner, edge.from->process->rank});
    return;
  }
}

void Judge::find_different_messages() {
  for (const Edge& edge : edges_)
    if (edge.wait.what == Wait::What::message && edge.wait.ranks.size() == 1)
      compare_messages(edge, edge.wait.ranks.front());
}

// ------------------------------------------------------------ whoever does not come any more

bool Judge::is_over_for_others(int rank) const {
  const Actor* const actor = job_.actor_of(rank);
  if (actor == nullptr) return false;
  return actor->doing == Doing::ended ||
         (actor->call != nullptr && actor->doing == Doing::waiting && actor->call->function->kind == Kind::finalize);
}

/// "ranks 0-2 wait in MPI_Barrier (x.c:4)"
std::string Judge::waiters_phrase(const std::vector<const Edge*>& edges) const {
  std::map<std::string, std::vector<int>> by_call;
  for (const Edge* const edge : edges)
    by_call[call_phrase(*edge->from->process, *edge->from->call, places_)].push_back(edge->from->process->rank);
  std::string text;
  for (const auto& [call, ranks] : by_call) {
    constexpr std::size_t most = 200;
    if (text.size() > most) return text + ", …";
    text += cat({text.empty() ? "" : ", ", ranks_phrase(ranks), ranks.size() == 1 ? " waits in " : " wait in ", call});
  }
  return text;
}

void Judge::find_waits_for_ended() {
  std::map<int, std::vector<const Edge*>> by_target;
  for (const Edge& edge : edges_) {
    if (edge.wait.what == Wait::What::finalize) continue;
    if (edge.wait.any && !std::ranges::all_of(edge.wait.ranks, [this](int rank) { return is_over_for_others(rank); }))
      continue;
    for (const int rank : edge.wait.ranks)
      if (is_over_for_others(rank)) by_target[rank].push_back(&edge);
  }
  for (const auto& [rank, edges] : by_target) {
    const Edge& edge = *edges.front();
    if (edge.wait.what == Wait::What::collective)
      tell("missing",
           cat({waiters_phrase(edges), ", collective call ", edge.wait.call->collective, " on ",
                edge.wait.call->object->title(), ", to which rank ", rank, " does not come: ", who_does(rank)}),
           {rank});
    else tell("ended", cat({edge_phrase(edge), "; ", who_does(rank)}), {rank});
  }
}

// ------------------------------------------------------------ circles

bool Judge::waits(int rank) const {
  const Actor* const actor = job_.actor_of(rank);
  return actor != nullptr && actor->doing == Doing::waiting && by_rank_.contains(rank) && !actor->works_between() &&
         !working_.contains(actor->process);
}

/// A path along ranks that wait for each other, back to one that is on it already; the path then begins there.
bool Judge::descend(int rank, std::vector<int>& path, std::set<int>& done) const {
  if (const auto there = std::ranges::find(path, rank); there != path.end()) {
    path.erase(path.begin(), there);
    return true;
  }
  if (!done.insert(rank).second) return false;
  path.push_back(rank);
  for (const Edge* const edge : edges_of(rank)) {
    if (edge->wait.any && !std::ranges::all_of(edge->wait.ranks, [this](int one) { return waits(one); })) continue;
    for (const int next : edge->wait.ranks)
      if (waits(next) && descend(next, path, done)) return true;
  }
  path.pop_back();
  return false;
}

std::vector<int> Judge::circle_from(int start) const {
  std::vector<int> path;
  std::set<int> done;
  return descend(start, path, done) ? path : std::vector<int>{};
}

void Judge::find_circle() {
  std::vector<int> circle;
  for (const Edge& edge : edges_) {
    const std::vector<int> found = circle_from(edge.from->process->rank);
    if (!found.empty() && (circle.empty() || found.size() < circle.size())) circle = found;
    if (circle.size() == 2) break;
    constexpr std::size_t enough = 200;  // a large job has as many starts as ranks, and mostly one circle
    if (!circle.empty() && static_cast<std::size_t>(&edge - edges_.data()) > enough) break;
  }
  if (circle.empty()) return;
  std::string text =
      circle.size() == 1 ? "a rank waits for itself: " : cat({ranks_phrase(circle), " wait for each other: "});
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < circle.size() && i < most; ++i) {
    const int next = circle[(i + 1) % circle.size()];
    for (const Edge* const edge : edges_of(circle[i]))
      if (std::ranges::find(edge->wait.ranks, next) != edge->wait.ranks.end()) {
        text += cat({i == 0 ? "" : "; ", edge_phrase(*edge)});
        break;
      }
  }
  if (circle.size() > most) text += "; …";
  tell("deadlock", text, circle);
}

// ------------------------------------------------------------ whoever is busy

void Judge::find_waits_for_busy() {
  std::map<int, std::vector<const Edge*>> by_target;
  for (const Edge& edge : edges_)
    for (const int rank : edge.wait.ranks)
      if (const Actor* const actor = job_.actor_of(rank);
          actor != nullptr && (actor->doing == Doing::outside || actor->doing == Doing::in_call) &&
          actor->since_s >= patience_s_)
        by_target[rank].push_back(&edge);
  for (const auto& [rank, edges] : by_target) {
    constexpr std::size_t most = 10;
    if (verdict_.findings.size() >= most) return;
    tell("busy", cat({who_does(rank), "; ", waiters_phrase(edges), " for it"}), {rank});
  }
}

/// Ranks whose calls all wait, while a thread that has never called MPI works.
void Judge::find_working_beside() {
  for (const Process* const process : working_) {
    const Actor* const actor = job_.actor_of(process->rank);
    if (actor == nullptr || actor->doing != Doing::waiting || actor->since_s < patience_s_) continue;
    constexpr std::size_t most = 10;
    if (verdict_.findings.size() >= most) return;
    tell("busy", cat({who_does(process->rank), ", but a thread of it that has not called MPI works"}), {process->rank});
  }
}

/// Of these nothing is known, so nobody is blamed.
void Judge::find_waits_for_others() {
  std::map<std::string, std::vector<int>> by_call;
  for (const Actor& actor : job_.actors)
    if (actor.since_s >= patience_s_ && waits_for_others(actor))
      by_call[call_phrase(*actor.process, *actor.call, places_)].push_back(actor.process->rank);
  for (const auto& [call, ranks] : by_call) {
    constexpr std::size_t most = 10;
    if (verdict_.findings.size() >= most) return;
    tell("other job",
         cat({ranks_phrase(ranks), ranks.size() == 1 ? " waits in " : " wait in ", call,
              " for processes of another job"}),
         {});
  }
}

// ------------------------------------------------------------ MPI_Init

/// "rank 1 (process 4711, app, sleeping)"
std::string latecomers_phrase(const std::vector<Latecomer>& late) {
  std::string text;
  constexpr std::size_t most = 3;
  for (std::size_t i = 0; i < std::min(most, late.size()); ++i)
    text += cat({text.empty() ? "" : ", ", "rank ", late[i].rank, " (process ", late[i].pid, ", ",
                 harmless(late[i].name), ", ", state_phrase(late[i].state), ")"});
  return late.size() > most ? text + ", …" : text;
}

void Judge::find_waits_for_start() {
  if (!job_.is_starting() || job_.last_event_s < patience_s_ || job_.size <= 0) return;
  std::vector<int> ranks;
  for (const Process* const process : job_.processes) ranks.push_back(process->rank);
  const Actor& first = job_.actors.front();
  const std::string waiters = cat({ranks_phrase(ranks), ranks.size() == 1 ? " waits in " : " wait in ",
                                   call_phrase(*first.process, *first.call, places_)});
  if (job_.unseen.empty())
    return tell("start", cat({waiters, ", to which all ranks have come: see what launcher and network say"}), ranks);
  const Latecomers found = find_latecomers(*job_.processes.front(), job_.unseen);
  if (const std::vector<int>& gone = found.gone; !gone.empty())
    tell("missing",
         cat({ranks_phrase(gone),
              gone.size() == 1 ? " has not called MPI_Init, and has no process any more; "
                               : " have not called MPI_Init, and have no processes any more; ",
              waiters, gone.size() == 1 ? " for it" : " for them"}),
         gone);
  if (found.late.empty()) return;
  std::vector<int> late;
  for (const Latecomer& one : found.late) late.push_back(one.rank);
  tell("busy",
       cat({latecomers_phrase(found.late), late.size() == 1 ? " has" : " have", " not called MPI_Init; ", waiters,
            late.size() == 1 ? " for it" : " for them"}),
       late);
}

// ------------------------------------------------------------ all in all

/// Whether a rank that is seen may go on by itself.
bool Judge::may_move() const {
  return std::ranges::any_of(job_.processes, [this](const Process* process) {
    const Actor* const actor = job_.actor_of(process->rank);
    if (actor == nullptr || actor->doing == Doing::ended) return false;
    return actor->doing != Doing::waiting || actor->works_between() || working_.contains(process) ||
           waits_for_others(*actor);
  });
}

/// Of ranks that are not seen it must be known that they have gone: in MPI_Init.
bool Judge::is_hopeless() const {
  if (verdict_.state == State::stuck) return true;
  if (may_move()) return false;
  if (verdict_.state == State::died) return job_.unseen.empty();
  return verdict_.state == State::waiting && job_.is_starting() && verdict_.is_certain();
}

State Judge::state() const {
  const auto all = [this](auto test) { return std::ranges::all_of(job_.actors, test); };
  if (std::ranges::any_of(job_.processes, &Process::has_died)) return State::died;
  if (all([](const Actor& one) { return one.doing == Doing::ended; })) return State::over;
  const bool anybody_waits = std::ranges::any_of(
      job_.actors, [this](const Actor& one) { return one.doing == Doing::waiting && one.since_s >= patience_s_; });
  if (job_.last_event_s < patience_s_ || !anybody_waits) return State::moving;
  if (!job_.unseen.empty()) return State::waiting;  // who knows whether these can move
  if (job_.is_starting() && job_.size > 0) return State::stuck;
  for (const Actor& actor : job_.actors)  // the launcher may take its time to start the job
    if (actor.doing == Doing::waiting && actor.call->function->kind == Kind::init) return State::waiting;
  return may_move() ? State::waiting : State::stuck;
}

Verdict Judge::judge() {
  collect();
  verdict_.state = state();
  if (std::optional<Finding> death = find_death(job_, places_)) verdict_.findings.push_back(*std::move(death));
  if (verdict_.state == State::moving || verdict_.state == State::over) return std::move(verdict_);
  find_different_calls();
  find_different_messages();
  find_waits_for_ended();
  const bool is_explained =
      std::ranges::any_of(verdict_.findings, [](const Finding& one) { return one.kind != "death"; });
  if (!is_explained) find_circle();
  find_waits_for_busy();
  find_working_beside();
  find_waits_for_others();
  find_waits_for_start();
  verdict_.is_hopeless = is_hopeless();
  return std::move(verdict_);
}

}  // namespace

bool Verdict::is_certain() const {
  return std::ranges::any_of(findings, [](const Finding& one) {
    return one.kind != "busy" && one.kind != "start" && one.kind != "other job";
  });
}

std::string_view name_of(State state) {
  switch (state) {
    case State::over:
      return "over";
    case State::moving:
      return "moving";
    case State::waiting:
      return "waiting";
    case State::stuck:
      return "stuck";
    case State::died:
      return "died";
  }
  return "unknown";
}

Verdict judge(const Job& job, Places& places, double patience_s) { return Judge(job, places, patience_s).judge(); }

}  // namespace cairn::where
