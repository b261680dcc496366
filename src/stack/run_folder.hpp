// SPDX-License-Identifier: BSD-3-Clause
// run_folder.hpp - the folder of one run's results: made when the first tool writes, with run.json and an empty
// report.txt in it.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "stack/request.hpp"

namespace cairn {

/// What run.json tells.
struct RunFacts {
  std::string program;
  std::string mpi;                   // "Open MPI 4.1.4"
  std::vector<LayerRequest> layers;  // outermost first
};

class RunFolder {
 public:
  /// `wanted`: the user's choice, or empty for a new folder named after program and time, below the current one.
  /// `asked_by` is for messages.
  RunFolder(const std::string& wanted, const std::string& asked_by, RunFacts facts);

  /// Makes the folder and writes run.json, the first time; null if that fails, and the user has been told, and on ranks
  /// other than 0 unless the user has chosen the folder, so that all mean the same. On any thread.
  const char* make();

  /// Where it is or would be.
  const std::string& path() const { return path_; }

 private:
  std::mutex making_;
  std::string path_;
  bool chosen_by_user_;
  std::string asked_by_;
  RunFacts facts_;
  enum { not_made, made, failed } state_ = not_made;
};

}  // namespace cairn
