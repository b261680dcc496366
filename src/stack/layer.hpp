// SPDX-License-Identifier: BSD-3-Clause
// layer.hpp - one tool instance in the stack: its module and private libraries in memory, and its wrappers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "loader/loaded_object.hpp"
#include "stack/functions.hpp"
#include "stack/request.hpp"
#include "stack/tool_file.hpp"

namespace cairn {

class Layer {
 public:
  Layer(LayerRequest request, std::string path, const Functions& functions)
      : request_(std::move(request)), path_(std::move(path)), wrappers_(functions.count()) {}

  const LayerRequest& request() const { return request_; }
  const std::string& path() const { return path_; }
  const std::vector<LoadedObject>& objects() const { return objects_; }

  /// Objects belong to a layer in the order in which they are searched for a wrapper: the module first.
  void add_object(const LoadedObject& object, const Functions& functions);
  bool contains(const void* address) const;
  /// The layer's own wrapper, or null.
  void* wrapper(FunctionIndex function) const { return wrappers_[function]; }

  /// Points every MPI import of the layer's objects down, or to the layer's own wrapper where it calls MPI_X by name.
  /// `below[f]` is what lies under the layer.
  void link(const Functions& functions, const std::vector<void*>& below);

 private:
  LayerRequest request_;
  std::string path_;
  std::vector<LoadedObject> objects_;
  std::vector<void*> wrappers_;
};

}  // namespace cairn
