// SPDX-License-Identifier: BSD-3-Clause
// counts.hpp - the calls that a layer has seen, written to a file when the process ends
//
// Each instance writes lines "rank pid function count" to a file of its own in the folder that the environment variable
// CONFORMANCE_COUNTS names. Before a call of MPI_Abort it does so too: no destructor may run after that. One source
// file of a layer includes this after <mpi.h>.

#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cairn/functions.hpp"

/// Has a name for code that cannot call count().
extern "C" {
__attribute__((visibility("hidden"))) std::atomic<unsigned long> conformance_pcontrol_calls = 0;
}

namespace {

std::array<std::atomic<unsigned long>, cairn::function_count> calls;
std::atomic<bool> written = false;

int launch_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

/// Instances do not know of each other: each takes the first name that is free.
std::FILE* new_file(const std::string& folder) {
  const std::string stem = folder + "/" + std::to_string(launch_rank()) + "." + std::to_string(getpid()) + ".";
  for (int instance = 1; instance < 1000; ++instance) {
    const int file = open((stem + std::to_string(instance)).c_str(), O_CREAT | O_EXCL | O_WRONLY, 0644);
    if (file >= 0) return fdopen(file, "w");
  }
  return nullptr;
}

void write_line(std::FILE* file, const char* function, unsigned long count) {
  if (count != 0) std::fprintf(file, "%d %d %s %lu\n", launch_rank(), static_cast<int>(getpid()), function, count);
}

void write_counts() {
  const char* folder = std::getenv("CONFORMANCE_COUNTS");
  if (folder == nullptr || written.exchange(true)) return;
  std::FILE* file = new_file(folder);
  if (file == nullptr) return std::perror(folder);
  for (std::size_t i = 0; i < calls.size(); ++i) write_line(file, cairn::function_facts[i].name, calls[i]);
  write_line(file, "MPI_Pcontrol", conformance_pcontrol_calls);
  std::fclose(file);
}

__attribute__((destructor)) void at_end() { write_counts(); }

void count(cairn::Function function) {
  calls[static_cast<std::size_t>(function)].fetch_add(1, std::memory_order_relaxed);
  if (function == cairn::Function::MPI_Abort_) write_counts();
}

}  // namespace
