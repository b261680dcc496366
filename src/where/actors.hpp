// SPDX-License-Identifier: BSD-3-Clause
// actors.hpp - what each thread of a job is doing, and for whom it waits
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "where/messages.hpp"
#include "where/page_reader.hpp"
#include "where/rank_lists.hpp"

namespace cairn::where {

enum class Doing {
  waiting,  // in a call that cannot return before another process does something, or asking again and again
  in_call,  // in another call
  outside,  // not in MPI
  ended,    // MPI is finalized, or the process has ended or died
};

/// A thread that has called MPI, or a process that has no such thread.
struct Actor {
  const Process* process = nullptr;
  const Thread* thread = nullptr;
  Doing doing = Doing::outside;
  const Call* call = nullptr;  // the one under way, or the last; null if there is none
  bool polls = false;          // waits by asking
  bool only_polls = false;     // and does little else: a busy loop
  double since_s = 0;          // how long it has been doing that

  /// It asks now and then, and may move by itself.
  bool works_between() const { return polls && !only_polls; }
};

/// The processes of a communicator, and how many collective calls they have made on it: the fewest first.
struct Comers {
  std::vector<int> ranks;
  std::vector<std::uint32_t> calls;
};

/// Who has locked a window's targets, by their rank in it; whoever has locked all of them; and all who hold any lock. Of
/// these, those that let nobody else have it.
struct LockHolders {
  struct Locks {
    std::map<int, std::vector<int>> of_target;
    std::vector<int> of_any;
  };
  Locks all;
  Locks exclusive;
  std::vector<int> of_all;
};

/// A call or a request, with its process; null: none.
struct OtherEnd {
  const Process* process = nullptr;
  const Call* call = nullptr;
};

/// What many wait for, made when the first one asks.
struct SharedLists {
  using OfObject = std::tuple<std::uint64_t, int, int>;  // identity, and whom ranks in calls mean: first and number
  std::map<OfObject, std::vector<int>> members;
  std::map<OfObject, Comers> comers;
  std::map<std::uint64_t, LockHolders> lock_holders;
  std::map<std::uint64_t, std::vector<OtherEnd>> exposures;  // epochs that targets have open, by window
  std::map<std::uint64_t, std::vector<OtherEnd>> epochs_being_closed;
  std::map<std::pair<int, int>, Unmatched> unmatched;              // by who sends and who receives
  std::optional<std::map<int, std::vector<OtherEnd>>> open_sends;  // by who is to receive
  std::optional<std::vector<int>> not_in_finalize;
};

/// All processes of one job, by rank; they outlive it. Ranks without a page may be missing.
struct Job {
  std::vector<const Process*> processes;
  std::vector<Actor> actors;
  int size = 0;                      // of MPI_COMM_WORLD; 0: unknown
  std::vector<int> unseen;           // ranks without a page here: on other nodes, or without the recorder
  double last_event_s = 0;           // since anything but asking happened
  std::set<const Process*> working;  // known to have threads that work and have never called MPI
  double delayed_s = 0;              // of that time, how long a rank was ready to run and got no processor, where known
  double stopped_s = 0;              // of that time, how long the job or the machine was stopped, where known

  /// For how long it could have moved, and nothing happened.
  double idle_s() const { return last_event_s - stopped_s; }

  /// All that are seen have called MPI_Init, and it has not returned.
  bool is_starting() const;
  const Process* of_rank(int rank) const { return entry(by_rank, rank); }
  /// Of its threads the one that can move; if there is none, one that waits. Null: the rank has no page.
  const Actor* actor_of(int rank) const { return entry(actor_by_rank, rank); }

  std::vector<const Process*> by_rank;
  std::vector<const Actor*> actor_by_rank;
  std::vector<int> numbers;  // from 0 on: a rank alone, and ranks in the order of the world, are parts of it
  mutable SharedLists shared;

 private:
  template <class Entry>
  static const Entry* entry(const std::vector<const Entry*>& all, int rank) {
    return rank < 0 || static_cast<std::size_t>(rank) >= all.size() ? nullptr : all[static_cast<std::size_t>(rank)];
  }
};

Job look_at_job(const std::vector<const Process*>& processes);

/// What one actor waits for.
struct Wait {
  enum class What { message, receiver, collective, finalize, window };
  What what = What::message;
  const Call* call = nullptr;  // the call, or the request that it waits for
  Awaited whom;
  bool any = false;         // one of them is enough
  OtherEnd other_end = {};  // whoever is waited for has done this for it: the data may be on their way

  bool may_end_by_itself() const { return other_end.process != nullptr; }
};

/// Empty if it does not wait, or it is unknown for whom.
std::vector<Wait> waits_of(const Job& job, const Actor& actor);

/// Whether what it waits for may be done by processes of another job: of MPI_Comm_spawn, MPI_Comm_connect and their like.
bool waits_for_others(const Actor& actor);

/// The processes of a communicator that have not come to its collective call of that number. All lists are the job's.
RankList missing_from(const Job& job, const Object& object, std::uint32_t number);

/// All world ranks of an object's processes that rank in calls can mean.
RankList members_of(const Job& job, const Object& object);

/// The call of that number on the object that a process has made; null: none, or no longer known.
const Call* collective_call(const Process& process, std::uint64_t identity, std::uint32_t number);

}  // namespace cairn::where
