// SPDX-License-Identifier: BSD-3-Clause
// builder.hpp - putting layers on the stack: the engine, the tools that the user asked for, the services they need.
#pragma once

#include <string>

#include "runtime/modules.hpp"
#include "runtime/runtime.hpp"

namespace cairn {

/// On the thread of the first MPI call. The innermost layer comes first, so that whatever a tool's constructor calls is
/// in place under it. What fails is reported, and the others go on.
class Builder {
 public:
  explicit Builder(Runtime& runtime) : runtime_(runtime), modules_(runtime.mpi.target(), runtime.bundled) {}

  /// The part of Cairn that is compiled for this MPI, where there is one, lies under all tools.
  void add_engine();

  /// False if one is missing.
  bool add_tools();

 private:
  const ToolFile* file_if_any(const LayerRequest& request);
  bool has_pnmpi_module();
  void number_qmpi_layers();
  void provide_under_other_stacks();
  bool add_tool(std::size_t place);
  void add_module(LayerId id, const LayerRequest& request, std::uint32_t instance);
  void add_tool_of_program(LayerId id, const LayerRequest& request, const QmpiRegistration& registration);
  void add_own(LayerRequest request, const ToolFile& module);
  void provide(const ToolAbout& about);
  void check_preloaded(const ToolFile& tool) const;
  void note_outside(const Layer& layer);
  void add_service(const ToolAbout::Need& need);
  template <class Start>
  void push(Layer layer, Start start);
  const ToolFile& module_of(const LayerRequest& request);
  void tell_not_loaded(const LayerRequest& request, const char* why, const std::string& remedy);

  Runtime& runtime_;
  Modules modules_;
  Position topmost_outside_ = Position::below_all;  // of tools of others, which may replace handles
  std::size_t added_below_it_ = 0;                  // layers
  bool arguments_are_read_ = false;                 // of any layer, by a module of PnMPI's
};

}  // namespace cairn
