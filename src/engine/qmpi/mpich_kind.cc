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

template <Function F, class Type>
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
    CAIRN_TAKE_MORE(more, phase);
    void* caller = __builtin_return_address(0);
    return more.pass(wrapper<F, int(QMPI_Context, int, int, ...)>(), {&caller}, level, phase);
  }
  static int exit(QMPI_Context /*context*/, int /*tool_id*/, int phase, ...) {
    CAIRN_TAKE_MORE(more, phase);
    return more.pass(next<F, int(int, ...)>(), phase);
  }
};

constexpr auto numbers = [] {
  std::array<std::uint16_t, MPI_LAST_FUNC_T> rows;
  rows.fill(CAIRN_ADAPTOR_NO_ROW);
#define CAIRN_QMPI_NUMBER(number, function) rows[number] = static_cast<std::uint16_t>(Function::function##_);
#include CAIRN_QMPI_NUMBERS
#undef CAIRN_QMPI_NUMBER
  return rows;
}();

constexpr cairn_adaptor adaptor = [] {
  cairn_adaptor made = adaptor_of<Way>();
  made.numbers = numbers.data();
  made.number_count = numbers.size();
  return made;
}();

}  // namespace

}  // namespace cairn::qmpi

extern "C" __attribute__((visibility("default"))) const cairn_adaptor cairn_qmpi_adaptor = cairn::qmpi::adaptor;
