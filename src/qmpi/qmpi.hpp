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
#include <vector>

#include "contracts/preload.hpp"
#include "qmpi/adaptors.hpp"
#include "request/request.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// One per process; lives until it ends.
class Qmpi {
 public:
  /// `adaptor`: path of the adaptor for this MPI; `levels`: how many layers are wanted; `source`: how the user asked.
  Qmpi(Stack& stack, const Preload& preload, const std::string& adaptor, std::size_t levels, const std::string& source);

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

 private:
  using Function = void (*)();
  struct Answer {
    Function function;  // null: the MPI library lacks it
    int id;
  };
  struct QmpiLayer {
    std::string tool;  // as the user named it
    const cairn_adaptor* adaptor;
    bool fixed;
    Layer* starting;      // null but while `init` runs
    std::string problem;  // why it cannot start
    std::string remedy;
    std::vector<Answer> answers;  // by QMPI_Functions_enum
  };
  struct Context {
    void** frame;
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
  QmpiLayer* layer(int id) const;
  int refuse(QmpiLayer& layer, const std::string& problem, const std::string& remedy) const;
  int complain(const void* caller, const std::string& text, const std::string& remedy);
  int complain_of_id(const char* function, int id, const void* caller);
  const char* name_of(const QmpiLayer& layer, int number) const;

  static int register_tool_name(const char* name, void (*init)(int));
  static int register_tool_storage(int id, void* storage);
  static int register_function(int id, int number, Function function);
  static int get_function(int id, int number, Function* function, int* next_id);
  static int get_tool_storage(Context context, int id, void** storage);
  static int get_calling_address(Context context, void** address);
  static int no_storage(int id, void** storage, const void* caller);

  Stack& stack_;
  const Preload& preload_;
  const std::string& source_;
  QmpiAdaptors adaptors_;
  std::vector<QmpiLayer*> layers_;           // by id, which is the level; null where there is none
  std::vector<void*> storages_;              // by id; &unset where there is none
  std::vector<Registration> registrations_;  // of the module that is just being loaded
  bool expecting_ = false;
  std::set<const link_map*> redirected_;  // of the program
  int bad_argument_ = 1;
  std::mutex saying_;
  std::set<std::string> said_;
};

}  // namespace cairn
