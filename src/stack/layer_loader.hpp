// SPDX-License-Identifier: BSD-3-Clause
// layer_loader.hpp - getting a layer's code into the process: from its own place the first time, as a private copy
// after that.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "contracts/preload.hpp"
#include "loader/loaded_snapshot.hpp"
#include "request/tool_file.hpp"
#include "stack/stack.hpp"

namespace cairn {

/// Used while the stack is built, on the thread that builds it.
class LayerLoader {
 public:
  LayerLoader(const Preload& preload, const MpiLibrary& mpi, const Stack& stack)
      : preload_(preload), mpi_(mpi), stack_(stack) {}

  /// A layer of the tool, to be pushed on the stack. Throws Problem.
  Layer load(LayerId id, const ToolFile& tool);

  /// A layer whose code is in the process already: in `object`, or null if in the program itself. Its calls of MPI are
  /// linked for the innermost layer of that object; those of the program's own code are left alone.
  Layer adopt(LayerId id, const link_map* object) const;

  /// Puts a gate (contracts/gate.h) with these communicators in front of a layer that is being started. Throws Problem.
  /// `comms` stays the caller's, for ever.
  void add_gate(Layer& layer, const std::string& path, const std::vector<const char*>& comms);

  /// While a layer is being loaded: what its constructors open is the layer's.
  void note_opened(void* handle);

  /// The object of the layer that is just being loaded in which the address lies; null for any other address.
  const link_map* loading_object_at(const void* address) const;

 private:
  struct Helper {
    std::string path;
    std::string name;
  };
  Layer load_from_its_place(LayerId id, const ToolFile& tool);
  Layer load_copy(LayerId id, const ToolFile& tool, const std::vector<Helper>& helpers);
  std::vector<Helper> helpers_of(const ElfFile& image) const;
  void open_dependencies(const ToolFile& tool, const std::vector<Helper>& helpers) const;
  using NewNames = std::vector<std::pair<std::string, std::string>>;
  ElfFile private_image(const std::string& path, const NewNames& names) const;
  void* open_object(const std::string& path) const;
  void* open_image(ElfFile image, const std::string& name) const;
  bool is_loaded(const std::string& path) const;
  bool is_of_program(const std::string& path) const;
  bool is_private_helper(const LoadedObject& object, const LoadedObject& module) const;

  const Preload& preload_;
  const MpiLibrary& mpi_;
  const Stack& stack_;
  std::optional<LoadedSnapshot> before_load_;   // while a layer is being loaded
  std::vector<std::uintptr_t> opened_in_load_;  // where what came with it lies; other threads may open libraries too
};

}  // namespace cairn
