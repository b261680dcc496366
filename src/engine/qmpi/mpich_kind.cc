// SPDX-License-Identifier: BSD-3-Clause
// mpich_kind.cc - the adaptor of a layer of MPICH's QMPI: wrappers take a context and a tool id before MPI's arguments.
//
// The context of a call is one word on the entry's stack, the address to which the call returns. Storages are kept by
// the stack, by id, so nothing about them is done per call.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include <array>

#include "engine/qmpi/adaptor.hpp"
#include "qmpi.h"

namespace cairn::qmpi {

namespace {

template <Function F, class Type = typename kit::Signature<F>::Type>
struct Way;

template <Function F, class Result, class... Parameters>
struct Way<F, Result(Parameters...)> {
  static Result entry(Parameters... parameters) {
    void* caller = __builtin_return_address(0);
    return wrapper<F, Result(QMPI_Context, int, Parameters...)>()({&caller}, level, parameters...);
  }
  static Result exit(QMPI_Context /*context*/, int /*tool_id*/, Parameters... parameters) {
    return next<F, Result(Parameters...)>()(parameters...);
  }
};

/// MPI_Pcontrol.
template <Function F>
struct Way<F, int(int, ...)> {
  static int entry(int phase, ...) {
    CAIRN_TAKE_MORE(phase);
    void* caller = __builtin_return_address(0);
    return call_variadic<int, QMPI_Context, int, int>(wrapper<F, int(QMPI_Context, int, int, ...)>(), more, {&caller},
                                                      level, phase);
  }
  static int exit(QMPI_Context /*context*/, int /*tool_id*/, int phase, ...) {
    CAIRN_TAKE_MORE(phase);
    return call_variadic<int, int>(next<F, int(int, ...)>(), more, phase);
  }
};

void* const entries[] = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  reinterpret_cast<void*>(&Way<Function::name##_>::entry),
#define CAIRN_VARIADIC_FUNCTION CAIRN_FUNCTION
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
};

void* const exits[] = {
#define CAIRN_FUNCTION(name, result, parameters, arguments, category, roles) \
  reinterpret_cast<void*>(&Way<Function::name##_>::exit),
#include CAIRN_FUNCTIONS
#undef CAIRN_FUNCTION
#undef CAIRN_VARIADIC_FUNCTION
};

constexpr auto numbers = [] {
  std::array<std::uint16_t, MPI_LAST_FUNC_T> rows;
  rows.fill(CAIRN_ADAPTOR_NO_ROW);
#define CAIRN_QMPI_NUMBER(number, function) rows[number] = static_cast<std::uint16_t>(Function::function##_);
#include CAIRN_QMPI_NUMBERS
#undef CAIRN_QMPI_NUMBER
  return rows;
}();

}  // namespace

}  // namespace cairn::qmpi

extern "C" __attribute__((visibility("default"))) const cairn_adaptor cairn_qmpi_adaptor = {
    .functions = cairn::qmpi::functions,
    .count = cairn::function_count,
    .entries = cairn::qmpi::entries,
    .exits = cairn::qmpi::exits,
    .wrappers = cairn::qmpi::wrappers,
    .level = &cairn::qmpi::level,
    .vector = nullptr,
    .numbers = cairn::qmpi::numbers.data(),
    .number_count = cairn::qmpi::numbers.size(),
    .bad_argument = MPI_ERR_ARG,
};
