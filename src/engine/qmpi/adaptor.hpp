// SPDX-License-Identifier: BSD-3-Clause
// adaptor.hpp - what the adaptors of both kinds of QMPI share: the table of functions, going down through it, what the
// stack reads.
//
// One of them includes this after mpi.h. Runs on whatever threads call MPI; needs nothing at run time, not even the C
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/call.hpp"
#include "contracts/qmpi_adaptor.h"

namespace cairn::qmpi {

constexpr std::size_t row(Function function) { return static_cast<std::size_t>(function); }

/// The layer's own.
inline cairn_tool_function functions[] = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) {#name, nullptr, nullptr},
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION
};
inline void* wrappers[function_count] = {};
inline int level = 0;

template <Function F, class Type>
Type* next() {
  return reinterpret_cast<Type*>(__atomic_load_n(&functions[row(F)].next, __ATOMIC_ACQUIRE));
}

template <Function F, class Type>
Type* wrapper() {
  return reinterpret_cast<Type*>(wrappers[row(F)]);
}

/// For each function the entry and the exit of a kind of QMPI: `Way<F, Type>` has both for a function F of C type Type.
template <template <Function, class> class Way, class Rows = std::make_index_sequence<function_count>>
struct Ways;
template <template <Function, class> class Way, std::size_t... I>
struct Ways<Way, std::index_sequence<I...>> {
  template <Function F>
  using Of = Way<F, typename kit::Signature<F>::Type>;

  static inline void* const entries[] = {reinterpret_cast<void*>(&Of<static_cast<Function>(I)>::entry)...};
  static inline void* const exits[] = {reinterpret_cast<void*>(&Of<static_cast<Function>(I)>::exit)...};
};

/// What the stack gets to know; a kind adds what it alone has.
template <template <Function, class> class Way>
constexpr cairn_adaptor adaptor_of() {
  return {
      .functions = functions,
      .count = function_count,
      .entries = Ways<Way>::entries,
      .exits = Ways<Way>::exits,
      .wrappers = wrappers,
      .level = &level,
      .vector = nullptr,
      .numbers = nullptr,
      .number_count = 0,
      .bad_argument = MPI_ERR_ARG,
  };
}

}  // namespace cairn::qmpi
