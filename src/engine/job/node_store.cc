// SPDX-License-Identifier: BSD-3-Clause
// node_store.cc - an empty file per rank, in a folder of the job step's
//
// MPI's start waits for all processes, so afterwards the files of all ranks with Cairn are there. A rank takes its own
// away when it has spoken with its neighbours, which have looked by then.

#include "job/node_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "base/processes.hpp"

namespace cairn::engine {

namespace {

const char* setting(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

std::string folder_of(const std::string& job) { return "/dev/shm/cairn-" + std::to_string(geteuid()) + "-" + job; }

/// The user's own: another's might have been put there.
bool make_folder(const std::string& path) { return mkdir(path.c_str(), 0700) == 0 || is_private_folder(path); }

class NodeStore : public Store {
 public:
  NodeStore(std::string folder, Start how)
      : folder_(std::move(folder)), word_(how == Start::world ? "/job-" : "/session-") {}
  ~NodeStore() override {
    if (own_.empty()) return;
    unlink(own_.c_str());
    rmdir(folder_.c_str());  // the last rank's succeeds
  }

  bool put_word(const char* rank) {
    const std::string path = folder_ + word_ + rank;
    const int file = open(path.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) return false;
    close(file);
    own_ = path;
    return true;
  }
  bool has(int rank) override { return access((folder_ + word_ + std::to_string(rank)).c_str(), F_OK) == 0; }

 private:
  std::string folder_;
  std::string word_;
  std::string own_;
};

}  // namespace

/// Components of a heterogeneous job are steps of their own. A job that is requeued has the same steps again, and may find
/// what ranks left behind that were killed in MPI's start: only srun's port tells it from them.
std::string folder_of_step() {
  const std::string job = setting("SLURM_JOB_ID");
  const std::string step = setting("SLURM_STEP_ID");
  if (job.empty() || step.empty() || std::strcmp(setting("SLURM_STEP_NUM_NODES"), "1") != 0 ||
      *setting("SLURM_HET_SIZE") != '\0')
    return "";
  return folder_of(job + "." + step + "-" + setting("SLURM_SRUN_COMM_PORT"));
}

/// Its name of a job has the host and the launcher's process in it.
std::string folder_of_prrte() {
  const std::string job = setting("PMIX_NAMESPACE");
  const std::string ranks = setting("OMPI_COMM_WORLD_SIZE");
  if (job.empty() || job.find('/') != std::string::npos || ranks.empty() ||
      ranks != setting("OMPI_COMM_WORLD_LOCAL_SIZE"))
    return "";
  return folder_of(job);
}

std::unique_ptr<Store> put_into_node_store(Start how, const char* rank, const std::string& folder) {
  if (rank == nullptr || folder.empty() || !make_folder(folder)) return nullptr;
  auto store = std::make_unique<NodeStore>(folder, how);
  return store->put_word(rank) ? std::move(store) : nullptr;
}

}  // namespace cairn::engine
