// SPDX-License-Identifier: BSD-3-Clause
// job.cc - the service "cairn.job", and the wrappers under all tools that see to it
//
// What the ranks agree on is known when a tool's own MPI_Init comes back; what they finish together is finished when
// the foot of the stack is left for the library's MPI_Finalize.

#include <mpi.h>

#include <memory>

#include "cairn/services/job.hpp"
#include "cairn/stack.h"
#include "cairn/tool.h"
#include "contracts/job_host.h"
#include "engine.hpp"
#include "job/agreement.hpp"
#include "job/messages.hpp"
#include "job/store.hpp"
#include "job/teams.hpp"
#include "job/turns.hpp"

namespace cairn::engine {

namespace {

/// Of this process; lives until it ends, as tools may ask after MPI_Finalize.
struct State {
  const cairn_job_host* host = nullptr;
  const cairn_stack* stack = nullptr;
  Agreement agreement;
  Teams teams;
  std::vector<Team*> team_of_level;  // from 1 on; null: not loaded
  Turns turns;
};

State& state() {
  static State& only = *new State;
  return only;
}

// ------------------------------------------------------------ in MPI_Init

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

void assign_teams(const std::vector<LoadedLayer>& layers, int rank, int size) {
  State& all = state();
  const Roster& roster = all.agreement.roster;
  std::vector<std::uint32_t> order;
  all.team_of_level.assign(all.stack->count() + 1, nullptr);
  for (const InstanceName& instance : roster.instances())
    for (const LoadedLayer& layer : layers)
      if (layer.instance == instance) {
        all.team_of_level[layer.level] = all.teams.find_or_add(roster.ranks_with(instance), rank, size);
        order.push_back(layer.level);
      }
  if (!roster.is_uniform()) all.turns.set_order(std::move(order));
}

Team* team_of(std::uint32_t level) {
  const std::vector<Team*>& teams = state().team_of_level;
  return level < teams.size() ? teams[level] : nullptr;
}

int is_first(std::uint32_t level) {
  const Team* const team = team_of(level);
  return team == nullptr ? -1 : static_cast<int>(team->members().rank == 0);
}

/// What the stack tells the user, and keeps for the results.
void tell_host(int rank, int size) {
  const Agreement& agreement = state().agreement;
  const RankRanges ranks = agreement.roster.ranks();
  struct Gap {
    InstanceName instance;
    RankRanges ranks;
    std::string text;
  };
  // These stay, also while the process ends.
  static auto& gaps = *new std::vector<Gap>;
  gaps.push_back({{}, others(ranks, size), ""});
  for (const InstanceName& instance : agreement.roster.instances())
    gaps.push_back({instance, without(ranks, agreement.roster.ranks_with(instance), size), ""});
  std::erase_if(gaps, [](const Gap& gap) { return gap.ranks.empty(); });
  static auto& shown = *new std::vector<cairn_job_gap>;
  for (Gap& gap : gaps) {
    gap.text = ranks_text(gap.ranks);
    shown.push_back({gap.instance.tool.empty() ? nullptr : gap.instance.tool.c_str(), gap.instance.number,
                     gap.text.c_str(), count(gap.ranks) > 1 ? 1 : 0});
  }
  static const cairn_job_agreed agreed = {.rank = rank,
                                          .leads = ranks.front().first == rank ? 1 : 0,
                                          .run = agreement.run.c_str(),
                                          .folder = agreement.folder.c_str(),
                                          .gaps = shown.data(),
                                          .gap_count = shown.size(),
                                          .is_first = is_first};
  state().host->agreed(&agreed);
  cairn_engine_set_spawn_folder(agreed.folder);
}

void meet(Store* store) {
  int rank = 0;
  int size = 0;
  library.Comm_rank(MPI_COMM_WORLD, &rank);
  library.Comm_size(MPI_COMM_WORLD, &size);
  const std::vector<LoadedLayer> layers = loaded_layers();
  Instances here;
  for (const LoadedLayer& layer : layers) here.push_back(layer.instance);
  state().agreement = agree(rank, size, here, store, *state().host);
  assign_teams(layers, rank, size);
  tell_host(rank, size);
}

template <class Start>
int start_job(Start start) {
  const std::unique_ptr<Store> store = put_into_store();
  const int result = start();
  if (result == MPI_SUCCESS && state().agreement.run.empty()) meet(store.get());
  return result;
}

int init(int* argc, char*** argv) {
  return start_job([&] { return PMPI_Init(argc, argv); });
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  return start_job([&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

int finalize() {
  state().turns.run_rest();
  state().teams.free_communicators();
  return PMPI_Finalize();
}

// ------------------------------------------------------------ the service

const JobMembers* members(const cairn_tool_instance* self) {
  const Team* const team = team_of(self->level);
  return team == nullptr ? nullptr : &team->members();
}

MPI_Comm communicator(const cairn_tool_instance* self) {
  Team* const team = team_of(self->level);
  return team == nullptr ? MPI_COMM_NULL : team->communicator();
}

void release(const cairn_tool_instance* self) {
  if (Team* const team = team_of(self->level)) team->release();
}

MPI_Comm node_communicator(const cairn_tool_instance* self) {
  Team* const team = team_of(self->level);
  return team == nullptr ? MPI_COMM_NULL : team->node_communicator();
}

void take_turn(const cairn_tool_instance* self, void (*finish)(void*), void* argument) {
  state().turns.take(self->level, finish, argument);
}

int receive(void* buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm) {
  return library.Recv(buffer, count, type, source, tag, comm, MPI_STATUS_IGNORE);
}

const Job& service() {
  static const Job job{members,      communicator, release,        node_communicator, take_turn,
                       library.Send, receive,      library.Reduce, library.Allreduce, library.Bcast};
  return job;
}

cairn_tool_function functions[] = {{"MPI_Init", reinterpret_cast<void*>(init), nullptr},
                                   {"MPI_Init_thread", reinterpret_cast<void*>(init_thread), nullptr},
                                   {"MPI_Finalize", reinterpret_cast<void*>(finalize), nullptr}};

}  // namespace

void start_job_service(const cairn_tool_instance* self) {
  state().host = static_cast<const cairn_job_host*>(self->find(self, CAIRN_JOB_HOST, CAIRN_JOB_HOST_VERSION));
  state().stack = static_cast<const cairn_stack*>(self->find(self, CAIRN_STACK, CAIRN_STACK_VERSION));
  if (state().host == nullptr || state().stack == nullptr) return;
  fill_library(state().host->library_function);
  self->publish(self, Job::service, Job::version, &service());
  self->intercept(self, functions, sizeof functions / sizeof *functions);
}

}  // namespace cairn::engine
