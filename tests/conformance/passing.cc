// SPDX-License-Identifier: BSD-3-Clause
// passing.cc - a layer that passes every function on and counts its calls, MPI_Pcontrol with whatever arguments it has
//
// When the process ends, each instance writes lines "rank pid function count" to a file of its own in the folder that
// the environment variable CONFORMANCE_COUNTS names. Before a call of MPI_Abort it does so too: no destructor may run
// after that.

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cairn/functions.hpp"

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

}  // namespace

template <cairn::Function F>
struct Handler {
  template <class Down, class Arguments>
  static auto call(Down down, const Arguments&) {
    calls[static_cast<std::size_t>(F)].fetch_add(1, std::memory_order_relaxed);
    if constexpr (F == cairn::Function::MPI_Abort_) write_counts();
    return down();
  }
};

#include "wrap_all.hpp"

// MPI_Pcontrol: count, then jump, with registers and stack as they came.
#if defined(__x86_64__)
__asm__(
    ".pushsection .text\n"
    ".globl MPI_Pcontrol\n"
    ".type MPI_Pcontrol, @function\n"
    "MPI_Pcontrol:\n"
    "  lock incq conformance_pcontrol_calls(%rip)\n"
    "  jmp *PMPI_Pcontrol@GOTPCREL(%rip)\n"
    ".size MPI_Pcontrol, .-MPI_Pcontrol\n"
    ".popsection\n");
#elif defined(__aarch64__)
__asm__(
    ".pushsection .text\n"
    ".globl MPI_Pcontrol\n"
    ".type MPI_Pcontrol, %function\n"
    "MPI_Pcontrol:\n"
    "  adrp x16, conformance_pcontrol_calls\n"
    "  add x16, x16, :lo12:conformance_pcontrol_calls\n"
    "1: ldxr x17, [x16]\n"
    "  add x17, x17, 1\n"
    "  stxr w15, x17, [x16]\n"
    "  cbnz w15, 1b\n"
    "  adrp x16, :got:PMPI_Pcontrol\n"
    "  ldr x16, [x16, :got_lo12:PMPI_Pcontrol]\n"
    "  br x16\n"
    ".size MPI_Pcontrol, .-MPI_Pcontrol\n"
    ".popsection\n");
#else
#error "MPI_Pcontrol: no code for this processor"
#endif
