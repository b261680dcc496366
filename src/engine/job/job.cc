// SPDX-License-Identifier: BSD-3-Clause
// job.cc - the service "cairn.job", and the wrappers under all tools that see to it
//
// What the ranks agree on is known when a tool's own MPI_Init or MPI_Session_init comes back; what they finish together
// is finished when the foot of the stack is left for the library's MPI_Finalize or last MPI_Session_finalize.

#include <mpi.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/host_name.hpp"
#include "cairn/kit/clock.hpp"
#include "cairn/services/clocks.hpp"
#include "cairn/services/job.hpp"
#include "cairn/services/will.hpp"
#include "cairn/stack.h"
#include "cairn/tool.h"
#include "contracts/job_host.h"
#include "engine.hpp"
#include "job/agreement.hpp"
#include "job/clocks.hpp"
#include "job/gaps.hpp"
#include "job/library.hpp"
#include "job/naps.hpp"
#include "job/patience.hpp"
#include "job/reach.hpp"
#include "job/reserve.hpp"
#include "job/store.hpp"
#include "job/teams.hpp"
#include "job/turns.hpp"
#include "job/world.hpp"

namespace cairn::engine {

namespace {

/// Where the ranks meet: in MPI_COMM_WORLD, or by a session; `alone`: they cannot meet.
enum class Mode { none, world, session, alone };

/// Of this process; lives until it ends, as tools may ask after MPI_Finalize.
struct State {
  const cairn_job_host* host = nullptr;
  const cairn_stack* stack = nullptr;
  const Will* will = nullptr;
  std::mutex starting;  // and ending
  Mode mode = Mode::none;
  Start began = Start::world;
  int users = 0;  // of MPI: sessions, and the program between MPI_Init and MPI_Finalize
  World world;
  Agreement agreement;
  Teams teams;
  std::vector<Team*> team_of_level;  // from 1 on; null: not loaded
  Turns turns;
  Reach reach;
  const cairn_tool_instance* speaker = nullptr;  // of the tools that have taken a turn with the last session
  Reserve reserve;
  bool has_left_parts = false;
  bool has_told = false;      // of that
  std::uint64_t run_end = 0;  // ticks
};

State& state() {
  static State& only = *new State;
  return only;
}

// ------------------------------------------------------------ as MPI starts

struct LoadedLayer {
  std::uint32_t level;
  InstanceName instance;
};

std::vector<LoadedLayer> loaded_layers() {
  std::vector<LoadedLayer> all;
  cairn_stack_layer layer{};
  for (std::uint32_t level = 1; level <= state().stack->count(); ++level)
    if (state().stack->describe(level, &layer) == 0 && layer.loaded != 0)
      all.push_back({level, {layer.tool, layer.instance}});
  return all;
}

/// Those that were asked for.
Instances wanted_instances() {
  Instances all;
  cairn_stack_layer layer{};
  for (std::uint32_t level = 1; level <= state().stack->count(); ++level)
    if (state().stack->describe(level, &layer) == 0) all.push_back({layer.tool, layer.instance});
  return all;
}

void assign_teams(const std::vector<LoadedLayer>& layers) {
  State& all = state();
  const Roster& roster = all.agreement.roster;
  std::vector<std::uint32_t> order;
  all.team_of_level.assign(all.stack->count() + 1, nullptr);
  for (const InstanceName& instance : roster.instances())
    for (const LoadedLayer& layer : layers)
      if (layer.instance == instance) {
        all.team_of_level[layer.level] = all.teams.find_or_add(roster.ranks_with(instance), all.world);
        order.push_back(layer.level);
      }
  if (all.mode != Mode::world) all.turns.hold();
  if (all.mode != Mode::world || !roster.is_uniform()) all.turns.set_order(order);
}

Team* team_of(std::uint32_t level) {
  const std::vector<Team*>& teams = state().team_of_level;
  return level < teams.size() ? teams[level] : nullptr;
}

int is_first(std::uint32_t level) {
  const Team* const team = team_of(level);
  return team == nullptr ? -1 : static_cast<int>(team->members().rank == 0);
}

bool leads(const Roster& roster) { return roster.ranks().front().first == state().world.rank(); }

std::string nodes_text(const Roster& roster) {
  std::string text;
  if (roster.nodes().size() > 1)
    for (const auto& [host, ranks] : roster.nodes()) text += host + ' ' + ranks_text(ranks) + '\n';
  return text;
}

/// These stay, also while the process ends.
const std::vector<cairn_job_place>& shown_places(const Places& places) {
  static auto& texts = *new std::vector<std::string>;
  static auto& shown = *new std::vector<cairn_job_place>;
  texts.reserve(places.ranks().size());
  for (const auto& [place, ranks] : places.ranks()) {
    texts.push_back(ranks_text(ranks));
    shown.push_back({place.node.c_str(), place.processors.c_str(), texts.back().c_str()});
  }
  return shown;
}

constexpr cairn_job_parts parts = {
    .tell = [](cairn_part_state own) { state().reach.page().tell_part(own); },
    .count = [](int* ranks) { state().reach.page().count_parts(ranks); },
};

/// What the stack tells the user, and keeps for the results. All of it stays, also while the process ends.
void tell_host() {
  const Agreement& agreement = state().agreement;
  static const auto& gaps = (new Gaps(agreement.roster, wanted_instances(), state().world.size()))->shown();
  static const auto& nodes = *new std::string(nodes_text(agreement.roster));
  const std::vector<cairn_job_place>& places = shown_places(agreement.places);
  static const cairn_job_agreed agreed = {.rank = state().world.rank(),
                                          .leads = leads(agreement.roster) ? 1 : 0,
                                          .run = agreement.run.c_str(),
                                          .folder = agreement.folder.c_str(),
                                          .gaps = gaps.data(),
                                          .gap_count = gaps.size(),
                                          .nodes = nodes.c_str(),
                                          .places = places.data(),
                                          .place_count = places.size(),
                                          .parts = state().reach.page().is_open() ? &parts : nullptr,
                                          .is_first = is_first};
  state().host->agreed(&agreed);
  cairn_engine_set_spawn_place(agreed.folder, agreed.rank);
}

Roster own_roster(const std::vector<LoadedLayer>& layers) {
  Instances here;
  for (const LoadedLayer& layer : layers) here.push_back(layer.instance);
  return {here, state().world.rank(), host_name()};
}

/// Without a store all ranks are taken to have Cairn: one that has not makes the others wait for ever. Rank 0 says so,
/// and rank 1 if it may be rank 0 that has not.
void expect_answers(std::optional<Patience>& patience) {
  const World& world = state().world;
  constexpr std::chrono::seconds limit{10};
  if (world.size() > 1 && world.rank() < 2)
    patience.emplace((world.rank() + 1) * limit, [] { state().host->waits(state().world.rank()); });
}

/// In the world as it is open now, of the ranks that have Cairn.
Agreement agree_where(const std::function<bool(int rank)>& has, const Roster& mine) {
  State& all = state();
  const World& world = all.world;
  Agreement agreed = agree({world.comm(), world.rank(), world.size(), has}, mine, *all.host, all.reach.page());
  all.reach.wait_for(agreed.roster.ranks());
  return agreed;
}

Agreement agree_in_world(const Roster& mine, Store* store) {
  const World& world = state().world;
  std::optional<Patience> patience;
  if (store == nullptr) expect_answers(patience);
  const auto has = [&](int rank) { return store == nullptr || rank == world.rank() || store->has(rank); };
  return agree_where(has, mine);
}

/// Who have put the same word into the store, if there is one.
RankRanges ranks_with_sessions(Store* store) {
  const World& world = state().world;
  RankRanges ranks;
  for (int rank = 0; rank < world.size(); ++rank)
    if (rank == world.rank() || (store != nullptr && store->has(rank))) append(ranks, rank);
  return ranks;
}

Agreement agree_in_session(const Roster& mine) {
  World& world = state().world;
  world.open();
  const auto has = [&](int rank) { return rank == world.rank() || world.comm() != MPI_COMM_NULL; };
  Agreement agreed = agree_where(has, mine);
  world.close();
  return agreed;
}

/// The ranks cannot meet: one has to be sure that all others come.
void go_alone(const RankRanges& ranks, bool is_known) {
  State& all = state();
  all.mode = Mode::alone;
  const RankRanges lacking = others(ranks, all.world.size());
  const std::string text = ranks_text(lacking);
  const cairn_job_alone alone{all.world.rank(),
                              is_known ? static_cast<int>(ranks.front().first == all.world.rank()) : -1,
                              is_known ? text.c_str() : nullptr, count(lacking) > 1 ? 1 : 0};
  all.host->alone(&alone);
}

void join_in_world(const std::vector<LoadedLayer>& layers, Store* store) {
  State& all = state();
  all.mode = Mode::world;
  all.world.start();
  const Roster mine = own_roster(layers);
  if (store != nullptr || all.world.size() == 1 || all.host->may_wait() != 0) {
    all.agreement = agree_in_world(mine, store);
    return;
  }
  all.agreement.roster = mine;
  go_alone({{all.world.rank(), all.world.rank()}}, false);
}

/// Where the library gives no session to Cairn, nothing is gathered.
void join_in_session(const std::vector<LoadedLayer>& layers, Store* store) {
  State& all = state();
  if (!all.world.start_with_session()) return;
  const Roster mine = own_roster(layers);
  all.mode = Mode::session;
  all.agreement.roster = mine;
  const RankRanges ranks = ranks_with_sessions(store);
  if (count(ranks) == all.world.size()) all.agreement = agree_in_session(mine);
  else go_alone(ranks, store != nullptr);
}

void join(Start how, Store* store) {
  State& all = state();
  const std::vector<LoadedLayer> layers = loaded_layers();
  all.reach.start();
  all.reserve.take();
  all.began = how;
  if (how == Start::world) join_in_world(layers, store);
  else join_in_session(layers, store);
  if (all.mode == Mode::none) return;
  assign_teams(layers);
  if (all.mode != Mode::alone) tell_host();
}

template <class Call>
int start_job(Start how, Call call) {
  State& all = state();
  const std::lock_guard lock(all.starting);
  const bool is_first = all.mode == Mode::none;
  const std::unique_ptr<Store> store = is_first ? put_into_store(how) : nullptr;
  const int result = call();
  if (result != MPI_SUCCESS) return result;
  ++all.users;
  if (is_first) join(how, store.get());
  return result;
}

int init(int* argc, char*** argv) {
  return start_job(Start::world, [&] { return PMPI_Init(argc, argv); });
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  return start_job(Start::world, [&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

// ------------------------------------------------------------ as MPI ends

/// Whether MPI ends with this call: a program that began with MPI_Init ends with MPI_Finalize.
bool is_last(Start which) {
  State& all = state();
  const std::lock_guard lock(all.starting);
  --all.users;
  if (all.mode != Mode::none && all.began == Start::world) return which == Start::world;
  return all.mode != Mode::none && all.users == 0;
}

/// Services leave no parts.
bool is_tool(const cairn_tool_instance* self) { return !std::string_view(self->tool).starts_with("cairn."); }

/// Once for all tools, in place of what they do together. Null: no tool would have done anything.
void leave_parts(const cairn_tool_instance* self, const std::string& why) {
  State& all = state();
  if (self != nullptr && is_tool(self) && !std::exchange(all.has_told, true))
    self->warn(self, ("no tool gathers results: " + why + "; each rank writes its part").c_str());
  if (std::exchange(all.has_left_parts, true) || all.will == nullptr) return;
  all.will->leave_parts(all.mode == Mode::session ? "MPI_Session_finalize without gathering"
                                                  : "MPI_Finalize without gathering");
}

/// All ranks meet, if they can; before that only one that ends its last session knows that it may wait for the others.
void open_for_turns() {
  State& all = state();
  if (const std::string why = all.reach.why_apart(all.world); why.empty()) all.world.open();
  else leave_parts(all.speaker, why);
}

void finish_job() {
  State& all = state();
  if (all.mode == Mode::alone && all.will != nullptr)
    all.will->execute(all.began == Start::world ? "MPI_Finalize without the other ranks"
                                                : "MPI_Session_finalize without the other ranks");
  if (all.mode == Mode::session) open_for_turns();
  all.reach.answer();
  if (!all.has_left_parts) all.turns.run_rest();
  all.teams.end(!all.has_left_parts);
  all.world.close();
  all.world.finish();
}

int finalize() {
  if (is_last(Start::world)) finish_job();
  return PMPI_Finalize();
}

#if MPI_VERSION >= 4

int session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session* session) {
  return start_job(Start::session, [&] { return PMPI_Session_init(info, errhandler, session); });
}

int session_finalize(MPI_Session* session) {
  if (session != nullptr && *session != MPI_SESSION_NULL && is_last(Start::session)) finish_job();
  return PMPI_Session_finalize(session);
}

#endif

// ------------------------------------------------------------ what tools do together

/// Waits for the others' answers, but for a program that began with a session, of which this may not be the last.
void take_turn_if_reachable(const cairn_tool_instance* self, void (*finish)(void*), void* argument) {
  State& all = state();
  all.reserve.give_back();
  if (all.mode == Mode::session && all.speaker == nullptr && is_tool(self)) all.speaker = self;
  const std::string why = all.mode == Mode::session ? "" : all.reach.why_apart(all.world);
  if (why.empty()) all.turns.take(self->level, finish, argument);
  else leave_parts(self, why);
}

// ------------------------------------------------------------ the service

const JobMembers* members(const cairn_tool_instance* self) {
  const Team* const team = team_of(self->level);
  return team == nullptr ? nullptr : &team->members();
}

/// In a program that began with a session there is a communicator of all for the time being, which takes them all.
MPI_Comm communicator(const cairn_tool_instance* self) {
  World& world = state().world;
  Team* const team = team_of(self->level);
  if (team == nullptr) return MPI_COMM_NULL;
  const bool is_closed = world.has_session() && world.comm() == MPI_COMM_NULL;
  const bool opens = is_closed && state().mode == Mode::session && team->members().size == world.size();
  if (opens) world.open();
  const MPI_Comm made = team->communicator();
  if (opens) world.close();
  return made;
}

void release(const cairn_tool_instance* self) {
  if (Team* const team = team_of(self->level)) team->release();
}

void take_turn(const cairn_tool_instance* self, void (*finish)(void*), void* argument) {
  if (state().run_end == 0) state().run_end = cairn::ticks_now();
  if (state().mode != Mode::alone) take_turn_if_reachable(self, finish, argument);
}

void take_session_turn(const cairn_tool_instance* self, void (*finish)(void*), void* argument) {
  if (state().mode == Mode::session) take_turn_if_reachable(self, finish, argument);
}

MPI_Group session_world() { return state().world.group(); }

std::uint64_t run_end() { return state().run_end; }

const Job& service() {
  static const Job job{members,       communicator, release,           take_turn, take_session_turn,
                       session_world, library.Send, receive_with_naps, run_end};
  return job;
}

// ------------------------------------------------------------ the service "cairn.clocks"

const ClockComparison* clocks_at_start() {
  const ClockComparison& clock = state().agreement.clock;
  return clock.clocks == 0 ? nullptr : &clock;
}

ClockComparison clocks_now(const cairn_tool_instance* self) {
  const ClockComparison& start = state().agreement.clock;
  const Team* const team = team_of(self->level);
  const MPI_Comm comm = team == nullptr || team->members().size < 2 ? MPI_COMM_NULL : communicator(self);
  if (comm == MPI_COMM_NULL) return start;
  const JobRanks ranks{comm, team->members().rank, team->members().size, [](int) { return true; }};
  return compare_clocks(ranks, Neighbours(ranks), start);
}

const Clocks& clocks_service() {
  static const Clocks clocks{clocks_at_start, clocks_now};
  return clocks;
}

cairn_tool_function functions[] = {{"MPI_Init", reinterpret_cast<void*>(init), nullptr},
                                   {"MPI_Init_thread", reinterpret_cast<void*>(init_thread), nullptr},
#if MPI_VERSION >= 4
                                   {"MPI_Session_init", reinterpret_cast<void*>(session_init), nullptr},
                                   {"MPI_Session_finalize", reinterpret_cast<void*>(session_finalize), nullptr},
#endif
                                   {"MPI_Finalize", reinterpret_cast<void*>(finalize), nullptr}};

}  // namespace

void start_job_service(const cairn_tool_instance* self) {
  state().host = static_cast<const cairn_job_host*>(self->find(self, CAIRN_JOB_HOST, CAIRN_JOB_HOST_VERSION));
  state().stack = static_cast<const cairn_stack*>(self->find(self, CAIRN_STACK, CAIRN_STACK_VERSION));
  state().will = static_cast<const Will*>(self->find(self, Will::service, Will::version));
  if (state().host == nullptr || state().stack == nullptr) return;
  fill_library(state().host->library_function);
  self->publish_sized(self, Job::service, Job::version, sizeof(Job), &service());
  self->publish_sized(self, Clocks::service, Clocks::version, sizeof(Clocks), &clocks_service());
  self->intercept(self, functions, sizeof functions / sizeof *functions);
}

}  // namespace cairn::engine
