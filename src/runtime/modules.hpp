// SPDX-License-Identifier: BSD-3-Clause
// modules.hpp - the modules of layers as files, each looked at once, however many layers come of it.
#pragma once

#include <map>
#include <string>

#include "request/tool_file.hpp"

namespace cairn {

class Modules {
 public:
  /// `bundled`: folder with what belongs to Cairn. Both outlive this.
  Modules(const TargetMpi& mpi, const std::string& bundled) : mpi_(mpi), bundled_(bundled) {}

  /// The tool that a request means. Throws Problem.
  const ToolFile& find(const LayerRequest& request) { return examined(find_tool(request, *mpi_.family, bundled_)); }

  /// Cairn's own that offers a service, or null. Throws Problem.
  const ToolFile* offering(const std::string& service) {
    const std::string path = service_module(service, *mpi_.family, bundled_);
    return path.empty() ? nullptr : &examined(path);
  }

  /// One of Cairn's own, by its path. Throws Problem.
  const ToolFile& examined(const std::string& path) {
    const auto known = by_path_.find(path);
    return known != by_path_.end() ? known->second : by_path_.emplace(path, examine_tool(path, mpi_)).first->second;
  }

 private:
  const TargetMpi& mpi_;
  const std::string& bundled_;
  std::map<std::string, ToolFile> by_path_;
};

}  // namespace cairn
