// SPDX-License-Identifier: BSD-3-Clause
// call.hpp - a call of an MPI function as a handler gets it: facts known at compile time, and the arguments
#pragma once

#include <cstdarg>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "cairn/functions.hpp"

namespace cairn {

namespace kit {

/// The C type of a function, and the function below the tool, by its PMPI name.
template <Function F>
struct Signature;

// By assembler name, as some mpi.h define MPI names as macros.
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

/// The variadic arguments of a call, whatever they are: everything that is passed in registers, and some words of the
/// stack (calling conventions of x86-64 and AArch64).
struct VariadicArguments {
  static constexpr int word_count = 14;
  static constexpr int real_count = 8;
  long words[word_count];
  double reals[real_count];

  /// `few`: there are no more than two words, which is cheaper.
  VariadicArguments(va_list from_words, va_list from_reals, bool few = false) : words{}, reals{} {
    if (few) {
      words[0] = va_arg(from_words, long);
      words[1] = va_arg(from_words, long);
      return;
    }
    for (long& word : words) word = va_arg(from_words, long);
    for (double& real : reals) real = va_arg(from_reals, double);
  }

  /// Calls a function with its named arguments and these.
  template <class Result, class... Named>
  Result pass(Result (*function)(Named..., ...), std::type_identity_t<Named>... named) const {
    return [&]<std::size_t... W, std::size_t... R>(std::index_sequence<W...>, std::index_sequence<R...>) {
      return function(named..., words[W]..., reals[R]...);
    }
    (std::make_index_sequence<word_count>(), std::make_index_sequence<real_count>());
  }
};

/// In a variadic function: defines VariadicArguments `more`; `last` is its last named parameter, behind it may be `few`.
#define CAIRN_TAKE_MORE(more, last, ...)                                             \
  va_list words;                                                                     \
  va_list reals;                                                                     \
  va_start(words, last);                                                             \
  va_start(reals, last);                                                             \
  const cairn::kit::VariadicArguments more(words, reals __VA_OPT__(, ) __VA_ARGS__); \
  va_end(reals);                                                                     \
  va_end(words)

/// The arguments of a call, by number; a std::tuple would take several times as long to compile.
template <std::size_t I, class Type>
struct Argument {
  Type value;
};
template <class Numbers, class... Types>
struct Arguments;
template <std::size_t... I, class... Types>
struct Arguments<std::index_sequence<I...>, Types...> : Argument<I, Types>... {};

/// Through the only base class with that number.
template <std::size_t I, class Type>
Type& get(Argument<I, Type>& argument) {
  return argument.value;
}
template <std::size_t I, class Type>
const Type& get(const Argument<I, Type>& argument) {
  return argument.value;
}

}  // namespace kit

/// Calls a function of the layers below, whether or not the tool wraps it: down<Function::MPI_Comm_rank_>(comm, &rank)
/// is the same as PMPI_Comm_rank(comm, &rank).
template <Function F, class... Arguments>
auto down(Arguments... arguments) {
  return kit::Signature<F>::down(arguments...);
}

template <Function F>
class Call;

namespace kit {

/// The part of Call that depends on the function's C type.
template <class Type, class Numbers>
struct Passing;
template <class Result, class... Types, std::size_t... I>
struct Passing<Result(Types...), std::index_sequence<I...>> {
  Arguments<std::index_sequence<I...>, Types...> arguments;

  Result pass(void* next) const {
    return reinterpret_cast<Result (*)(Types...)>(next)(static_cast<const Argument<I, Types>&>(arguments).value...);
  }

  template <Function F, auto Work>
  Result apart(void* const& next) const {
    return work_apart<F, Work>(next, static_cast<const Argument<I, Types>&>(arguments).value...);
  }
  template <Function F, auto Work>
  [[gnu::noinline]] static Result work_apart(void* const& next, Types... values) {
    Call<F> call({{{values}...}}, next, nullptr, nullptr);
    return Work(call);
  }
};
template <class Result, class... Types, std::size_t... I>
struct Passing<Result(Types..., ...), std::index_sequence<I...>> {
  Arguments<std::index_sequence<I...>, Types...> arguments;
  VariadicArguments more;

  Result pass(void* next) const {
    return more.pass(reinterpret_cast<Result (*)(Types..., ...)>(next),
                     static_cast<const Argument<I, Types>&>(arguments).value...);
  }
};

template <Function F>
using PassingOf = Passing<typename Signature<F>::Type, std::make_index_sequence<roles<F>.size()>>;

}  // namespace kit

/// Valid during the call. The arguments are the caller's values; a handler may change them before proceed().
template <Function F>
class Call {
 public:
  using Arguments = decltype(kit::PassingOf<F>::arguments);
  static constexpr Function function = F;
  static constexpr const char* name = facts(F).name;
  static constexpr Category category = facts(F).category;

  /// `next`: where the function below stands; it is read when the call goes on.
  Call(const kit::PassingOf<F>& passing, void* const& next, const void* caller, const void* frame)
      : passing_(passing), next_(&next), caller_(caller), frame_(frame) {}

  /// Calls the next layer; may be used any number of times, or not at all. Returns the function's result: an error
  /// code except for a few functions (MPI_Wtime, MPI_Aint_add, handle conversions).
  auto proceed() { return passing_.pass(__atomic_load_n(next_, __ATOMIC_RELAXED)); }

  /// work(copy of the call), out of line: what is done seldom does not keep the arguments of the other calls out of the
  /// registers. The copy does not know the caller.
  template <auto Work>
  auto apart() const {
    return passing_.template apart<F, Work>(*next_);
  }

  /// All arguments in the order of the standard: auto& [buffer, count, …] = call.arguments().
  Arguments& arguments() { return passing_.arguments; }
  const Arguments& arguments() const { return passing_.arguments; }

  /// For MPI_Pcontrol: whatever follows the level. Its meaning depends on the level and the program.
  const kit::VariadicArguments& more() const requires requires(const kit::PassingOf<F>& passing) { passing.more; }
  { return passing_.more; }

  /// The return address: in the program, or in the tool above.
  const void* caller() const { return caller_; }
  /// The caller's stack pointer before the call, the canonical frame address of debug information: where unwinding the
  /// caller's stack begins.
  const void* frame() const { return frame_; }

 private:
  kit::PassingOf<F> passing_;
  void* const* next_;
  const void* caller_;
  const void* frame_;
};

/// The first argument with a role: arg<Role::dest>(call). Does not compile if the function has none; test has<F>(R)
/// first. Found through its parameter, so it needs neither `cairn::` nor a `using`.
template <Role R, Function F>
auto& arg(Call<F>& call) {
  static_assert(has<F>(R), "the function has no parameter of this role: test cairn::has<F>(role) first");
  return kit::get<static_cast<std::size_t>(position<F>(R))>(call.arguments());
}
template <Role R, Function F>
const auto& arg(const Call<F>& call) {
  return argument<F, R>(call.arguments());
}

}  // namespace cairn

// For structured bindings: auto& [buffer, count, …] = call.arguments().
template <class Numbers, class... Types>
struct std::tuple_size<cairn::kit::Arguments<Numbers, Types...>>
    : std::integral_constant<std::size_t, sizeof...(Types)> {};
template <std::size_t I, class Numbers, class... Types>
struct std::tuple_element<I, cairn::kit::Arguments<Numbers, Types...>> {
  using type =
      std::remove_reference_t<decltype(get<I>(std::declval<const cairn::kit::Arguments<Numbers, Types...>&>()))>;
};
