// SPDX-License-Identifier: BSD-3-Clause
// switching.hpp - turning layers off and on as their filters say: by rank, time, MPI_Pcontrol and signal.
//
// Lives until the process ends. Set up on the thread of the first MPI call while the stack is built; after begin(), the
// others may be called on any thread.
#pragma once

#include <pthread.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "request/filters.hpp"
#include "runtime/switch_thread.hpp"
#include "stack/layer_loader.hpp"
#include "stack/stack.hpp"

namespace cairn {

class Switching {
 public:
  /// Warns the user, with what to try.
  using Warn = std::function<void(const std::string& text, const std::string& remedy)>;

  /// `gate`: path of the gate for the program's MPI.
  Switching(Stack& stack, LayerLoader& loader, const MpiLibrary& mpi, const std::vector<LayerRequest>& layers,
            std::string gate, Warn warn);

  /// Whether MPI_Pcontrol goes to some layers past those above them, or only where the program says.
  bool delivers_to_each() const { return delivers_to_each_; }
  bool lets_address_layers() const { return lets_address_layers_; }
  /// Whether a layer that was asked for has filters that keep calls from it and can be put out of force.
  bool has_filters(LayerId id) const { return layers_[place_asked(id)].filters.gives_way; }
  bool hears_by_itself(LayerId id) const { return layers_[place_asked(id)].filters.hears.each; }

  /// Whether a filter needs the rank and no launcher tells it: know_rank() follows in MPI_Init.
  bool needs_rank() const { return needs_rank_; }

  /// Throws Problem if a layer's filters are not available with this MPI. Before the layer is loaded.
  void check(LayerId id) const;
  /// Applies a layer's filters when its wrappers are known and nothing above it is linked yet.
  /// `obeys_levels`: what the tool wants where the filters say nothing.
  void apply(Layer& layer, bool obeys_levels = false);
  /// All layers are there: from now on they are switched. `in_child`: as in SwitchThread.
  void begin(std::function<void()> in_child);

  void know_rank(long rank);
  /// `more`: the argument behind the level, if there is one.
  void hear_pcontrol(int level, const char* more);

 private:
  struct Filtered {
    std::string tool;
    Filters filters;
    std::vector<const char*> comms = {};  // the gate keeps it
    bool obeys_levels = false;            // of MPI_Pcontrol, in its switch

    bool is_turned_by(int level) const;
  };

  void choose_functions(Layer& layer, const Filtered& filtered) const;
  void switch_at(LayerId id, Filters::Time when, bool off);
  void hear_signal(int signal);
  void hear_region(bool begins, const char* name);
  template <class Decide>
  void update(Decide decide);

  Stack& stack_;
  LayerLoader& loader_;
  const MpiLibrary& mpi_;
  std::vector<Filtered> layers_;  // by place_asked()
  std::string gate_;
  Warn warn_;
  bool some_choose_regions_ = false;
  std::map<pthread_t, std::vector<std::string>> regions_;  // open ones by thread, as paths; under the stack's lock
  bool needs_rank_ = false;
  bool delivers_to_each_ = false;
  bool lets_address_layers_ = false;
  SwitchThread thread_;
};

}  // namespace cairn
