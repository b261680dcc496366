// SPDX-License-Identifier: BSD-3-Clause
// kit.hpp - the C++ interface for tools: a class with handlers for the MPI functions that it wraps
//
//   #include <mpi.h>
//   #include "cairn/kit.hpp"
//
//   struct Counter {
//     static constexpr std::string_view about = "counts messages";   // shown by `cairn tools`
//     explicit Counter(cairn::Self) {}
//
//     template <cairn::Function F>                                   // the functions it wraps
//       requires(cairn::facts(F).category == cairn::Category::point_to_point)
//     int on(cairn::Call<F>& call) {
//       ++messages;
//       return call.proceed();                                       // calls the next layer, with the same arguments
//     }
//     void finish() {}              // before MPI_Finalize, or in the last MPI_Session_finalize; MPI can be used
//     std::atomic<long> messages = 0;
//   };
//   CAIRN_TOOL(Counter)                                              // once, at the end of one source file
//
// A handler for a single function is `int on(cairn::Call<cairn::Function::MPI_Bcast_>& call)`; it takes precedence over
// a template. Functions without a handler bypass the tool at no cost. The tool's own calls of PMPI_X and down<F>(…) go
// to the layers below.
//
// Calls that tools above make for themselves go to `on_tools_call(cairn::Call<F>&)`, if the tool has one for them and
// lists cairn::ToolCalls among its Needs (own_work.hpp); to `on` otherwise.
//
// A tool that chooses its functions at run time has `std::bitset<cairn::function_count> wanted() const`; calls of other
// functions bypass it. Its constructor cannot call down<F>(…), as the layers below are not known yet.
//
// Build it once for each MPI, with CAIRN_FUNCTIONS defined as functions.hpp says (docs/write-a-tool.md).
//
// Ownership: there is one T per layer, in static memory; it is constructed during the program's first MPI call and
//            never destroyed.
// Threads:   handlers run on the threads that call MPI, possibly at the same time; see per_thread.hpp.
// Errors:    if the constructor throws, the tool is left out of the stack and the user sees what(); nothing else may
//            throw.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/about.hpp"
#include "cairn/kit/call.hpp"
#include "cairn/kit/own_work.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/self.hpp"
#include "cairn/kit/start.hpp"
#include "cairn/kit/turn.hpp"
#include "cairn/region.h"
#include "cairn/services/tool_calls.hpp"
#include "cairn/tool.h"

namespace cairn::kit {

template <class T, Function F>
constexpr bool handles() {
  return requires(T & tool, Call<F> & call) { tool.on(call); };
}

/// A handler of its own for calls that tools above make for themselves (own_work.hpp).
template <class T, Function F>
constexpr bool handles_tools_calls() {
  return requires(T & tool, Call<F> & call) { tool.on_tools_call(call); };
}

template <class T>
constexpr bool finishes() {
  return requires(T & tool) { tool.finish(); };
}

/// Whether the tool wraps a function of this MPI.
template <class T, Function F>
constexpr bool wraps() {
  return handles<T, F>() || ((F == Function::MPI_Finalize_ || finalizes_session<F>()) && finishes<T>());
}

/// The layer's tool, in static memory that is valid before its constructor runs and after the program's exit handlers.
/// Hidden, like Table: two modules whose classes have the same name would otherwise share it.
template <class T>
struct [[gnu::visibility("hidden")]] Place {
  alignas(T) static inline std::byte memory[sizeof(T)];
  static T& tool() { return *std::launder(reinterpret_cast<T*>(memory)); }
  static inline const cairn_tool_instance* instance = nullptr;
};

template <class T>
constexpr auto wrapped_functions() {
  constexpr auto chosen = []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<bool, function_count>{wraps<T, static_cast<Function>(I)>()...};
  }
  (std::make_index_sequence<function_count>());
  std::array<Function, std::ranges::count(chosen, true)> functions{};
  for (std::size_t i = 0, next = 0; i < function_count; ++i)
    if (chosen[i]) functions[next++] = static_cast<Function>(i);
  return functions;
}

template <class T>
inline constexpr auto wrapped = wrapped_functions<T>();

template <class T>
void finish_in_turn() {
  take_turn<&T::finish>(Self(*Place<T>::instance), Place<T>::tool());
}

template <class T>
void finish_with_last_session() {
  take_session_turn<&T::finish>(Self(*Place<T>::instance), Place<T>::tool());
}

template <class T, Function F>
[[gnu::always_inline]] inline auto enter(Call<F>& call) {
  if constexpr (F == Function::MPI_Finalize_ && finishes<T>()) finish_in_turn<T>();
  if constexpr (finalizes_session<F>() && finishes<T>()) finish_with_last_session<T>();
  if constexpr (handles<T, F>()) {
    static_assert(std::is_same_v<decltype(Place<T>::tool().on(call)), decltype(call.proceed())>,
                  "a tool's handler on(cairn::Call<F>&) returns what the MPI function returns: int, for most");
    return Place<T>::tool().on(call);
  } else {
    return call.proceed();
  }
}

/// The wrapper that the program's call reaches, the I-th in the table.
template <class T, std::size_t I, class Type = typename Signature<wrapped<T>[I]>::Type>
struct Wrapper;

template <class T>
struct [[gnu::visibility("hidden")]] Table {
  static inline std::array<cairn_tool_function, wrapped<T>.size()> functions =
      []<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<cairn_tool_function, wrapped<T>.size()>{
        {{facts(wrapped<T>[I]).name, reinterpret_cast<void*>(&Wrapper<T, I>::entry), nullptr}...}};
  }
  (std::make_index_sequence<wrapped<T>.size()>());

  /// Changes while the program runs when a layer below is switched.
  template <std::size_t I>
  static void* const& next() {
    return functions[I].next;
  }
};

template <class T, std::size_t I, class Result, class... Parameters>
struct Wrapper<T, I, Result(Parameters...)> {
  static Result entry(Parameters... parameters) {
    if constexpr (handles_tools_calls<T, wrapped<T>[I]>())
      if (is_tools_call()) [[unlikely]]
        return enter_from_tool(parameters...);
    Call<wrapped<T>[I]> call({{{parameters}...}}, Table<T>::template next<I>(), __builtin_return_address(0),
                             __builtin_dwarf_cfa());
    return enter<T>(call);
  }

 private:
  /// Apart, so that the arguments of the program's calls stay in registers.
  [[gnu::noinline, gnu::cold]] static Result enter_from_tool(Parameters... parameters) {
    Call<wrapped<T>[I]> call({{{parameters}...}}, Table<T>::template next<I>(), nullptr, nullptr);
    return Place<T>::tool().on_tools_call(call);
  }
};

/// MPI_Pcontrol, whose variadic arguments are unknown.
template <class T, std::size_t I>
struct Wrapper<T, I, int(int, ...)> {
  static int entry(int level, ...) {
    const bool is_region = level == CAIRN_REGION_BEGIN || level == CAIRN_REGION_END;  // a name, and perhaps a number
    CAIRN_TAKE_MORE(more, level, is_region);
    if constexpr (handles_tools_calls<T, wrapped<T>[I]>())
      if (is_tools_call()) [[unlikely]] {
        Call<wrapped<T>[I]> call({{{level}}, more}, Table<T>::template next<I>(), nullptr, nullptr);
        return Place<T>::tool().on_tools_call(call);
      }
    Call<wrapped<T>[I]> call({{{level}}, more}, Table<T>::template next<I>(), __builtin_return_address(0),
                             __builtin_dwarf_cfa());
    return enter<T>(call);
  }
};

/// Checks the tool class, with readable error messages.
template <class T>
consteval bool check_tool() {
  static_assert(
      requires { std::string_view(T::about); },
      "a tool says what it does: static constexpr std::string_view about = \"...\"");
  if constexpr (has_options<T>())
    static_assert(std::is_constructible_v<T, Self, typename T::Options>,
                  "a tool with Options has a public constructor Tool(cairn::Self, const Options&)");
  else static_assert(std::is_constructible_v<T, Self>, "a tool has a public constructor Tool(cairn::Self)");
  static_assert(!wrapped<T>.empty() || has_offers<T>(),
                "a tool has a public handler on(cairn::Call<F>&) for some MPI function, or finish()");
  return true;
}

template <class T>
constexpr bool chooses() {
  return requires(const T& tool) { tool.wanted(); };
}

/// Functions that the tool does not want bypass it.
template <class T>
void drop_unwanted(const T& tool) {
  const auto functions = tool.wanted();
  for (std::size_t i = 0; i < wrapped<T>.size(); ++i)
    if (!functions[static_cast<std::size_t>(wrapped<T>[i])]) Table<T>::functions[i].wrapper = nullptr;
}

template <class T, class... Options>
int start_with(Self self, const Options&... options) {
  const cairn_tool_instance& instance = self.raw();
  Place<T>::instance = &instance;
  if constexpr (chooses<T>()) drop_unwanted(*new (Place<T>::memory) T(self, options...));
  if (instance.intercept(&instance, Table<T>::functions.data(), Table<T>::functions.size()) != 0) return 1;
  if constexpr (!chooses<T>()) new (Place<T>::memory) T(self, options...);
  return 0;
}

/// cairn_tool_about of a tool of class T.
template <class T>
inline constexpr auto about = about_text<T, wrapped<T>>();

/// What the kit itself uses. A tool that was built with another Cairn's headers is refused here, by Cairn.
inline void find_own_services(const Self& self) {
  thread_slots = &self.need<ThreadSlots>();
  if (const ToolCalls* const calls = self.find<ToolCalls>()) tool_calls_place = calls->place;
  self.find<Job>();
  self.find<Results>();
}

/// cairn_tool_start of a tool of class T.
template <class T>
int start(const cairn_tool_instance* instance) {
  const Self self(*instance);
  if (instance->abi < CAIRN_TOOL_ABI) {
    self.warn("it was built for a newer Cairn (tool interface " + std::to_string(CAIRN_TOOL_ABI) + ", this one has " +
              std::to_string(instance->abi) + ")");
    return 1;
  }
  try {
    find_own_services(self);
    if constexpr (has_options<T>()) return start_with<T>(self, read_options<typename T::Options>(self));
    else return start_with<T>(self);
  } catch (const std::exception& error) {
    self.warn(error.what());
  }
  return 1;
}

}  // namespace cairn::kit

/// Makes the shared object a tool; at the end of one source file, in the global namespace.
#define CAIRN_TOOL(T)                                                                                 \
  static_assert(cairn::kit::check_tool<T>());                                                         \
  extern "C" {                                                                                        \
  _Pragma("GCC visibility push(default)") extern const decltype(cairn::kit::about<T>) cairn_kit_about \
      __asm__("cairn_tool_about");                                                                    \
  constinit const decltype(cairn::kit::about<T>) cairn_kit_about = cairn::kit::about<T>;              \
  _Pragma("GCC visibility pop") int cairn_tool_start(const cairn_tool_instance* instance) {           \
    return cairn::kit::start<T>(instance);                                                            \
  }                                                                                                   \
  }
