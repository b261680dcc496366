// SPDX-License-Identifier: BSD-3-Clause
// report.cc - ranks in groups, then what keeps them

#include "where/report.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.hpp"
#include "formats/ranks.hpp"
#include "where/wording.hpp"

namespace cairn::where {

using formats::cat;

namespace {

std::string_view title_of(Doing doing) {
  switch (doing) {
    case Doing::waiting:
      return "waiting";
    case Doing::in_call:
      return "in MPI";
    case Doing::outside:
      return "outside MPI";
    case Doing::ended:
      return "ended";
  }
  return "";
}

/// What is the same for all ranks of a group, but for the partner.
std::string doing_text(const Actor& actor) {
  const Process& process = *actor.process;
  if (actor.doing == Doing::ended) {
    if (process.phase == page::Phase::finalized) return "MPI is finalized";
    return process.end.empty() ? "killed" : "ended by " + process.end;
  }
  if (actor.call == nullptr) return "no MPI call yet";
  const Call& call = *actor.call;
  std::string text = actor.doing == Doing::outside ? "outside MPI, last " : "";
  text += call.function->name;
  if (call.object != nullptr) text += " on " + call.object->title();
  return text;
}

std::string partner_text(const Call& call) {
  if (call.from_anyone) return " from any rank";
  if (!call.has(page::has_peer)) return "";
  const int rank = call.partner();
  if (rank < 0) return "";
  const bool receives =
      call.function->kind == Kind::receive || call.function->kind == Kind::probe || call.function->kind == Kind::test;
  return cat({receives ? " from " : " to ", rank});
}

std::string details_of(const Actor& actor) {
  if (actor.call == nullptr || actor.doing == Doing::ended || actor.doing == Doing::outside) return "";
  std::string text = partner_text(*actor.call);
  if (actor.call->has(page::has_tag) && !actor.call->any_tag) text += cat({", tag ", actor.call->tag});
  if (actor.polls) text += ", again and again";
  return text;
}

std::string requests_text(const Actor& actor) {
  const std::size_t count = actor.thread == nullptr ? 0 : actor.thread->waited_for.size();
  return actor.doing == Doing::waiting && count != 0 ? cat({", ", formats::plural(count, "request"), " not complete"})
                                                     : "";
}

}  // namespace

std::vector<Group> group(const Job& job, Places& places) {
  std::map<std::tuple<Doing, std::string, std::string>, Group> groups;
  std::map<const Group*, std::set<std::string>> details;
  for (const Actor& actor : job.actors) {
    const std::string place = actor.call == nullptr ? "" : places.text(*actor.process, actor.call->site);
    Group& one = groups[{actor.doing, doing_text(actor), place}];
    if (one.first == nullptr) one.shortest = one.longest = actor.since_s;
    if (one.first == nullptr) one.first = &actor;
    one.place = place;
    one.shortest = std::min(one.shortest, actor.since_s);
    one.longest = std::max(one.longest, actor.since_s);
    one.ranks.push_back(actor.process->rank);
    details[&one].insert(details_of(actor) + requests_text(actor));
  }
  std::vector<Group> all;
  for (auto& [key, one] : groups) {
    one.state = title_of(one.first->doing);
    one.doing = std::get<1>(key);
    if (one.first->call != nullptr) one.function = one.first->call->function->name;
    one.callers_of = one.first->process->rank;
    const Thread* const thread = one.first->thread;
    if (thread != nullptr && (thread->inside || one.first->doing == Doing::outside))
      one.callers = places.callers(*one.first->process, *one.first->thread);
    if (const auto& found = details[&one]; found.size() == 1) one.doing += *found.begin();
    one.threads = one.ranks.size();
    std::ranges::sort(one.ranks);
    one.ranks.erase(std::unique(one.ranks.begin(), one.ranks.end()), one.ranks.end());
    all.push_back(one);
  }
  std::ranges::stable_sort(all, std::greater(), &Group::threads);
  return all;
}

namespace {

/// Identity; "" if no process knows it yet.
std::string run_of(const Job& job) {
  const auto found = std::ranges::find_if(job.processes, [](const Process* one) { return !one->run.empty(); });
  return found == job.processes.end() ? "" : (*found)->run;
}

std::string heading(const Job& job) {
  const Process& first = *job.processes.front();
  std::set<std::string> hosts;
  for (const Process* const process : job.processes) hosts.insert(process->host);
  const auto size = static_cast<std::size_t>(std::max(job.size, 0));
  std::string text = cat({file_of(first.program), ", ", formats::plural(job.processes.size(), "rank")});
  if (size > job.processes.size()) text += cat({" of ", size});
  text += cat({" on ", hosts.size() == 1 ? *hosts.begin() : formats::plural(hosts.size(), "host")});
  if (const std::string run = run_of(job); !run.empty()) text += cat({", run ", run});
  return text;
}

std::string state_text(const Job& job, const Verdict& verdict) {
  const std::string idle = time_phrase(job.last_event_s);
  switch (verdict.state) {
    case State::over:
      return "over: all ranks have finalized MPI";
    case State::moving:
      return "moving: the last event was " + idle + " ago";
    case State::waiting: {
      const bool for_others =
          std::ranges::any_of(verdict.findings, [](const Finding& one) { return one.kind == "other job"; });
      return "waiting: nothing has happened for " + idle +
             (!job.unseen.empty() ? ", but not all ranks are seen from here"
              : for_others        ? ", but ranks wait for processes of another job"
              : job.is_starting() ? ", but all ranks are in MPI_Init, which takes its time on a busy or large machine"
                                  : ", but not all ranks wait in MPI");
    }
    case State::stuck:
      return "stuck: all ranks wait, and nothing has happened for " + idle;
    case State::died:
      return "died";
  }
  return "";
}

std::string times_text(const Group& one) {
  const std::string longest = time_phrase(one.longest);
  const std::string shortest = time_phrase(one.shortest);
  return shortest == longest ? longest : cat({shortest, " to ", longest});
}

/// Names the rank where others of the group may have come another way.
std::string callers_text(const Group& one, std::size_t indent) {
  if (one.callers.empty()) return "";
  const std::string whose = one.ranks.size() == 1 ? "" : cat({" (rank ", one.first->process->rank, ")"});
  const bool is_outside = one.first->doing == Doing::outside;  // then the calls that it is in are shown
  return cat({std::string(indent + 6, ' '), is_outside ? "is" : "called", whose, is_outside ? " in " : " from ",
              join(one.callers, ", "), "\n"});
}

}  // namespace

std::string title_text(const Job& job, const Verdict& verdict) {
  const bool may_be_starting = job.is_starting() && job.unseen.empty();
  if (verdict.is_hopeless && !may_be_starting) return "this job does not move";
  std::vector<int> ranks;
  double shortest_s = 1e300;
  for (const Finding& finding : verdict.findings)
    for (const int rank : finding.ranks) {
      const Actor* const actor = finding.kind == "busy" ? job.actor_of(rank) : nullptr;
      if (actor == nullptr || actor->doing != Doing::outside) continue;
      ranks.push_back(rank);
      shortest_s = std::min(shortest_s, actor->since_s);
    }
  if (ranks.empty()) return "nothing has happened in this job for " + time_phrase(job.last_event_s);
  return cat({"ranks wait for ", ranks_phrase(ranks), ", which ", ranks.size() == 1 ? "has" : "have",
              " been outside MPI for ", time_phrase(shortest_s)});
}

std::string report_text(const Job& job, const Verdict& verdict, Places& places) {
  const std::vector<Group> groups = group(job, places);
  std::string text = cat({heading(job), "\n", state_text(job, verdict), "\n\n"});
  std::size_t widest = 0;
  for (const Group& one : groups) widest = std::max(widest, ranks_phrase(one.ranks).size());
  if (!job.unseen.empty()) widest = std::max(widest, ranks_phrase(job.unseen).size());
  widest = std::min<std::size_t>(widest, 30);
  for (const Group& one : groups) {
    text += cat({"  ", formats::left(ranks_phrase(one.ranks), widest), "  ", one.doing});
    if (!one.place.empty()) text += cat({" at ", one.place});
    if (one.threads > one.ranks.size()) text += cat({", ", one.threads, " threads"});
    text += cat({one.first->doing == Doing::ended ? ", " : ", for ", times_text(one),
                 one.first->doing == Doing::ended ? " ago\n" : "\n"});
    text += callers_text(one, widest);
  }
  if (!job.unseen.empty())
    text += cat({"  ", formats::left(ranks_phrase(job.unseen), widest), "  not seen: ",
                 job.is_starting() ? "before MPI_Init, on another node, or not recorded\n"
                                   : "on another node, or not recorded\n"});
  if (!verdict.findings.empty()) text += "\n";
  for (const Finding& finding : verdict.findings) text += cat({"  - ", finding.text, "\n"});
  return text;
}

formats::where::Summary summary_of(const Job& job, const Verdict& verdict, Places& places) {
  formats::where::Summary summary;
  summary.run = run_of(job);
  summary.program = job.processes.front()->program;
  summary.state = name_of(verdict.state);
  summary.last_event = job.last_event_s;
  summary.ranks = std::max(static_cast<std::size_t>(std::max(job.size, 0)), job.processes.size());
  summary.unseen = job.unseen;
  summary.findings = verdict.findings;
  for (Group& one : group(job, places)) summary.groups.push_back(std::move(one));
  return summary;
}

std::string report_json(const Job& job, const Verdict& verdict, Places& places) {
  return formats::where::file_text(summary_of(job, verdict, places));
}

}  // namespace cairn::where
