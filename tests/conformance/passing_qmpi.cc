// SPDX-License-Identifier: BSD-3-Clause
// passing_qmpi.cc - the same as a tool of MPICH's QMPI: every function that has a number there

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "cairn/kit/call.hpp"
#include "counts.hpp"
#include "qmpi.h"

namespace {

/// The way down, found once.
template <cairn::Function F>
struct Next {
  static inline void (*function)() = nullptr;
  static inline int id = 0;
};

template <cairn::Function F, class Type = typename cairn::kit::Signature<F>::Type>
struct Layer;

template <cairn::Function F, class Result, class... Parameters>
struct Layer<F, Result(Parameters...)> {
  static Result wrapper(QMPI_Context context, int /*tool_id*/, Parameters... parameters) {
    using Function = Result (*)(QMPI_Context, int, Parameters...);
    count(F);
    return reinterpret_cast<Function>(Next<F>::function)(context, Next<F>::id, parameters...);
  }
};

/// MPI_Pcontrol.
template <cairn::Function F>
struct Layer<F, int(int, ...)> {
  static int wrapper(QMPI_Context context, int /*tool_id*/, int level, ...) {
    using Function = int (*)(QMPI_Context, int, int, ...);
    count(F);
    CAIRN_TAKE_MORE(more, level);
    return more.pass(reinterpret_cast<Function>(Next<F>::function), context, Next<F>::id, level);
  }
};

template <cairn::Function F>
void wrap(int tool_id, QMPI_Functions_enum number) {
  QMPI_Register_function(tool_id, number, reinterpret_cast<void (*)()>(&Layer<F>::wrapper));
  QMPI_Get_function(tool_id, number, &Next<F>::function, &Next<F>::id);
}

void init(int tool_id) {
#define CAIRN_QMPI_NUMBER(number, function) wrap<cairn::Function::function##_>(tool_id, number);
#include CAIRN_QMPI_NUMBERS
#undef CAIRN_QMPI_NUMBER
}

__attribute__((constructor)) void make_known() { QMPI_Register_tool_name("passing", init); }

}  // namespace
