// SPDX-License-Identifier: BSD-3-Clause
// verdict.cc - finding who keeps a job from moving
//
// Causes, the most telling first: collective calls that do not fit each other, messages that cannot match, waiting for
// a process that has ended or finalizes, ranks that wait for each other, ranks that are outside MPI.

#include "where/verdict.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "where/circles.hpp"
#include "where/deaths.hpp"
#include "where/lifecycle.hpp"
#include "where/messages.hpp"
#include "where/misfits.hpp"
#include "where/threads.hpp"
#include "where/transfers.hpp"
#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

constexpr std::size_t most_findings = 10;

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
  void find_transfers();
  void find_waits_for_busy();
  void find_working_beside();
  void find_waits_for_others();
  void find_what_keeps_ends();
  State state() const;
  bool may_move() const;
  bool is_hopeless() const;

  void compare_messages(const Edge& edge, int partner);
  static long pending(const Edge& edge, int partner, int tag);
  bool is_over_for_others(int rank) const;
  bool waits(int rank) const;
  std::vector<const Edge*> blocked_edges_of(int rank) const;
  static std::vector<int> awaited_by(const std::vector<const Edge*>& edges);
  std::vector<const Edge*> edges_to(int rank, const std::vector<const Edge*>& among) const;
  static bool may_be_others(const Edge& edge);
  std::vector<int> all_in(const std::vector<int>& circle) const;
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

/// Those that others must end.
std::vector<const Judge::Edge*> Judge::blocked_edges_of(int rank) const {
  std::vector<const Edge*> edges;
  const auto [first, last] = by_rank_.equal_range(rank);
  for (auto at = first; at != last; ++at)
    if (!at->second->wait.may_end_by_itself()) edges.push_back(at->second);
  return edges;
}

std::vector<int> Judge::awaited_by(const std::vector<const Edge*>& edges) {
  std::vector<const Awaited*> all;
  for (const Edge* const edge : edges) all.push_back(&edge->wait.whom);
  return all_awaited(all);
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
                   call.from_anyone ? "any rank" : ranks_phrase(edge.wait.whom.all())});
      break;
    case Wait::What::receiver:
      text += cat({" for ", ranks_phrase(edge.wait.whom.all()), " to receive ", message_phrase(call, call.tag)});
      break;
    default:
      text += (may_be_others(edge) ? " for some of " : " for ") + ranks_phrase(edge.wait.whom.all());
  }
  if (edge.from->call != &call && edge.from->call->function != call.function)
    text += cat({" (", call_phrase(*edge.from->process, call, places_), ")"});
  return text;
}

// ------------------------------------------------------------ collective calls

/// Also one that everybody has come to can still wait, or end the program: whoever it ends first may still be on its way
/// out when the others have been killed.
void Judge::find_different_calls() {
  std::vector<const Call*> calls;
  const auto compare = [&calls](const Call& call) {
    if (call.collective != 0 && call.object != nullptr) calls.push_back(&call);
  };
  for (const Edge& edge : edges_) compare(*edge.wait.call);
  for (const Actor& actor : job_.actors) {
    const bool waits = actor.doing == Doing::waiting && actor.since_s >= patience_s_;
    const bool does_not_go_on = verdict_.state == State::died && actor.thread != nullptr && actor.thread->inside;
    if (!waits && !does_not_go_on) continue;
    compare(*actor.call);
    if (actor.thread != nullptr) std::ranges::for_each(actor.thread->waited_for, compare);
  }
  for (const Call* const call : made_differently(job_, calls)) {
    if (verdict_.findings.size() >= most_findings) return;
    if (std::optional<Finding> found = find_misfit(job_, *call, places_))
      verdict_.findings.push_back(*std::move(found));
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
  const Unmatched& unmatched = where::unmatched(job_, *sender, *edge.from->process);
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
  for (const Edge& edge : edges_) {
    if (verdict_.findings.size() >= most_findings) return;
    const int from = edge.wait.what == Wait::What::message ? edge.wait.whom.only() : -1;
    if (from >= 0) compare_messages(edge, from);
  }
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

/// Of some edges, those that wait for the rank.
std::vector<const Judge::Edge*> Judge::edges_to(int rank, const std::vector<const Edge*>& among) const {
  FirstThat is_it([rank](int one) { return one == rank; });
  std::vector<const Edge*> edges;
  for (const Edge* const edge : among)
    if (is_it.in(edge->wait.whom) == rank) edges.push_back(edge);
  return edges;
}

/// Of a wait for any of several, all must have gone.
void Judge::find_waits_for_ended() {
  FirstThat may_come([this](int rank) { return !is_over_for_others(rank); });
  std::vector<const Edge*> edges;
  for (const Edge& edge : edges_)
    if (edge.wait.what != Wait::What::finalize && !edge.wait.may_end_by_itself() &&
        !(edge.wait.any && may_come.in(edge.wait.whom) >= 0))
      edges.push_back(&edge);
  for (const int rank : awaited_by(edges)) {
    if (verdict_.findings.size() >= most_findings) return;
    if (!is_over_for_others(rank)) continue;
    const std::vector<const Edge*> waiters = edges_to(rank, edges);
    if (waiters.empty()) continue;
    const Edge& edge = *waiters.front();
    if (edge.wait.what == Wait::What::collective)
      tell("missing",
           cat({waiters_phrase(waiters), ", collective call ", edge.wait.call->collective, " on ",
                edge.wait.call->object->title(), ", which rank ", rank, " never reaches: ", who_does(rank)}),
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

/// Of an epoch it is unknown which of the window's ranks it is with.
bool Judge::may_be_others(const Edge& edge) {
  return edge.wait.any && edge.wait.what == Wait::What::window && edge.wait.whom.only() < 0;
}

/// All that the one who waits may wait for, where that is unknown: any of them may be who does not come.
std::vector<int> Judge::all_in(const std::vector<int>& circle) const {
  std::set<int> all(circle.begin(), circle.end());
  for (std::size_t i = 0; i < circle.size(); ++i)
    for (const Edge* const edge : edges_to(circle[(i + 1) % circle.size()], blocked_edges_of(circle[i])))
      if (may_be_others(*edge)) std::ranges::copy(edge->wait.whom.all(), std::inserter(all, all.end()));
  return {all.begin(), all.end()};
}

void Judge::find_circle() {
  std::vector<Arc> arcs;
  for (const Edge& edge : edges_)
    if (!edge.wait.may_end_by_itself()) arcs.push_back({edge.from->process->rank, &edge.wait.whom, edge.wait.any});
  const std::vector<int> circle = where::find_circle(arcs, [this](int rank) { return waits(rank); });
  if (circle.empty()) return;
  const std::vector<int> all = all_in(circle);
  std::string text =
      circle.size() == 1 ? "a rank waits for itself: " : cat({ranks_phrase(all), " wait for each other: "});
  constexpr std::size_t most = 6;
  for (std::size_t i = 0; i < circle.size() && i < most; ++i) {
    const int next = circle[(i + 1) % circle.size()];
    const std::vector<const Edge*> there = edges_to(next, blocked_edges_of(circle[i]));
    if (!there.empty()) text += cat({i == 0 ? "" : "; ", edge_phrase(*there.front())});
  }
  if (circle.size() > most) text += "; …";
  tell("deadlock", text, all);
}

/// A large message over a slow network takes its time: told once for each pair, and nobody is blamed.
void Judge::find_transfers() {
  std::set<std::pair<int, int>> told;
  for (const Edge& edge : edges_) {
    if (!edge.wait.may_end_by_itself()) continue;
    if (verdict_.findings.size() >= most_findings) return;
    const Process& other = *edge.wait.other_end.process;
    if (!told.insert(std::minmax(edge.from->process->rank, +other.rank)).second) continue;
    tell("transfer",
         cat({edge_phrase(edge), "; rank ", other.rank, " has called ",
              call_phrase(other, *edge.wait.other_end.call, places_), ", which fits: the data may be on their way"}),
         {});
  }
}

// ------------------------------------------------------------ whoever is busy

void Judge::find_waits_for_busy() {
  std::vector<const Edge*> edges;
  for (const Edge& edge : edges_) edges.push_back(&edge);
  for (const int rank : awaited_by(edges)) {
    if (verdict_.findings.size() >= most_findings) return;
    const Actor* const actor = job_.actor_of(rank);
    if (actor == nullptr || (actor->doing != Doing::outside && actor->doing != Doing::in_call) ||
        actor->since_s < patience_s_)
      continue;
    if (const std::vector<const Edge*> waiters = edges_to(rank, edges); !waiters.empty())
      tell("busy", cat({who_does(rank), "; ", waiters_phrase(waiters), " for it"}), {rank});
  }
}

/// Ranks whose calls all wait, while a thread that has never called MPI works.
void Judge::find_working_beside() {
  for (const Process* const process : working_) {
    const Actor* const actor = job_.actor_of(process->rank);
    if (actor == nullptr || actor->doing != Doing::waiting || actor->since_s < patience_s_) continue;
    if (verdict_.findings.size() >= most_findings) return;
    tell("busy", cat({who_does(process->rank), ", but a thread of it that never called MPI is working"}),
         {process->rank});
  }
}

/// Of these nothing is known, so nobody is blamed.
void Judge::find_waits_for_others() {
  std::map<std::string, std::vector<int>> by_call;
  for (const Actor& actor : job_.actors)
    if (actor.since_s >= patience_s_ && waits_for_others(actor))
      by_call[call_phrase(*actor.process, *actor.call, places_)].push_back(actor.process->rank);
  for (const auto& [call, ranks] : by_call) {
    if (verdict_.findings.size() >= most_findings) return;
    tell("other job",
         cat({ranks_phrase(ranks), ranks.size() == 1 ? " waits in " : " wait in ", call,
              " for processes of another job"}),
         {});
  }
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
  return verdict_.state == State::waiting && job_.is_starting() &&
         (verdict_.is_certain() || (job_.unseen.empty() && job_.size > 0));
}

/// Many programs leave requests open that are long done: these are named only if nothing else explains.
void Judge::find_what_keeps_ends() {
  if (job_.last_event_s < patience_s_) return;
  std::vector<Finding> found = find_waits_for_start(job_, places_);
  if (found.empty() && verdict_.findings.empty() && verdict_.state == State::stuck)
    found = find_pending_requests(job_, places_, most_findings);
  std::ranges::move(found, std::back_inserter(verdict_.findings));
}

State Judge::state() const {
  const auto all = [this](auto test) { return std::ranges::all_of(job_.actors, test); };
  if (std::ranges::any_of(job_.processes, &Process::has_died)) return State::died;
  if (all([](const Actor& one) { return one.doing == Doing::ended; })) return State::over;
  const bool anybody_waits = std::ranges::any_of(
      job_.actors, [this](const Actor& one) { return one.doing == Doing::waiting && one.since_s >= patience_s_; });
  if (job_.last_event_s < patience_s_ || !anybody_waits) return State::moving;
  if (!job_.unseen.empty()) return State::waiting;  // who knows whether these can move
  for (const Actor& actor : job_.actors)  // the launcher may take its time to start the job, and so may MPI_Init
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
  const bool is_explained = std::ranges::any_of(
      verdict_.findings, [](const Finding& one) { return one.kind != "death" && one.kind != "other datatype"; });
  if (!is_explained) find_circle();
  if (!verdict_.is_certain()) find_transfers();
  find_waits_for_busy();
  find_working_beside();
  find_waits_for_others();
  find_what_keeps_ends();
  verdict_.is_hopeless = is_hopeless();
  verdict_.rests_on_moment = working_.size() > job_.working.size();
  return std::move(verdict_);
}

}  // namespace

bool Verdict::is_certain() const {
  constexpr std::string_view others[] = {"busy", "start", "other job", "other datatype", "pending", "transfer"};
  return std::ranges::any_of(
      findings, [&](const Finding& one) { return std::ranges::find(others, one.kind) == std::end(others); });
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
