// SPDX-License-Identifier: BSD-3-Clause
// calls.hpp - how the conformance program calls MPI: every call is counted by name and its result logged
//
//   CALL(MPI_Send, buf, 1, MPI_INT, 0, 0, comm)   calls it and returns its result
//   MAYBE(MPI_Pready, 0, request)                 the same where this MPI has the function, else nothing
//   BOTH(MPI_Send, …)                             the function, and its large-count twin where there is one
//   UNTIL(flag, MPI_Test, …)                      again and again until flag is not 0; the log has the last call
//
// Functions are reached by assembler name: mpi.h may hide a function or have a macro of its name.

#pragma once

#include "record.hpp"

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "cairn/functions.hpp"

// MPI_Pcontrol, the variadic one, is called by the program itself.
#define CAIRN_VARIADIC_FUNCTION(name, result, parameters, arguments, category, roles)
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  extern "C" result conformance_##name parameters __asm__(#name);
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION

namespace conformance {

using cairn::Category;
using cairn::Function;
using cairn::Role;

template <Function F>
struct Target;

#define CAIRN_FUNCTION(name, result, parameter_list, arguments, category, roles) \
  template <>                                                                    \
  struct Target<Function::name##_> {                                             \
    static constexpr auto* function = &conformance_##name;                       \
    static constexpr const char* parameters = #arguments;                        \
  };
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION

/// The number of a function by its name, or -1: this MPI does not have it.
consteval int find_function(std::string_view name) {
  for (std::size_t i = 0; i < cairn::function_count; ++i)
    if (name == cairn::function_facts[i].name) return static_cast<int>(i);
  return -1;
}

template <class Parameter>
Output output_of(Parameter value) {
  using Pointed = std::remove_pointer_t<Parameter>;
  if constexpr (!std::is_pointer_v<Parameter> || std::is_const_v<Pointed>) return {};
  else if constexpr (std::is_same_v<Pointed, MPI_Status>) return {Output::Kind::status, value};
  else if constexpr (std::is_same_v<Pointed, char>) return {Output::Kind::text, value};
  else if constexpr (!std::is_integral_v<Pointed>) return {};
  else return {sizeof(Pointed) == sizeof(int) ? Output::Kind::small_number : Output::Kind::large_number, value};
}

/// Some functions return a handle, a number or a time.
template <Function F, class Result>
constexpr bool returns_error_code() {
  return std::is_same_v<Result, int> &&
         (cairn::facts(F).category != Category::conversion || cairn::has<F>(Role::fortran_status));
}

template <Function F, class Result, class... Parameters>
Result invoke(Result (*function)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  count_call(cairn::facts(F).name);
  const Result result = function(arguments...);
  const std::array<Output, sizeof...(Parameters)> outputs = {output_of<Parameters>(arguments)...};
  const FinishedCall call = {cairn::facts(F).name,   cairn::facts(F).category, Target<F>::parameters,
                             cairn::roles<F>.data(), outputs.data(),           outputs.size()};
  if constexpr (returns_error_code<F, Result>()) note_call(call, result);
  else note_call(call);
  return result;
}

template <Function F, class... Arguments>
auto call(Arguments&&... arguments) {
  return invoke<F>(Target<F>::function, std::forward<Arguments>(arguments)...);
}

template <int Number, class... Arguments>
void call_if_there([[maybe_unused]] Arguments&&... arguments) {
  if constexpr (Number >= 0) call<static_cast<Function>(Number)>(std::forward<Arguments>(arguments)...);
}

/// The functions of a category.
template <Category C>
consteval auto functions_of() {
  constexpr std::size_t count = [] {
    std::size_t found = 0;
    for (const auto& facts : cairn::function_facts) found += facts.category == C && !facts.variadic;
    return found;
  }();
  std::array<Function, count> functions = {};
  std::size_t next = 0;
  for (std::size_t i = 0; i < cairn::function_count; ++i)
    if (cairn::function_facts[i].category == C && !cairn::function_facts[i].variadic)
      functions[next++] = static_cast<Function>(i);
  return functions;
}

/// Calls visit.template operator()<F>() for every function of a category.
template <Category C, class Visitor>
void for_each_of(Visitor visit) {
  static constexpr auto functions = functions_of<C>();
  [&]<std::size_t... I>(std::index_sequence<I...>) { (visit.template operator()<functions[I]>(), ...); }
  (std::make_index_sequence<functions.size()>());
}

}  // namespace conformance

#define CALL(name, ...) ::conformance::call<::cairn::Function::name##_>(__VA_ARGS__)
#define MAYBE(name, ...) ::conformance::call_if_there<::conformance::find_function(#name)>(__VA_ARGS__)
#define BOTH(name, ...) (CALL(name, __VA_ARGS__), MAYBE(name##_c, __VA_ARGS__))
#define UNTIL(flag, name, ...)                                                                    \
  do {                                                                                            \
    for (CALL(name, __VA_ARGS__); (flag) == 0; CALL(name, __VA_ARGS__)) ::conformance::retract(); \
  } while (false)
