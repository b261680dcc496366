// SPDX-License-Identifier: BSD-3-Clause
// wrap_all.hpp - exports a wrapper for every function of one MPI, as a PMPI tool does; all go through one template
//
// Include it last in one source file, after <mpi.h>, cairn/functions.hpp and the definition, in the global namespace,
// of
//
//   template <cairn::Function F> struct Handler {
//     template <class Down, class Arguments>
//     static auto call(Down down, const Arguments& arguments);   // calls down() once and returns its result
//   };
//
// `arguments` is a std::tuple of references to the call's arguments. MPI_Pcontrol, whose further arguments nobody
// knows, is not wrapped.

#pragma once

#include <tuple>

// Wrappers and the functions below them get their symbols by assembler name: some mpi.h turn MPI names into macros.
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles)                                         \
  extern "C" result cairn_down_##name parameters __asm__("P" #name);                                                 \
  extern "C" __attribute__((visibility("default"))) result cairn_wrap_##name parameters __asm__(#name);              \
  extern "C" result cairn_wrap_##name parameters {                                                                   \
    return Handler<cairn::Function::name##_>::call([&] { return cairn_down_##name arguments; }, std::tie arguments); \
  }
#define CAIRN_VARIADIC_FUNCTION(name, result, parameters, arguments, category, roles)
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION
