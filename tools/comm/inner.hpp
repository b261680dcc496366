// SPDX-License-Identifier: BSD-3-Clause
// inner.hpp - having Open MPI's monitoring component write what the library sends by itself
//
// The component is switched on by the environment that MPI_Init reads, and writes FILE.RANK.prof within MPI_Finalize.
// Its lines with I are messages that the library makes of collective and one-sided calls.
#pragma once

#include <mpi.h>

#include <climits>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace comm {

class Inner {
 public:
  /// Before MPI_Init. Returns what stands against it, or null.
  const char* start(const std::string& file) {
#ifdef OPEN_MPI
    if (std::getenv(enable) != nullptr) return "its monitoring component is in use already";
    const std::string folder = file.substr(0, file.rfind('/'));
    char path[PATH_MAX];  // the program may go to another folder
    if (realpath(folder.c_str(), path) == nullptr) return "there is no folder for it";
    setenv(enable, "2", 1);
    setenv(output, "3", 1);
    file_ = path + file.substr(folder.size());
    setenv(name, file_.c_str(), 1);
    started_ = true;
    return nullptr;
#else
    static_cast<void>(file);
    return "this MPI library has no monitoring component";
#endif
  }

  /// After MPI_Init: what the program starts is not concerned.
  void stop() {
    if (!started_) return;
    for (const char* const each : {enable, output, name}) unsetenv(each);
    started_ = false;
  }

  /// After MPI_Finalize, of a rank in MPI_COMM_WORLD. The component is closed, and so writes, when nothing uses MPI_T any
  /// more.
  bool wrote_nothing(int rank) const {
    return !file_.empty() && access((file_ + "." + std::to_string(rank) + ".prof").c_str(), F_OK) != 0;
  }

 private:
  static constexpr const char* enable = "OMPI_MCA_pml_monitoring_enable";
  static constexpr const char* output = "OMPI_MCA_pml_monitoring_enable_output";
  static constexpr const char* name = "OMPI_MCA_pml_monitoring_filename";
  std::string file_;  // as far as the rank; empty: not started
  bool started_ = false;
};

}  // namespace comm
