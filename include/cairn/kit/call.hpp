// SPDX-License-Identifier: BSD-3-Clause
// call.hpp - one call of an MPI function as a tool's handler sees it: what is known at compile time, and the arguments
#pragma once

#include <cstdarg>
#include <cstddef>
#include <tuple>
#include <utility>

#include "cairn/functions.hpp"

namespace cairn {

namespace kit {

/// C type of a function, and the function below the tool under its PMPI name.
template <Function F>
struct Signature;

// Symbols by assembler name: some mpi.h turn MPI names into macros.
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  extern "C" result cairn_down_##name parameters __asm__("P" #name);         \
  template <>                                                                \
  struct Signature<Function::name##_> {                                      \
    using Type = result parameters;                                          \
    template <class... Arguments>                                            \
    static auto down(Arguments... values) {                                  \
      return cairn_down_##name(values...);                                   \
    }                                                                        \
  };
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION

/// What a call of a variadic function may carry beyond its named parameter, without knowing what it is: everything that
/// is passed in registers, and some words of the stack (calling conventions of x86-64 and AArch64).
struct VariadicArguments {
  static constexpr int word_count = 14;
  static constexpr int real_count = 8;
  long words[word_count];
  double reals[real_count];

  VariadicArguments(va_list from_words, va_list from_reals) {
    for (long& word : words) word = va_arg(from_words, long);
    for (double& real : reals) real = va_arg(from_reals, double);
  }
};

template <class Type>
struct Parameters;
template <class Result, class... Types>
struct Parameters<Result(Types...)> {
  using Tuple = std::tuple<Types&...>;
};
template <class Result, class... Types>
struct Parameters<Result(Types..., ...)> {
  using Tuple = std::tuple<Types&...>;
};

/// Holds the further arguments of a variadic function; nothing for the others.
template <class Type>
struct Further {};
template <class Result, class... Types>
struct Further<Result(Types..., ...)> {
  VariadicArguments more;
};

}  // namespace kit

/// Calls a function as the layers below see it, whether or not the tool wraps it: down<Function::MPI_Comm_rank_>(comm,
/// &rank). The same as PMPI_Comm_rank(comm, &rank).
template <Function F, class... Arguments>
auto down(Arguments... arguments) {
  return kit::Signature<F>::down(arguments...);
}

/// Lives as long as the call. Its arguments are the caller's own values: a handler may change them before proceed().
template <Function F>
class Call : kit::Further<typename kit::Signature<F>::Type> {
  using Type = typename kit::Signature<F>::Type;

 public:
  using Arguments = typename kit::Parameters<Type>::Tuple;
  static constexpr Function function = F;
  static constexpr const char* name = facts(F).name;
  static constexpr Category category = facts(F).category;
  template <Role R>
  static constexpr bool has = cairn::has<F>(R);

  template <class... More>
  Call(Arguments arguments, void* next, const void* caller, const void* frame, const More&... more)
      : kit::Further<Type>{more...}, arguments_(arguments), next_(next), caller_(caller), frame_(frame) {}

  /// Goes down the stack once; may be called any number of times, or never. The result is the function's own: an error
  /// code for all but a few (MPI_Wtime, MPI_Aint_add, handle conversions).
  auto proceed() {
    return std::apply([this](auto&... values) { return pass(reinterpret_cast<Type*>(next_), values...); }, arguments_);
  }

  /// All arguments in the order of the standard: auto& [buffer, count, …] = call.arguments().
  Arguments& arguments() { return arguments_; }
  const Arguments& arguments() const { return arguments_; }

  /// The first argument with a role; a call without one does not compile (test with `has`).
  template <Role R>
  auto& get() {
    static_assert(has<R>);
    return std::get<static_cast<std::size_t>(position<F>(R))>(arguments_);
  }

  template <Role R>
  const auto& get() const {
    static_assert(has<R>);
    return std::get<static_cast<std::size_t>(position<F>(R))>(arguments_);
  }

  /// Where the call returns to: code of the program, or of the tool above.
  const void* caller() const { return caller_; }
  /// The caller's stack pointer before the call, the canonical frame address of debug information: where a walk over
  /// the caller's callers begins.
  const void* frame() const { return frame_; }

 private:
  template <class... Values>
  auto pass(Type* next, Values&... values) {
    if constexpr (requires { this->more; }) {
      return [&, this ]<std::size_t... W, std::size_t... R>(std::index_sequence<W...>, std::index_sequence<R...>) {
        return next(values..., this->more.words[W]..., this->more.reals[R]...);
      }
      (std::make_index_sequence<kit::VariadicArguments::word_count>(),
       std::make_index_sequence<kit::VariadicArguments::real_count>());
    } else {
      return next(values...);
    }
  }

  Arguments arguments_;
  void* next_;
  const void* caller_;
  const void* frame_;
};

}  // namespace cairn
