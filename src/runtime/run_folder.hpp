// SPDX-License-Identifier: BSD-3-Clause
// run_folder.hpp - the folder of one run's results, with run.json and an empty report.txt in it: made in MPI_Init if
// the user has chosen it, else when the first tool writes.
//
// It belongs to the run whose identity its run.json has. A run that finds another's there writes into FOLDER-2, or -3
// and so on; only one that starts, and sees that the other is over, takes the folder and moves the other's results into
// FOLDER/run-IDENTITY.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "contracts/job_host.h"
#include "request/labels.hpp"
#include "request/request.hpp"

namespace cairn {

/// What run.json tells.
struct RunFacts {
  std::string program;
  std::string mpi;                   // "Open MPI 4.1.4"
  std::vector<LayerRequest> layers;  // outermost first
  Labels labels;                     // the user's
};

class RunFolder {
 public:
  /// `wanted`: the user's choice, or empty for a new folder named after program and time, below the current one.
  /// `asked_by` is for messages.
  RunFolder(const std::string& wanted, const std::string& asked_by, RunFacts facts);

  /// Makes the folder and writes run.json, the first time; null if that fails, and the user has been told. Before
  /// MPI_Init has returned also null on ranks other than 0, unless the user has chosen the folder. On any thread.
  const char* make();

  /// Where it is or would be.
  const std::string& path() const { return path_; }

  /// The run's, or what it will be if this rank is the first that has Cairn.
  const std::string& identity() const { return identity_; }
  /// Lines "HOST RANKS" of a job on several nodes, once that is agreed; otherwise "".
  const char* nodes() const { return agreed_ == nullptr ? "" : agreed_->nodes; }
  /// Whether it holds for all ranks.
  bool is_agreed() const;

  /// On that rank, in MPI_Init: a folder that is there already is taken, or another one chosen.
  void settle();
  /// What all ranks have agreed on.
  void agree(const cairn_job_agreed& agreed);

 private:
  enum class Owner { nobody, we, another };
  Owner owner_of(const std::string& path) const;
  Owner claim(const std::string& path);
  Owner claim_existing(const std::string& path, const std::string& own);
  Owner take(const std::string& path);
  std::string place(int number) const;
  void tell_if_elsewhere() const;
  void find_place();
  bool claim_place();
  void begin(const std::string& path) const;

  std::mutex making_;
  std::string first_path_;
  std::string path_;
  std::string identity_;
  bool chosen_by_user_;
  std::string asked_by_;
  RunFacts facts_;
  const cairn_job_agreed* agreed_ = nullptr;
  enum { not_made, made, failed } state_ = not_made;
};

}  // namespace cairn
