// SPDX-License-Identifier: BSD-3-Clause
// layer.hpp - one tool instance in the stack: its module and private libraries in memory, and its wrappers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cairn/tool.h"
#include "contracts/gate.h"
#include "loader/loaded_object.hpp"
#include "stack/functions.hpp"
#include "stack/layer_id.hpp"

namespace cairn {

/// A reason for which calls bypass a layer; it is on while none applies.
enum class Off : unsigned { by_rank = 1, by_time = 2, by_phase = 4, by_switch = 8, by_region = 16 };

class Layer {
 public:
  Layer(LayerId id, const Functions& functions)
      : id_(id), wrappers_(functions.count()), sees_(functions.usually_seen()), is_kept_(functions.count()) {}

  LayerId id() const { return id_; }
  /// Where it lies, from when it is put on the stack.
  Position position() const { return position_; }
  void put_at(Position position) { position_ = position; }
  /// 0: the stack that the program's calls go through; others are reached by modules that switch to them.
  unsigned stack() const { return stack_; }
  void put_into(unsigned stack) { stack_ = stack; }
  const std::vector<LoadedObject>& objects() const { return objects_; }

  /// Objects belong to a layer in the order in which they are searched for a wrapper: the module first.
  void add_object(const LoadedObject& object, const Functions& functions);
  /// The same for an object that is in the process already; it defines no wrappers.
  void adopt(const LoadedObject& object) { objects_.push_back(object); }
  /// The wrappers of a table that a tool gave (cairn/tool.h), and places to link; "" or the first name that is unknown.
  std::string add_table(std::span<cairn_tool_function> table, const Functions& functions);
  bool contains(const void* address) const;
  /// A function that the layer's module defines for others, or null.
  void* exported(std::string_view name) const;
  /// A variable that it defines for others, or null.
  void* exported_variable(std::string_view name) const {
    return objects_.empty() ? nullptr : objects_.front().variable(name);
  }
  /// The layer's own wrapper, or null.
  void* wrapper(FunctionIndex function) const { return wrappers_[function]; }
  /// What calls from above reach: its wrapper or the gate in front of it; null where they bypass the layer.
  void* entry(FunctionIndex function) const;

  /// Calls bypass a layer that is off: nothing above it is linked to it, except for functions that it always sees. Its
  /// own calls still go down.
  bool active() const { return (off_ & (filters_on_ ? ~0U : static_cast<unsigned>(Off::by_switch))) == 0; }
  void set_off(Off reason, bool off);
  bool is_off(Off reason) const { return (off_ & static_cast<unsigned>(reason)) != 0; }

  /// Whether its filters are in force: reasons to be off other than its switch, functions that are kept from it, a gate.
  bool filters_on() const { return filters_on_; }
  void set_filters_on(bool on) { filters_on_ = on; }

  /// When it sees a function; at first `always` for those of is_lifecycle() in filters.hpp, else `while_on`.
  void choose(FunctionIndex function, Sees when) { sees_[function] = when; }
  /// Keeps a function from it, as a filter.
  void keep(FunctionIndex function) { is_kept_[function] = true; }
  /// Puts a gate in front of the layer: the functions of a module, which calls PMPI_X past all layers. To be linked.
  void set_gate(const LoadedObject& module, std::span<cairn_gate_function> gate, const Functions& functions);

  /// Adds or replaces a wrapper that the layer's own calls of MPI_X bypass; for a layer that is being started.
  void set_outer_wrapper(FunctionIndex function, void* wrapper) {
    wrappers_[function] = wrapper;
    calls_itself_ = false;
  }
  /// What the layer's own calls of MPI_X lead to; null: down.
  void* own_wrapper(FunctionIndex function) const { return calls_itself_ ? wrappers_[function] : nullptr; }

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
  LayerId id_;
  Position position_ = Position::below_all;
  unsigned stack_ = 0;
  struct Table {
    cairn_tool_function* functions;
    std::vector<FunctionIndex> indices;  // of each entry
  };
  static void link_table(const Table& table, const std::vector<void*>& below);
  void* seen_wrapper(FunctionIndex function) const;
  void link_gate(const std::vector<void*>& below);

  std::vector<LoadedObject> objects_;
  std::vector<Table> tables_;
  std::vector<void*> wrappers_;
  std::vector<Sees> sees_;
  std::vector<bool> is_kept_;               // by a filter, by function
  std::vector<cairn_gate_function*> gate_;  // by function; empty without a gate
  std::vector<LoadedObject> gate_modules_;  // one or none
  unsigned off_ = 0;                        // reasons
  bool filters_on_ = true;
  bool calls_itself_ = true;
};

}  // namespace cairn
