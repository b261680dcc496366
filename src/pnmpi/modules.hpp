// SPDX-License-Identifier: BSD-3-Clause
// modules.hpp - layers as PnMPI's modules see each other: handles, stacks, names, services, globals, arguments, hooks.
//
// Handles count the layers that the user asked for from 0, and each named stack in front of its first.
#pragma once

#include <algorithm>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "pnmpi/service.h"
#include "request/request.hpp"
#include "stack/stack.hpp"

namespace cairn {

class PnmpiModules {
 public:
  /// Both outlive this.
  PnmpiModules(Stack& stack, const std::vector<LayerRequest>& layers);

  /// The number of the stack that a layer belongs to, for Layer::put_into: 0 for the program's.
  unsigned stack_of(std::size_t place) const { return stacks_[place]; }

  bool has_other_stacks() const {
    return std::ranges::any_of(stacks_, [](unsigned stack) { return stack != 0; });
  }

  /// A module of PnMPI's is going to be loaded.
  void expect() { has_modules_ = true; }
  bool has_modules() const { return has_modules_; }

  /// All layers are there: the modules' names are taken, and their hooks run.
  void begin();
  /// The process exits.
  void end();

  /// Whether some layer calls one of the functions.
  bool is_called(bool (*is_it)(std::string_view name)) const;

  /// Of a layer; negative for one that is none of the modules.
  PNMPI_modHandle_t handle_of(LayerId id) const;

  // What modules call (contracts/pnmpi_host.h). Handles may be wrong.

  PNMPI_status_t name_module(PNMPI_modHandle_t self, std::string_view name);
  PNMPI_status_t find_module(std::string_view name, PNMPI_modHandle_t* handle) const;
  PNMPI_status_t find_stack(std::string_view name, PNMPI_modHandle_t* handle) const;
  PNMPI_status_t add_service(PNMPI_modHandle_t self, const PNMPI_Service_descriptor_t& service);
  PNMPI_status_t find_service(PNMPI_modHandle_t handle, std::string_view name, std::string_view signature,
                              PNMPI_Service_descriptor_t* found) const;
  PNMPI_status_t add_global(PNMPI_modHandle_t self, const PNMPI_Global_descriptor_t& global);
  PNMPI_status_t find_global(PNMPI_modHandle_t handle, std::string_view name, char signature,
                             PNMPI_Global_descriptor_t* found) const;
  PNMPI_status_t find_argument(PNMPI_modHandle_t handle, std::string_view name, const char** value) const;
  PNMPI_status_t gets_pcontrol(PNMPI_modHandle_t handle, int* flag) const;
  /// In the first module from there on, in the same stack, that exports it.
  void call_hook(const std::string& hook, PNMPI_modHandle_t first) const;

  /// The layer in which a call that is sent to a handle arrives: that of the module, or the next one of its stack that
  /// is loaded; none if there is no further one.
  LayerId layer_from(PNMPI_modHandle_t handle) const;
  std::size_t handle_count() const { return modules_.size(); }
  bool is_module(PNMPI_modHandle_t handle) const;
  /// The module's layer, or null.
  const Layer* layer_of(PNMPI_modHandle_t handle) const;

 private:
  struct Module {
    std::size_t place;  // among the layers asked for; `no_place`: the beginning of a stack
    std::string stack;  // the name of that
    std::string name = {};
    std::deque<PNMPI_Service_descriptor_t> services = {};
    std::deque<PNMPI_Global_descriptor_t> globals = {};
  };
  static constexpr std::size_t no_place = ~std::size_t{0};

  void add_stack(const std::string& name) { modules_.push_back({no_place, name}); }
  bool begins_stack(std::size_t handle) const { return modules_[handle].place == no_place; }
  void call_hook_of_all(const std::string& hook) const;
  void take_names();

  Stack& stack_;
  const std::vector<LayerRequest>& layers_;
  std::vector<unsigned> stacks_;  // by place
  std::vector<Module> modules_;   // by handle
  mutable std::mutex registering_;
  bool has_modules_ = false;
};

}  // namespace cairn
