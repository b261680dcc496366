// SPDX-License-Identifier: BSD-3-Clause
// adaptor.hpp - what the adaptors of both kinds of QMPI share: the table of functions, and going down through it.
//
// One of them includes this after mpi.h. Runs on whatever threads call MPI; needs nothing at run time, not even the C
// library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/call.hpp"
#include "engine/qmpi/adaptor.h"

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

/// Calls a variadic function with some arguments and all that `more` holds.
template <class Result, class... First>
Result call_variadic(Result (*function)(First..., ...), const kit::VariadicArguments& more, First... first) {
  return [&]<std::size_t... W, std::size_t... R>(std::index_sequence<W...>, std::index_sequence<R...>) {
    return function(first..., more.words[W]..., more.reals[R]...);
  }
  (std::make_index_sequence<kit::VariadicArguments::word_count>(),
   std::make_index_sequence<kit::VariadicArguments::real_count>());
}

}  // namespace cairn::qmpi

/// The arguments after a function's last named parameter, as kit::VariadicArguments `more`.
#define CAIRN_TAKE_MORE(last)                             \
  va_list words;                                          \
  va_list reals;                                          \
  va_start(words, last);                                  \
  va_start(reals, last);                                  \
  const cairn::kit::VariadicArguments more(words, reals); \
  va_end(reals);                                          \
  va_end(words)
