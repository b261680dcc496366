// SPDX-License-Identifier: BSD-3-Clause
// layer.hpp - one tool instance in the stack: its module and private libraries in memory, and its wrappers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/tool.h"
#include "loader/loaded_object.hpp"
#include "stack/functions.hpp"

namespace cairn {

class Layer {
 public:
  /// `level`: 1 is the outermost layer of the stack.
  Layer(unsigned level, const Functions& functions) : level_(level), wrappers_(functions.count()) {}

  unsigned level() const { return level_; }
  const std::vector<LoadedObject>& objects() const { return objects_; }

  /// Objects belong to a layer in the order in which they are searched for a wrapper: the module first.
  void add_object(const LoadedObject& object, const Functions& functions);
  /// The same for an object that is in the process already; it defines no wrappers.
  void adopt(const LoadedObject& object) { objects_.push_back(object); }
  /// The wrappers of a table that a tool gave (cairn/tool.h), and places to link; "" or the first name that is unknown.
  std::string add_table(std::span<cairn_tool_function> table, const Functions& functions);
  bool contains(const void* address) const;
  /// The layer's own wrapper, or null.
  void* wrapper(FunctionIndex function) const { return wrappers_[function]; }

  /// Adds or replaces a wrapper that the layer's own calls of MPI_X pass by; for a layer that is being started.
  void set_outer_wrapper(FunctionIndex function, void* wrapper) {
    wrappers_[function] = wrapper;
    calls_itself_ = false;
  }
  /// What the layer's own calls of MPI_X lead to; null: down.
  void* own_wrapper(FunctionIndex function) const { return calls_itself_ ? wrappers_[function] : nullptr; }

  /// A layer that is off is passed by: nothing above it is linked to it. Its own calls still go down.
  bool active() const { return active_; }
  void set_active(bool active) { active_ = active; }

  /// Points every MPI import and table entry of the layer down, or to the layer's own wrapper where it calls MPI_X by
  /// name. `below[f]` is what lies under the layer.
  void link(const Functions& functions, const std::vector<void*>& below);

  /// The same for one object; `below` is a function from a FunctionIndex to what lies under the layer.
  template <class Below>
  void redirect(LoadedObject& object, const Functions& functions, Below below) const {
    object.redirect_imports([&](std::string_view name) -> void* {
      if (const FunctionIndex shifted = functions.find_shifted(name); shifted != Functions::none) return below(shifted);
      const FunctionIndex function = functions.find(name);
      if (function == Functions::none) return nullptr;
      void* const own = own_wrapper(function);
      return own != nullptr ? own : below(function);
    });
  }

 private:
  unsigned level_;
  struct Table {
    cairn_tool_function* functions;
    std::vector<FunctionIndex> indices;  // of each entry
  };
  static void link_table(const Table& table, const std::vector<void*>& below);

  std::vector<LoadedObject> objects_;
  std::vector<Table> tables_;
  std::vector<void*> wrappers_;
  bool active_ = true;
  bool calls_itself_ = true;
};

}  // namespace cairn
