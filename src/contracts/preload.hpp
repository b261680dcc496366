// SPDX-License-Identifier: BSD-3-Clause
// preload.hpp - what libcairn.so (in every process) and libcairn-stack.so (opened at the first MPI call) say to each
// other.
//
// Both are built and installed together, so this is no public interface; `abi` only catches a mixed installation.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/standard_error.hpp"
#include "contracts/ends.hpp"

namespace cairn {

inline constexpr std::size_t thread_slot_count = 64;
inline constexpr std::uint32_t preload_abi = 10;

/// The answer of a dlsym hook that leaves the question to the C library.
inline constexpr std::uintptr_t dlsym_not_ours = 0;
/// The answer of a dlsym hook for "no such symbol", the C library's error text being set already.
inline constexpr std::uintptr_t dlsym_nothing = 1;

/// A QMPI tool that made itself known before the stack was built, from a constructor as a rule: one that is linked into
/// the program or preloaded.
struct QmpiRegistration {
  const char* name;  // the tool's
  void (*init)(int tool_id);
};

/// The program's MPI call that a thread is in, where somebody wants to know (src/pnmpi/).
struct ProgramCall {
  void* site;            // where it returns to; null: no call so far
  std::size_t function;  // number
};

/// Where regions go that code at `caller` marks for other tools.
using AnnotationHook = void(bool begins, const char* name, const void* caller);

struct Preload {
  std::uint32_t abi;
  std::size_t functions;     // how many MPI functions there are stubs for
  const char* const* names;  // "MPI_Abort", …, in C order; [functions]
  void* const* stubs;        // the stub of each; [functions]
  void** slots;              // where each stub jumps to; [functions], written with release order
  void** dlopen_slot;        // where the process's dlopen jumps to
  std::uintptr_t (**dlsym_hook)(void* handle, const char* name, const void* caller);  // asked about MPI names only
  StandardError standard_error;                                                       // as the process started
  bool (**glue_hook)(const void* address);  // whether PMPI_X called from the address are the program's
  void* (*real_dlopen)(const char*, int);
  void* (*real_dlsym)(void*, const char*);
  /// What the program would have called were Cairn not there; null where nothing defines the function.
  void* (*native)(std::size_t function);
  std::size_t qmpi_functions;
  const char* const* qmpi_names;  // "QMPI_Get_calling_address", …; [qmpi_functions]
  void** qmpi_slots;              // where the stub of each jumps to; [qmpi_functions]
  const QmpiRegistration* registrations;
  std::size_t registration_count;
  Ends* ends;
  std::ptrdiff_t tool_calls;    // the service cairn.tool_calls
  std::ptrdiff_t call_notes;    // the service cairn.call_notes
  std::ptrdiff_t thread_slots;  // the first of them, for the service cairn.thread_slots
  AnnotationHook** annotation_hook;
  std::ptrdiff_t program_call;  // from the thread pointer to the thread's ProgramCall
};

/// libcairn-stack.so exports this as `cairn_stack_start`. It fills every slot, or tells the user why not and returns
/// false.
using StackStart = bool(const Preload*);

/// And this as `cairn_stack_open_deep`: dlopen with RTLD_DEEPBIND for the program, before the stack is there. What it
/// brings calls MPI through the stubs then.
using DeepOpen = void*(const Preload*, const char* file, int mode, const void* caller);

}  // namespace cairn
