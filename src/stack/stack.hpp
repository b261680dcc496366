// SPDX-License-Identifier: BSD-3-Clause
// stack.hpp - the stack of layers between the program and the MPI library.
//
// Built once, from the innermost layer outwards, on the thread of the first MPI call; its layers do not change
// afterwards, but may be switched off and on, and it lives until the process ends. A layer is linked when everything
// under it is in place: its imports of PMPI_X then hold the addresses of the next layer's MPI_X, and no code of ours
// runs between two layers.
#pragma once

#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "contracts/preload.hpp"
#include "loader/loaded_snapshot.hpp"
#include "request/mpi_family.hpp"
#include "request/tool_file.hpp"
#include "stack/functions.hpp"
#include "stack/layer.hpp"

namespace cairn {

class Stack {
 public:
  Stack(const Preload& preload, const MpiFamily& mpi);

  const Functions& functions() const { return functions_; }
  /// What a call that enters at the top reaches first; null where the MPI library lacks the function.
  void* top(FunctionIndex function) const { return top_[function]; }

  /// Loads the tool, links it on top of what is there and makes it the new top. Throws Problem and stays as it was.
  /// `start` runs between the two: it may still refuse the tool by throwing.
  template <class Start>
  void push(unsigned level, const ToolFile& tool, Start start) {
    put_on_top(load(level, tool), start);
  }

  /// The same for a layer whose code is in the process already: in `object`, or null if in the program itself. Its
  /// calls of MPI are linked for the innermost layer of that object; those of the program's own code are left alone.
  template <class Start>
  void push_loaded(unsigned level, const link_map* object, Start start) {
    Layer layer(level, functions_);
    if (object != nullptr) layer.adopt(LoadedObject(object));
    put_on_top(std::move(layer), start);
  }

  /// Adds the wrappers of a table to a layer that is being started, and links it; "" or the first unknown name.
  std::string add_table(Layer& layer, std::span<cairn_tool_function> table) const {
    std::string unknown = layer.add_table(table, functions_);
    if (unknown.empty()) layer.link(functions_, top_);
    return unknown;
  }

  /// Turns a layer's switch. Unless a filter keeps it off, it is put into the calls' way or taken out, for all threads
  /// and while they call. Calls that are in the layer already go on. A pointer that a tool has got from dlsym and kept
  /// stays as it is.
  void set_active(unsigned level, bool active) {
    update([&](Layer& layer) {
      if (layer.level() == level) layer.set_off(Off::by_switch, !active);
    });
  }
  bool has_layer(unsigned level) const;
  /// A layer above calls this one past the stack's links, so turning its switch would not take it out of all calls'
  /// way. While the stack is built.
  void pin(unsigned level) { pinned_.insert(level); }
  bool is_pinned(unsigned level) const { return pinned_.contains(level); }
  /// Whether the layer's switch is on; a filter may keep the layer off nevertheless.
  bool is_switched_on(unsigned level) const;

  /// The MPI library's own, past a PMPI tool that the program is linked with; null if it has none of that name.
  void* library_function(std::string_view name) const;

  /// Calls change(Layer&) for each layer, to set or take away reasons to be off; links everything anew if that turned
  /// some layer on or off. Thread-safe.
  template <class Change>
  void update(Change change) {
    const std::lock_guard lock(switching_);
    bool turned = false;
    for (Layer& layer : layers_) {
      const bool before = layer.active();
      change(layer);
      turned = turned || layer.active() != before;
    }
    if (turned) link_anew();
  }

  /// Puts a gate (contracts/gate.h) with these communicators in front of a layer that is being started. Throws Problem.
  /// `comms` stays the caller's, for ever.
  void add_gate(Layer& layer, const std::string& path, const std::vector<const char*>& comms);

  /// Has `entry` reached first by the program's calls of a function; it goes on to *next. Before open().
  void observe(FunctionIndex function, void* entry, void** next);

  /// In the child after fork, where a thread that was switching layers is gone.
  void forget_locks() {
    new (&switching_) std::mutex;
    new (&scanning_) std::mutex;
  }

  /// Lets the program's calls in: fills every slot of the preload library. The first slot may bring calls of other
  /// threads, and these may switch layers.
  void open() const;

  /// Points the MPI library's glue at the stack and its inner calls past it, for every object not looked at before.
  void link_surroundings();

  /// Links what code at `opener` has got by opening a library: what a layer opens is linked as the layer itself is. A
  /// scan on another thread may have met it half loaded.
  void link_opened(const void* opener, void* handle, const LoadedSnapshot& before);

  /// While a layer is being loaded: what its constructors open is the layer's. On the thread that loads it.
  void note_opened(void* handle);

  /// The nearest layer so far that wraps a function, whether it is on or off; 0 if none does.
  unsigned covering_level(FunctionIndex function) const { return covering_level_[function]; }

  /// The level of the tool in which the address lies, or 0.
  unsigned level_at(const void* address) const {
    const Layer* const layer = layer_of(address);
    return layer == nullptr ? 0 : layer->level();
  }

  /// Whether the address lies in a tool.
  bool is_in_layer(const void* address) const { return layer_of(address) != nullptr; }

  /// Whether the address is code of the program or of a library of its own.
  bool is_program_code(const void* address) const;

  /// Whether calls of PMPI_X from there are the program's: from Fortran glue, and from a tool linked into the program.
  bool passes_program_calls(const void* address) const;

  /// What dlsym(handle, name) means when code at `caller` asks (preload.hpp).
  std::uintptr_t answer_dlsym(void* handle, const char* name, const void* caller) const;

 private:
  template <class Start>
  void put_on_top(Layer layer, Start start) {
    layer.link(functions_, top_);
    start(layer);
    cover(layer);
    for (std::size_t i = 0; i < covering_level_.size(); ++i)
      if (layer.wrapper(static_cast<FunctionIndex>(i)) != nullptr) covering_level_[i] = layer.level();
    layers_.push_back(std::move(layer));
  }

  /// Puts the layer's wrappers over what top_ held.
  void cover(const Layer& layer);
  void link_anew();
  Layer load(unsigned level, const ToolFile& tool);
  Layer load_from_its_place(unsigned level, const ToolFile& tool);
  struct Helper {
    std::string path;
    std::string name;
  };
  std::vector<Helper> helpers_of(const ElfFile& image) const;
  Layer load_copy(unsigned level, const ToolFile& tool, const std::vector<Helper>& helpers);
  void open_dependencies(const ToolFile& tool, const std::vector<Helper>& helpers) const;
  void* open_object(const std::string& path);
  void* open_image(ElfFile image, const std::string& name);
  bool is_loaded(const std::string& path) const;
  bool is_of_program(const std::string& path) const;
  bool is_private_helper(const LoadedObject& object, const LoadedObject& module) const;
  bool defines_wrappers(const LoadedObject& object) const;
  bool mentions_mpi(const LoadedObject& object) const;
  void fill_slots() const;
  void link_object(LoadedObject object, const Layer* owner);
  void link_glue(LoadedObject& object);
  void link_inner(LoadedObject& object);
  void link_to_layer(LoadedObject& object, const Layer& layer);
  void link_program(LoadedObject& object);

  const Layer* layer_of(const void* address) const;
  const link_map* loading_object_at(const void* address) const;
  void* below(const Layer* layer, FunctionIndex function) const;

  const Preload& preload_;
  const MpiFamily& mpi_;
  Functions functions_;
  std::vector<void*> native_;
  std::vector<void*> top_;
  struct Observer {
    FunctionIndex function = Functions::none;
    void* entry = nullptr;
    void** next = nullptr;
  } observer_;
  std::vector<unsigned> covering_level_;
  std::set<unsigned> pinned_;
  std::deque<Layer> layers_;      // innermost first
  mutable std::mutex switching_;  // taken after the dynamic loader's lock, never before it

  std::optional<LoadedSnapshot> before_load_;   // while a layer is being loaded
  std::vector<std::uintptr_t> opened_in_load_;  // where what came with it lies; other threads may open libraries too
  // The C library holds its lock during a scan, but does not promise to. Taken after that lock, never before it.
  std::mutex scanning_;
  std::unordered_map<std::uintptr_t, unsigned long> seen_in_scan_;  // by where an object lies
  unsigned long scans_ = 0;
  unsigned long long unloads_seen_ = 0;
};

}  // namespace cairn
