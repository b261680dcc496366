// SPDX-License-Identifier: BSD-3-Clause
// thesis_kind.cc - the adaptor of a layer of the thesis's QMPI: wrappers take a level and the vector after MPI's
// arguments.

#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

#include "engine/qmpi/adaptor.hpp"

namespace cairn::qmpi {

namespace {

void* vector = nullptr;

template <Function F, class Type>
struct Way;

template <Function F, class Result, class... Parameters>
struct Way<F, Result(Parameters...)> {
  static Result entry(Parameters... parameters) {
    return wrapper<F, Result(Parameters..., int, void*)>()(parameters..., level, vector);
  }
  static Result exit(Parameters... parameters, int /*level*/, void* /*vector*/) {
    return next<F, Result(Parameters...)>()(parameters...);
  }
};

/// MPI_Pcontrol: the tool looks at the level alone and does not go on; that is done for it, with all arguments.
template <Function F>
struct Way<F, int(int, ...)> {
  static int entry(int phase, ...) {
    CAIRN_TAKE_MORE(more, phase);
    wrapper<F, int(int, int, void*)>()(phase, level, vector);
    return more.pass(next<F, int(int, ...)>(), phase);
  }
  static int exit(int phase, int /*level*/, void* /*vector*/) { return next<F, int(int, ...)>()(phase); }
};

constexpr cairn_adaptor adaptor = [] {
  cairn_adaptor made = adaptor_of<Way>();
  made.vector = &vector;
  return made;
}();

}  // namespace

}  // namespace cairn::qmpi

extern "C" __attribute__((visibility("default"))) const cairn_adaptor cairn_qmpi_adaptor = cairn::qmpi::adaptor;
