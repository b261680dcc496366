// SPDX-License-Identifier: BSD-3-Clause
// parts.hpp - what the source files of libcairn.so ask of each other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/standard_error.hpp"
#include "contracts/ends.hpp"
#include "contracts/preload.hpp"

/// As the process started.
extern cairn::StandardError cairn_standard_error;
/// For the hooks of libcairn-stack.so.
extern cairn::Ends cairn_ends;

using DlopenFunction = void*(const char*, int);
using DlsymFunction = void*(void*, const char*);

/// What hears of annotations (annotations.cc); null as long as there is no stack.
extern cairn::AnnotationHook* cairn_annotation_hook;

extern "C" {
extern DlopenFunction* cairn_real_dlopen;  // null until cairn_find_dl_functions()
extern DlsymFunction* cairn_real_dlsym;
extern void* cairn_dlopen_slot;            // where the process's dlopen jumps to
extern const char cairn_dlopen_unbound[];  // an entry for it: what is opened with RTLD_DEEPBIND is looked at

/// Finds what the C library has, so that the program's dlopen and dlsym can be left to it.
void cairn_find_dl_functions();
/// What the process would have reached by a name that libcairn.so defines too: a sanitizer's runtime, say, which goes
/// on to the C library's.
void* cairn_next(const char* name);
/// What the program would have reached by a function's name were we not here; null where nothing defines it.
void* cairn_native(const char* name);
/// The tools that the user asks for in the environment; null if none.
const char* cairn_requested_tools();
/// They are what a site puts under all jobs: no message mentions them, and nothing depends on them.
bool cairn_is_sites();
/// How the user asked for them.
const char* cairn_asked_by();
__attribute__((format(printf, 2, 3))) void cairn_say(int descriptor, const char* format, ...);
/// Where the calls go of a process that has not made one through the stubs.
struct UnseenMpi {
  const char* where;  // "its MPI library is …"; null if there is none in use
  const char* remedy;
};
UnseenMpi cairn_unseen_mpi();
/// Whether the dynamic loader has found an MPI library before us, so that the program's calls go there.
bool cairn_is_linked_too_late();
/// The first MPI call has come.
bool cairn_is_bound();
/// Standard error need not be kept open for a last word any more.
void cairn_release_stderr();
}
