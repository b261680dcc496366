// SPDX-License-Identifier: BSD-3-Clause
// reorder.cc - gives the program a renumbered MPI_COMM_WORLD: another communicator takes its place in every call

#include <mpi.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "all_processes.hpp"
#include "cairn/kit.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/turn.hpp"
#include "cairn/services/callers.hpp"
#include "callbacks.hpp"
#include "measured.hpp"
#include "renumbering.hpp"
#include "topology.hpp"
#include "unseen_calls.hpp"
#include "wishes.hpp"

namespace reorder {

using cairn::Call;
using cairn::Category;
using cairn::facts;
using cairn::Function;
using cairn::has;
using cairn::Role;

template <Function F>
constexpr bool is(std::string_view name) {
  return facts(F).name == name;
}

/// Handles of Fortran and of C are the same objects, renumbered or not.
template <Function F>
constexpr bool takes_communicator() {
  return (has<F>(Role::comm) || has<F>(Role::other_comm)) && facts(F).category != Category::conversion;
}

template <Function F>
constexpr bool reads_attribute() {
  return facts(F).category == Category::attribute && has<F>(Role::comm) && has<F>(Role::attribute_value_result);
}

template <Function F>
constexpr bool sets_error_handler() {
  return facts(F).category == Category::error && has<F>(Role::comm) && has<F>(Role::errhandler);
}

/// Of those that may number processes anew.
template <Function F>
constexpr bool creates_topology() {
  return is<F>("MPI_Cart_create") || is<F>("MPI_Graph_create") || is<F>("MPI_Dist_graph_create") ||
         is<F>("MPI_Dist_graph_create_adjacent");
}

template <Function F>
constexpr bool is_plain() {
  return takes_communicator<F>() && !reads_attribute<F>() && !sets_error_handler<F>() && !creates_topology<F>();
}

template <Function F>
constexpr bool takes_attribute_functions() {
  return is<F>("MPI_Comm_create_keyval") || is<F>("MPI_Keyval_create");
}

template <Function F>
constexpr bool takes_error_function() {
  return is<F>("MPI_Comm_create_errhandler") || is<F>("MPI_Errhandler_create");
}

template <Function F>
constexpr bool makes_group_of_set() {
  return has<F>(Role::session) && has<F>(Role::new_group);
}

/// The names of all functions with a communicator, or with ranks of a session, for what calls them as PMPI_X.
constexpr auto functions_with_communicator() {
  constexpr auto chosen = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<bool, cairn::function_count>{
        (takes_communicator<static_cast<Function>(I)>() || makes_group_of_set<static_cast<Function>(I)>())...};
  }
  (std::make_index_sequence<cairn::function_count>());
  std::array<const char*, std::ranges::count(chosen, true)> names{};
  for (std::size_t i = 0, next = 0; i < cairn::function_count; ++i)
    if (chosen[i]) names[next++] = facts(static_cast<Function>(i)).name;
  return names;
}
constexpr auto with_communicator = functions_with_communicator();

constexpr bool is_predefined(int keyval) {
  switch (keyval) {
    case MPI_TAG_UB:
    case MPI_HOST:
    case MPI_IO:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_UNIVERSE_SIZE:
    case MPI_LASTUSEDCODE:
    case MPI_APPNUM:
      return true;
    default:
      return false;
  }
}

class Reorder {
 public:
  static constexpr std::string_view about =
      "gives the program a renumbered MPI_COMM_WORLD, from a file of 'cairn place'";
  static constexpr bool is_outermost = true;
  struct Options {
    std::string_view file = "";
    bool topologies = false;
    template <class Visit>
    constexpr void describe(Visit visit) {
      visit("file", file, "the new rank of each process, one on a line: what 'cairn place --reorder' writes");
      visit("topologies", topologies, "whether topologies that the program allows to be reordered are: on or off");
    }
  };

  Reorder(cairn::Self self, const Options& options)
      : self_(self), file_(options.file), wants_topologies_(options.topologies), renumbering_(self) {
    if (file_.empty() && !wants_topologies_)
      throw std::runtime_error("it needs 'file:PATH', a file that 'cairn place --reorder' writes, or 'topologies:on'");
  }

  template <Function F>
  requires(is_plain<F>()) auto on(Call<F>& call) {
    if constexpr (has<F>(Role::comm)) translate(arg<Role::comm>(call));
    if constexpr (has<F>(Role::other_comm)) translate(arg<Role::other_comm>(call));
    return call.proceed();
  }

  template <Function F>
  requires(creates_topology<F>()) int on(Call<F>& call) {
    MPI_Comm& comm = arg<Role::comm>(call);
    translate(comm);
    if (arg<Role::option>(call) == 0 || !may_reorder(comm)) return call.proceed();
    const std::vector<int> processes = AllProcesses(self_).ranks_of(comm);
    if (std::ranges::find(processes, MPI_UNDEFINED) != processes.end())
      return call.proceed();  // some are of another job
    Reordered reordered = reorder_processes(comm, processes, edges_of(call), measured_);
    if (!reordered) return call.proceed();
    comm = reordered.comm;
    arg<Role::option>(call) = 0;
    const int result = create(call, reordered);
    PMPI_Comm_free(&reordered.comm);
    return result;
  }

  /// Both have it: errors without a communicator go to that of the library's own MPI_COMM_WORLD.
  template <Function F>
  requires(sets_error_handler<F>()) int on(Call<F>& call) {
    if (arg<Role::comm>(call) != MPI_COMM_WORLD || !renumbering_.is_active()) return call.proceed();
    const int result = call.proceed();
    const cairn::OwnWork own;
    if (result == MPI_SUCCESS) cairn::down<F>(renumbering_.world(), arg<Role::errhandler>(call));
    return result;
  }

  template <Function F>
  requires(reads_attribute<F>()) int on(Call<F>& call) {
    if (!renumbering_.is_active()) return call.proceed();
    if (is_predefined(arg<Role::keyval>(call))) return read_predefined(call);
    translate(arg<Role::comm>(call));
    return call.proceed();
  }

  /// MPICH's Fortran passes functions with other parameters here.
  template <Function F>
  requires(takes_attribute_functions<F>()) int on(Call<F>& call) {
    auto& copy = cairn::kit::get<0>(call.arguments());
    auto& drop = cairn::kit::get<1>(call.arguments());
    if (renumbering_.is_active() && is_program(call.caller())) {
      copy = copies_.in_place_of(copy);
      drop = drops_.in_place_of(drop);
    }
    return call.proceed();
  }

  template <Function F>
  requires(takes_error_function<F>()) int on(Call<F>& call) {
    auto& function = arg<Role::callback>(call);
    if (renumbering_.is_active()) function = error_functions_.in_place_of(function);
    return call.proceed();
  }

#if MPI_VERSION >= 4
  template <Function F>
  requires(makes_group_of_set<F>()) int on(Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS || !renumbering_.has_order()) return result;
    const cairn::OwnWork own;
    MPI_Group all = MPI_GROUP_NULL;
    if (PMPI_Group_from_session_pset(arg<Role::session>(call), "mpi://WORLD", &all) != MPI_SUCCESS) return result;
    renumbering_.renumber(*arg<Role::new_group>(call), all);
    PMPI_Group_free(&all);
    return result;
  }
#endif
  template <Function F>
  requires(has<F>(Role::tool_object)) int on(Call<F>& call) {
    void*& object = arg<Role::tool_object>(call);
    MPI_Comm world = renumbering_.world();
    if (object == nullptr || !renumbering_.is_active() || *static_cast<MPI_Comm*>(object) != MPI_COMM_WORLD ||
        !is_bound_to_communicator<F>(arg<Role::tool_index>(call)))
      return call.proceed();
    object = &world;
    return call.proceed();
  }

  /// What starts MPI on several threads at once comes back when ranks are known.
  template <Function F>
  requires(cairn::starts_mpi<F>()) int on(Call<F>& call) {
    const int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    const std::lock_guard lock(starting_);
    if (start_.is_first(result)) start();
    if constexpr (!has<F>(Role::new_session)) renumbering_.stand_for_world();
    if (!reorders_topologies_ && !renumbering_.is_active()) self_.set_active(false);
    return result;
  }

  template <Function F>
  requires(cairn::finalizes_session<F>()) int on(Call<F>& call) {
    cairn::take_session_turn<&Reorder::end>(self_, *this);
    return call.proceed();
  }

 private:
  void start() {
    const auto* const job = self_.find<cairn::Job>();
    const cairn::JobMembers* const members = job == nullptr ? nullptr : job->members(&self_.raw());
    const bool by_session = session_world(self_) != MPI_GROUP_NULL;
    if (by_session && (members == nullptr || members->size != members->world_size))
      return self_.warn(
          "ranks stay as they are: the program begins with a session, and not all ranks are known to have the tool");
    const Wishes wishes = wishes_of_all(self_, !file_.empty(), wants_topologies_);
    if (wishes.some_files && (by_session || !is_spawned()))
      renumbering_.start(file_, file_.empty() ? "some ranks have no file for it" : obstacle());
    reorders_topologies_ = wishes.all_topologies;
    if (reorders_topologies_) measured_.begin();
    else if (wishes.some_topologies)
      self_.warn("topologies stay as they are: some ranks run without the tool, or without topologies:on");
  }

  void end() { renumbering_.free(); }

  bool may_reorder(MPI_Comm comm) const {
    if (!reorders_topologies_ || comm == MPI_COMM_NULL) return false;
    const cairn::OwnWork own;
    int is_inter = 0;
    return PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && is_inter == 0;
  }

  static std::optional<Edges> edges_of(const Call<Function::MPI_Cart_create_>& call) {
    const auto& [comm, dimensions, sizes, periods, reorder, made] = call.arguments();
    return edges_of_grid(comm, dimensions, sizes, periods);
  }
  static std::optional<Edges> edges_of(const Call<Function::MPI_Graph_create_>& call) {
    const auto& [comm, vertices, index, neighbors, reorder, made] = call.arguments();
    return edges_of_graph(comm, vertices, index, neighbors);
  }
  static std::optional<Edges> edges_of(const Call<Function::MPI_Dist_graph_create_>& call) {
    const auto& [comm, count, sources, degrees, destinations, weights, info, reorder, made] = call.arguments();
    return edges_of_distributed_graph(comm, count, sources, degrees, destinations, weights);
  }
  static std::optional<Edges> edges_of(const Call<Function::MPI_Dist_graph_create_adjacent_>& call) {
    const auto& [comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made] = call.arguments();
    if (in < 0) return std::nullopt;
    const int rank = rank_of(comm);
    return edges_of_distributed_graph(comm, 1, &rank, &out, destinations, out_weights);
  }
  static int rank_of(MPI_Comm comm) {
    const cairn::OwnWork own;
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    return rank;
  }

  /// On the communicator in the new order.
  template <Function F>
  static int create(Call<F>& call, const Reordered& /*reordered*/) {
    return call.proceed();
  }
  static int create(Call<Function::MPI_Dist_graph_create_adjacent_>& call, const Reordered& reordered) {
    const auto& [comm, in, sources, in_weights, out, destinations, out_weights, info, reorder, made] = call.arguments();
    const ExchangedAdjacency exchanged(reordered, {in, sources, in_weights, out, destinations, out_weights});
    const Adjacency other = exchanged.get();
    return cairn::down<Function::MPI_Dist_graph_create_adjacent_>(comm, other.in, other.sources, other.source_weights,
                                                                  other.out, other.destinations,
                                                                  other.destination_weights, info, reorder, made);
  }

  void translate(MPI_Comm& comm) const {
    if (comm == MPI_COMM_WORLD) comm = renumbering_.world();
  }

  bool is_program(const void* caller) const {
    const auto* const callers = self_.find<cairn::Callers>();
    return callers != nullptr && callers->is_program(caller);
  }

  /// The library's MPI_COMM_WORLD has these, and so do its duplicates, with Open MPI.
  template <Function F>
  int read_predefined(Call<F>& call) {
    const MPI_Comm comm = arg<Role::comm>(call);
    int result = call.proceed();
    if (result != MPI_SUCCESS) return result;
    int* const flag = arg<Role::flag>(call);
    if (comm != MPI_COMM_WORLD && *flag == 0 && renumbering_.is_descendant(comm)) {
      arg<Role::comm>(call) = MPI_COMM_WORLD;
      result = call.proceed();
    }
    const int keyval = arg<Role::keyval>(call);
    if (result == MPI_SUCCESS && *flag != 0 && (keyval == MPI_HOST || keyval == MPI_IO))
      renumber_value(*static_cast<int**>(static_cast<void*>(arg<Role::attribute_value_result>(call))));
    return result;
  }

  /// The rank of a process that is the host's, or has input and output.
  void renumber_value(int*& value) {
    if (*value < 0) return;
    static int seen;
    seen = renumbering_.renumbered(*value);
    value = &seen;
  }

  template <Function F>
  static bool is_bound_to_communicator([[maybe_unused]] int index) {
    const cairn::OwnWork own;
    int binding = MPI_T_BIND_NO_OBJECT;
    int name_length = 0;
    int text_length = 0;
    int number = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    if constexpr (is<F>("MPI_T_cvar_handle_alloc"))
      PMPI_T_cvar_get_info(index, nullptr, &name_length, &number, &type, &enumeration, nullptr, &text_length, &binding,
                           &number);
    if constexpr (is<F>("MPI_T_pvar_handle_alloc"))
      PMPI_T_pvar_get_info(index, nullptr, &name_length, &number, &number, &type, &enumeration, nullptr, &text_length,
                           &binding, &number, &number, &number);
#if MPI_VERSION >= 4
    if constexpr (is<F>("MPI_T_event_handle_alloc"))
      PMPI_T_event_get_info(index, nullptr, &name_length, &number, nullptr, nullptr, &number, &enumeration, nullptr,
                            nullptr, &text_length, &binding);
#endif
    return binding == MPI_T_BIND_MPI_COMM;
  }

  /// Its ranks were not launched, and the file is not for them.
  static bool is_spawned() {
    const cairn::OwnWork own;
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
  }

  /// What would see both numberings here, or "".
  std::string obstacle() const {
    const auto* const callers = self_.find<cairn::Callers>();
    const std::string unseen = callers == nullptr ? "" : find_unseen_call(with_communicator, *callers);
    return unseen.empty() ? "" : "the program calls " + unseen + ", which no tool sees";
  }

  cairn::Self self_;
  std::string file_;
  bool wants_topologies_;
  bool reorders_topologies_ = false;  // all ranks want it
  Renumbering renumbering_;
  Measured measured_;
  Callbacks<MPI_Comm_copy_attr_function> copies_;
  Callbacks<MPI_Comm_delete_attr_function> drops_;
  Callbacks<MPI_Comm_errhandler_function> error_functions_;
  std::mutex starting_;
  cairn::MpiStart start_;
};

}  // namespace reorder

CAIRN_TOOL(reorder::Reorder)
