// SPDX-License-Identifier: BSD-3-Clause
// gate.cc - lets a call into the layer behind it if its communicator is one of those wanted, else past the layer.
//
// Runs on whatever threads call MPI. What is known of a communicator is kept in a small table of words, a handle and
// the answer in each; two communicators may share a place and take it from each other. Frees and new names pass through
// the gate even where the layer does not wrap them, so that an answer never outlives its communicator.

#include "contracts/gate.h"

#include <fnmatch.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "cairn/functions.hpp"
#include "cairn/kit/call.hpp"
#include "cairn/kit/flat_table.hpp"

namespace {

using cairn::Function;
using cairn::Role;

constexpr unsigned place_bits = 6;

std::span<const char* const> wanted;
std::array<std::atomic<std::uint64_t>, 1U << place_bits> answers;  // handle * 2 + answer
std::atomic<unsigned> changes{0};

/// A handle is a pointer or a number, as the MPI has it.
template <class Handle>
std::uint64_t key_of(Handle comm) {
  if constexpr (std::is_pointer_v<Handle>) return reinterpret_cast<std::uintptr_t>(comm);
  else return static_cast<std::uint32_t>(comm);
}

/// Handles differ in their low bits, or are addresses and differ in the middle ones.
std::atomic<std::uint64_t>& place_of(std::uint64_t key) { return answers[cairn::spread(key) >> (64 - place_bits)]; }

bool runs() {
  int begun = 0;
  int ended = 0;
  PMPI_Initialized(&begun);
  PMPI_Finalized(&ended);
  return begun != 0 && ended == 0;
}

/// Does not ask the library where it would raise an error that is not the program's.
void read_name(MPI_Comm comm, char* name) {
  const bool world = comm == MPI_COMM_WORLD;
  int length = 0;
  name[0] = '\0';
  if ((world || comm == MPI_COMM_SELF) && !runs()) __builtin_strcpy(name, world ? "MPI_COMM_WORLD" : "MPI_COMM_SELF");
  else PMPI_Comm_get_name(comm, name, &length);
}

bool is_wanted(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return false;
  char name[MPI_MAX_OBJECT_NAME + 1];
  bool named = false;
  for (const std::string_view glob : wanted) {
    if (glob == "world" || glob == "self") {
      if (comm == (glob == "world" ? MPI_COMM_WORLD : MPI_COMM_SELF)) return true;
      continue;
    }
    if (!named) read_name(comm, name);
    named = true;
    if (fnmatch(glob.data(), name, 0) == 0) return true;
  }
  return false;
}

/// An answer that was found while another thread changed something is not kept.
[[gnu::cold, gnu::noinline]] bool decide(MPI_Comm comm, std::uint64_t key) {
  const unsigned before = changes.load();
  const bool answer = is_wanted(comm);
  place_of(key).store(key << 1U | (answer ? 1U : 0U));
  if (changes.load() != before) place_of(key).store(0);
  return answer;
}

void forget(MPI_Comm comm) {
  changes.fetch_add(1);
  place_of(key_of(comm)).store(0);
}

/// The communicator of a call is its first one; a call that frees one has a pointer to it.
template <Function F>
constexpr bool frees = !cairn::has<F>(Role::comm) && cairn::has<F>(Role::comm_inout);

template <Function F>
constexpr bool has_comm = cairn::has<F>(Role::comm) || frees<F>;

template <Function F>
constexpr bool names = F == Function::MPI_Comm_set_name_;

template <Function F, class Arguments>
MPI_Comm comm_of(const Arguments& arguments) {
  if constexpr (frees<F>) {
    const MPI_Comm* comm = cairn::argument<F, Role::comm_inout>(arguments);
    return comm == nullptr ? MPI_COMM_NULL : *comm;
  } else {
    return cairn::argument<F, Role::comm>(arguments);
  }
}

template <Function F>
cairn_gate_function& place_in_table();

template <Function F, class Type = typename cairn::kit::Signature<F>::Type>
struct Entry;

/// Every call goes on by a jump, so that the layer sees who called; but for a new name, after which there is work.
template <Function F, class Result, class... Parameters>
struct Entry<F, Result(Parameters...)> {
  static Result enter(Parameters... parameters) {
    const std::uint64_t key = key_of(comm_of<F>(std::tuple<Parameters&...>(parameters...)));
    const std::uint64_t known = place_of(key).load(std::memory_order_relaxed);
    if (known >> 1U != key) [[unlikely]]
      return decide_first(parameters...);
    return go_on((known & 1U) != 0, parameters...);
  }

  [[gnu::cold, gnu::noinline]] static Result decide_first(Parameters... parameters) {
    const MPI_Comm comm = comm_of<F>(std::tuple<Parameters&...>(parameters...));
    return go_on(decide(comm, key_of(comm)), parameters...);
  }

  [[gnu::always_inline]] static Result go_on(bool inside, Parameters... parameters) {
    const cairn_gate_function& place = place_in_table<F>();
    void* const way = __atomic_load_n(inside ? &place.inside : &place.outside, __ATOMIC_ACQUIRE);
    const auto next = reinterpret_cast<Result (*)(Parameters...)>(way);
    // A freed handle may come back in another thread at once, so it is forgotten before.
    if constexpr (frees<F>) forget(comm_of<F>(std::tuple<Parameters&...>(parameters...)));
    if constexpr (!names<F>) return next(parameters...);
    const Result result = next(parameters...);
    forget(comm_of<F>(std::tuple<Parameters&...>(parameters...)));
    return result;
  }
};

template <std::size_t I>
constexpr bool gated() {
  return has_comm<static_cast<Function>(I)>;
}

constexpr auto gated_functions = []<std::size_t... I>(std::index_sequence<I...>) {
  std::array<Function, (0U + ... + (gated<I>() ? 1U : 0U))> functions{};
  std::size_t next = 0;
  ((gated<I>() ? static_cast<void>(functions[next++] = static_cast<Function>(I)) : void()), ...);
  return functions;
}
(std::make_index_sequence<cairn::function_count>());

template <Function F>
cairn_gate_function row() {
  return {cairn::facts(F).name, reinterpret_cast<void*>(&Entry<F>::enter), nullptr, nullptr,
          frees<F> || names<F> ? 1 : 0};
}

std::array<cairn_gate_function, gated_functions.size()> table = []<std::size_t... I>(std::index_sequence<I...>) {
  return std::array<cairn_gate_function, gated_functions.size()>{row<gated_functions[I]>()...};
}
(std::make_index_sequence<gated_functions.size()>());

constexpr std::size_t row_of(Function function) {
  std::size_t i = 0;
  while (gated_functions[i] != function) ++i;
  return i;
}

template <Function F>
cairn_gate_function& place_in_table() {
  return table[std::integral_constant<std::size_t, row_of(F)>::value];
}

}  // namespace

extern "C" __attribute__((visibility("default"))) cairn_gate cairn_gate_open(const char* const* comms, size_t count) {
  wanted = {comms, count};
  return {table.data(), table.size()};
}
