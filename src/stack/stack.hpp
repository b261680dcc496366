// SPDX-License-Identifier: BSD-3-Clause
// stack.hpp - the stack of layers between the program and the MPI library: which there are, and their links.
//
// Built once, from the innermost layer outwards, on the thread of the first MPI call; its layers do not change
// afterwards, but may be switched off and on, and it lives until the process ends. A layer is linked when everything
// under it is in place: its imports of PMPI_X then hold the addresses of the next layer's MPI_X, and no code of ours
// runs between two layers.
#pragma once

#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "contracts/preload.hpp"
#include "stack/layer.hpp"
#include "stack/mpi_library.hpp"

namespace cairn {

class Stack {
 public:
  Stack(const Preload& preload, const MpiLibrary& mpi);

  /// Links a layer on top of what is there and makes it the new top. `start(layer)` runs between the two: it may still
  /// refuse the layer by throwing, and the stack stays as it was.
  template <class Start>
  void push(Layer layer, Start start) {
    layer.put_at(next_position());
    layer.link(mpi_.functions(), under(layer.stack()));
    start(layer);
    cover(layer);
    for (std::size_t i = 0; i < covering_.size(); ++i)
      if (layer.stack() == 0 && layer.wrapper(static_cast<FunctionIndex>(i)) != nullptr) covering_[i] = layer.id();
    layers_.push_back(std::move(layer));
  }

  /// Where the next layer will lie.
  Position next_position() const { return static_cast<Position>(layers_.size() + 1); }

  /// Adds the wrappers of a table to a layer that is being started, and links it; "" or the first unknown name.
  std::string add_table(Layer& layer, std::span<cairn_tool_function> table) const {
    std::string unknown = layer.add_table(table, mpi_.functions());
    if (unknown.empty()) layer.link(mpi_.functions(), under(layer.stack()));
    return unknown;
  }
  /// Puts a gate in front of a layer that is being started.
  void set_gate(Layer& layer, const LoadedObject& module, std::span<cairn_gate_function> gate) const {
    layer.set_gate(module, gate, mpi_.functions());
    layer.link(mpi_.functions(), under(layer.stack()));
  }

  /// Has `entry` reached first by the program's calls of a function, before earlier observers; it goes on to *next.
  /// Before open().
  void observe(FunctionIndex function, void* entry, void** next) { observers_.push_back({function, entry, next}); }

  /// Lets calls enter the stack at any layer from now on, past those above it. All layers that the user asked for must
  /// be there; `layers`: how many there are. Before open().
  void open_doors(std::size_t layers);
  /// What a call meets that enters at a layer, or below all of these for `none`; null where the MPI library lacks the
  /// function. Without a lock.
  void* door(LayerId id, FunctionIndex function) const {
    const std::size_t place = place_asked(id);
    const auto& table = place < doors_.size() ? doors_[place] : doors_.back();
    return __atomic_load_n(&table[function], __ATOMIC_ACQUIRE);
  }
  /// Has the program's calls enter at a layer, or below all of these for `none`.
  void lead_program_to(LayerId id);
  /// Takes that back.
  void lead_program_to_top();
  /// Lets the program's calls in: fills every slot of the preload library. The first slot may bring calls of other
  /// threads, and these may switch layers.
  void open() const;

  /// Innermost first.
  const std::deque<Layer>& layers() const { return layers_; }
  bool has_layer(LayerId id) const;
  /// The layer in which an address lies, or null.
  const Layer* layer_of(const void* address) const;
  /// Its id, or none.
  LayerId id_at(const void* address) const {
    const Layer* const layer = layer_of(address);
    return layer == nullptr ? LayerId::none : layer->id();
  }
  /// The nearest layer so far that wraps a function, whether it is on or off.
  LayerId covering(FunctionIndex function) const { return covering_[function]; }

  /// Calls change(Layer&) for each layer, to set or take away reasons to be off, or to turn its filters off or on; links
  /// everything anew if that turned some layer on or off, or its filters. Thread-safe.
  template <class Change>
  void update(Change change) {
    const std::lock_guard lock(switching_);
    bool turned = false;
    for (Layer& layer : layers_) {
      const bool before = layer.active();
      const bool was_filtered = layer.filters_on();
      change(layer);
      turned = turned || layer.active() != before || layer.filters_on() != was_filtered;
    }
    if (turned) link_anew();
  }

  /// Turns a layer's switch. Unless a filter keeps it off, it is put into the calls' way or taken out, for all threads
  /// and while they call. Calls that are in the layer already go on. A pointer that a tool has got from dlsym and kept
  /// stays as it is.
  void set_active(LayerId id, bool active) {
    update([&](Layer& layer) {
      if (layer.id() == id) layer.set_off(Off::by_switch, !active);
    });
  }
  void set_filters_on(LayerId id, bool on) {
    update([&](Layer& layer) {
      if (layer.id() == id) layer.set_filters_on(on);
    });
  }
  bool are_filters_on(LayerId id) const;
  /// Whether the layer's switch is on; a filter may keep the layer off nevertheless.
  bool is_switched_on(LayerId id) const;
  /// A layer above calls this one past the stack's links, so turning its switch would not take it out of all calls'
  /// way. While the stack is built.
  void pin(LayerId id) { pinned_.insert(id); }
  bool is_pinned(LayerId id) const { return pinned_.contains(id); }

  /// Links an object that a layer has opened as the layer is linked at that time.
  void link_to_layer(LoadedObject& object, const Layer& layer) const;
  /// What lies under a layer at that time; under null, the one that is being loaded, lies the top.
  void* below(const Layer* layer, FunctionIndex function) const;

  /// In the child after fork, where a thread that was switching layers is gone.
  void forget_lock() { new (&switching_) std::mutex; }

 private:
  /// What a further layer of the stack would lie on. A stack begins with what the program's holds at that time.
  const std::vector<void*>& under(unsigned stack) const;
  void cover(const Layer& layer);
  void link_anew();
  void link_doors();
  void fill_slots() const;
  void lead_to(const std::vector<void*>* way);
  void* find_below(const Layer* layer, FunctionIndex function) const;

  const Preload& preload_;
  const MpiLibrary& mpi_;
  std::vector<void*> top_;         // by function, what a call reaches first; null where the MPI library lacks it
  std::vector<LayerId> covering_;  // by function
  std::set<LayerId> pinned_;
  std::map<unsigned, std::vector<void*>> other_tops_;  // of the other stacks
  struct Observer {
    FunctionIndex function;
    void* entry;
    void** next;
  };
  std::vector<Observer> observers_;
  std::vector<std::vector<void*>> doors_;          // by place_asked(), and one more for what is below; by function
  const std::vector<void*>* program_way_ = &top_;  // top_ or one of the doors
  std::deque<Layer> layers_;
  mutable std::mutex switching_;  // taken after the dynamic loader's lock, never before it
};

}  // namespace cairn
