// SPDX-License-Identifier: BSD-3-Clause
// qmpi.hpp - layers of QMPI as MPICH declares it (include/qmpi.h): their registrations, storages and ways down.
//
// What follows from the stack's order is worked out when a layer starts, as everything under it is in place by then: at
// run time a tool's question is an array access. Between two such layers that follow each other the tools call each
// other directly; elsewhere the adaptors lead into QMPI and out of it.
#pragma once

#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "contracts/preload.hpp"
#include "qmpi/adaptors.hpp"
#include "request/request.hpp"
#include "stack/stack.hpp"

namespace cairn {

using QmpiFunction = void (*)();

/// One of QMPI's functions that tools call: "QMPI_Get_function", and what it does.
struct QmpiEntry {
  std::string_view name;
  void* address;
};

/// Everything that is known of QMPI's layers in this process.
class Qmpi {
 public:
  /// `adaptor`: path of the adaptor for this MPI; `layers`: how many the user asked for; `source`: how; `entries`: of
  /// the functions, which lead here. All outlive this.
  Qmpi(Stack& stack, const MpiLibrary& mpi, const Preload& preload, const std::string& adaptor, std::size_t layers,
       const std::string& source, std::span<const QmpiEntry> entries);

  /// Lets tools reach QMPI's functions from here on.
  void open() const;

  /// Gives the layers that are going to be of this kind their ids: 1, 2, ..., outermost first. Before any starts.
  void number_layers(std::span<const LayerId> layers);

  /// The tool of that name that the program or a preloaded library registered, or null.
  const QmpiRegistration* of_program(std::string_view name) const;
  /// The names of all of them, for messages: "'a', 'b'"; empty if there are none.
  std::string names_of_program() const;

  /// To be called before a module is loaded: its constructors are going to register its tools.
  void expect_registrations() {
    registrations_.clear();
    expecting_ = true;
  }

  /// Starts a layer whose module has been loaded, after expect_registrations. `fixed`: nothing can take the layer out
  /// of the calls' way later, so the layer above may call it directly. Throws Problem.
  void start(Layer& layer, const LayerRequest& request, bool fixed);
  /// The same for one of the program's tools.
  void start(Layer& layer, const LayerRequest& request, const QmpiRegistration& registration);

  // What tools call, with the address that they call from.

  int register_tool_name(const char* name, void (*init)(int));
  int register_tool_storage(int id, void* storage, const void* caller);
  int register_function(int id, int number, QmpiFunction function, const void* caller);

  /// Where a layer's way down leads.
  struct Answer {
    QmpiFunction function;  // null: the MPI library lacks it
    int id;
  };
  /// Null where there is no such layer or number.
  const Answer* answer(int id, int number) const {
    const QmpiLayer* const found = layer(id);
    return found != nullptr && static_cast<unsigned>(number) < found->answers.size()
               ? &found->answers[static_cast<unsigned>(number)]
               : nullptr;
  }
  int no_function(int id, int number, const void* caller);

  /// True with the storage that a layer has set, at each call of a tool's wrapper.
  bool storage(int id, void** found) const {
    if (static_cast<unsigned>(id) >= id_count_) return false;
    *found = first_storage_[static_cast<unsigned>(id)];
    return *found != &unset_;
  }
  int no_storage(int id, void** storage, const void* caller);

 private:
  struct QmpiLayer {
    std::string tool;  // as the user named it
    const cairn_adaptor* adaptor;
    bool fixed;
    Layer* starting;      // null but while `init` runs
    std::string problem;  // why it cannot start
    std::string remedy;
    std::vector<Answer> answers;  // by QMPI_Functions_enum
  };
  struct Registration {
    std::string name;
    void (*init)(int);
  };

  void run(Layer& layer, const LayerRequest& request, bool fixed, void (*init)(int));
  const Registration& chosen(const LayerRequest& request) const;
  std::vector<Answer> answers_for(const cairn_adaptor& adaptor) const;
  void redirect(LoadedObject object, const cairn_adaptor& adaptor) const;
  void* implementation(std::string_view name) const;
  int id_of(LayerId layer) const { return number(layer) < ids_.size() ? ids_[number(layer)] : 0; }
  QmpiLayer* layer(int id) const {
    return static_cast<unsigned>(id) < layers_.size() ? layers_[static_cast<unsigned>(id)] : nullptr;
  }
  int refuse(QmpiLayer& layer, const std::string& problem, const std::string& remedy) const;
  int complain(const void* caller, const std::string& text, const std::string& remedy);
  int complain_of_id(const char* function, int id, const void* caller);
  const char* name_of(const QmpiLayer& layer, int number) const;

  Stack& stack_;
  const MpiLibrary& mpi_;
  const Preload& preload_;
  const std::string& source_;
  std::span<const QmpiEntry> entries_;
  QmpiAdaptors adaptors_;
  static char unset_;               // its address stands for a storage that was never set
  std::vector<int> ids_;            // by LayerId; 0 where a layer is none of QMPI's
  std::vector<QmpiLayer*> layers_;  // by id; null where there is none
  std::vector<void*> storages_;     // by id; &unset_ where there is none
  void** first_storage_;            // the same, plain: it is asked for at each call
  unsigned id_count_;
  std::vector<Registration> registrations_;  // of the module that is just being loaded
  bool expecting_ = false;
  std::set<const link_map*> redirected_;  // of the program
  int bad_argument_ = 1;
  std::mutex telling_;
  std::set<std::string> told_;
};

}  // namespace cairn
