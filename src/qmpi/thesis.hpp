// SPDX-License-Identifier: BSD-3-Clause
// thesis.hpp - layers of QMPI as its thesis has it (include/qmpi_thesis.h): their function tables and the vector of
// layers.
//
// A table is filled when its layer starts, as everything under the layer is in place by then, and never changes.
#pragma once

#include <deque>
#include <string>
#include <vector>

#define CAIRN_QMPI_THESIS_NO_TOOL
#include "qmpi/adaptors.hpp"
#include "qmpi_thesis.h"
#include "request/request.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// Everything that is known of these layers in this process. Their levels are ids (stack/layer_id.hpp).
class Thesis {
 public:
  /// `adaptor`: path of the adaptor for this MPI; `layers`: how many the user asked for; `source`: how; `problem`: what
  /// the header says has gone wrong, to come to tell_problem(). All outlive this.
  Thesis(Stack& stack, const MpiLibrary& mpi, const Preload& preload, const std::string& adaptor, std::size_t layers,
         const std::string& source, void (*problem)(const char* text));

  /// Starts a layer whose module has been loaded. `fixed`: nothing can take the layer out of the calls' way later, so
  /// the layer above may call it directly. Throws Problem.
  void start(Layer& layer, const LayerRequest& request, bool fixed);

  /// Fills the table of level 0, the program's, if any layer was started.
  void finish();

  /// To the user; `caller` lies in the tool that did it.
  void tell_problem(const char* text, const void* caller) const;

 private:
  struct ThesisLayer {
    dynamic_lib shown{};
    const cairn_adaptor* adaptor = nullptr;
    bool fixed = false;
  };

  void read_interceptions(Layer& layer, ThesisLayer& one) const;
  void fill_table(ThesisLayer& one) const;
  const ThesisLayer* layer(LayerId id) const { return number(id) < by_id_.size() ? by_id_[number(id)] : nullptr; }

  Stack& stack_;
  const Preload& preload_;
  const std::string& source_;
  QmpiAdaptors adaptors_;
  std::deque<ThesisLayer> layers_;
  ThesisLayer nothing_;              // what the vector shows of layers of another kind
  std::vector<ThesisLayer*> by_id_;  // null where there is none
  std::vector<dynamic_lib*> items_;
  std::vector<FunctionIndex> functions_;  // by index in the thesis
  ::vector vector_;
};

}  // namespace cairn
