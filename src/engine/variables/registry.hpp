// SPDX-License-Identifier: BSD-3-Clause
// registry.hpp - the lists of MPI_T as programs see them, and what of them is ours.
//
// As long as no tool offers anything, none of it is used: MPI_T is the library's, index for index. One lock guards the
// rest. The library is asked while it is held; the functions of tools never are, as they may call MPI_T.
#pragma once

#include <mpi.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

#include "cairn/kit/own_work.hpp"
#include "cairn/stack.h"
#include "variables/list.hpp"
#include "variables/variable.hpp"

namespace cairn::engine {

class Registry {
 public:
  /// `self`: the engine's own instance.
  Registry(const cairn_tool_instance* self, bool list_switches);

  /// Whether there is anything of ours; otherwise MPI_T calls are passed on unchanged.
  bool in_use() const { return in_use_.load(std::memory_order_acquire); }
  bool is_initialized() const { return initializations_of(true) + initializations_of(false) > 0; }
  /// Whether MPI_T is initialized by tools alone, and the caller is none: it must not end that.
  bool is_tools_alone() const {
    return !is_tools_call() && initializations_of(false) <= 0 && initializations_of(true) > 0;
  }
  /// False for a program that has finalized MPI_T while tools go on with it. One that has not initialized it may have
  /// done so by PMPI_T_init_thread, which comes past here.
  bool is_open() const { return !(has_finalized_.load(std::memory_order_relaxed) && is_tools_alone()); }
  /// True if it was no repeated one: the program's first one that it has not ended, or any of a tool.
  bool count_initialization() {
    const bool by_tool = is_tools_call();
    return initializations_[by_tool].fetch_add(1, std::memory_order_relaxed) == 0 || by_tool;
  }
  /// True if this was the last one of all: indices and handles are invalid from now on.
  bool count_finalization() {
    initializations_[is_tools_call()].fetch_sub(1, std::memory_order_relaxed);
    if (!is_tools_call()) has_finalized_.store(true, std::memory_order_relaxed);
    return !is_initialized();
  }

  std::mutex& lock() { return lock_; }

  // From here on the caller holds the lock.

  List<Variable>& controls() { return controls_; }
  List<Variable>& performances() { return performances_; }
  List<Category>& categories() { return categories_; }
  void update_controls();
  void update_performances();
  void update_categories();
  /// Where an index leads, including one that was just added.
  Target<Variable> control(int index);
  Target<Variable> performance(int index);
  Target<Category> category(int index);

  const cairn_tool_instance* engine() const { return engine_; }
  /// How often our part of the lists changed.
  int changes() const { return changes_; }
  void mark_used();

  /// "profile", for a second layer of that name "profile.2".
  std::string layer_name(unsigned level) const;
  /// The category with the layer's name, made when first asked for.
  Category& layer_category(unsigned level);

  void forget_indices();

 private:
  int initializations_of(bool tools) const { return initializations_[tools].load(std::memory_order_relaxed); }
  void list_switches();
  Category& root();

  std::mutex lock_;
  std::atomic<bool> in_use_ = false;
  std::atomic<bool> has_finalized_ = false;            // the program, at least once
  std::array<std::atomic<int>, 2> initializations_{};  // by the program (and tools that mark no own work), by tools
  const cairn_tool_instance* engine_;
  const cairn_stack* stack_;
  List<Variable> controls_;
  List<Variable> performances_;
  List<Category> categories_;
  std::vector<Category*> of_layers_;  // by level
  std::vector<bool> has_switch_;      // by level
  Category* root_ = nullptr;
  int changes_ = 0;
};

/// Called once, before anything else.
void start_registry(const cairn_tool_instance* self, bool list_switches);

/// Never destroyed: programs may use MPI_T in exit handlers.
extern std::byte registry_memory[];
inline Registry& registry() { return *std::launder(reinterpret_cast<Registry*>(registry_memory)); }

/// The service "cairn.variables".
extern const cairn_variables variables_service;

/// Tells the user why something of a tool's is not in the list.
void say_refused(const cairn_tool_instance* owner, const char* what, const std::string& name, const std::string& why);

/// Why a name is not available.
inline std::string taken_by(const Entry& entry) {
  return "tool '" + std::string(entry.owner->tool) + "' already offers one of that name";
}

/// Our entry of that name for which `fits` holds, or null.
template <class T, class Fits>
T* find_own(List<T>& list, std::string_view name, Fits fits) {
  for (T& entry : list.own())
    if (entry.is_called(name) && fits(entry)) return &entry;
  return nullptr;
}
template <class T>
T* find_own(List<T>& list, std::string_view name) {
  return find_own(list, name, [](const T&) { return true; });
}

/// Free all handles that are left; the caller holds no lock.
void free_control_handles();
void free_performance_handles();

/// What MPI_T returns for an invalid handle or index.
inline int or_not_initialized(int code) {
  return registry().is_initialized() ? code : static_cast<int>(MPI_T_ERR_NOT_INITIALIZED);
}

}  // namespace cairn::engine
