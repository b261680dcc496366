// SPDX-License-Identifier: BSD-3-Clause
// kit.cc - a layer of the C++ kit that handles what the benchmark calls and does nothing
//
// The empty statement keeps the compiler from making a jump of the call, as in empty.c.

#include <mpi.h>

#include "cairn/kit.hpp"

struct Kit {
  static constexpr std::string_view about = "does nothing";
  explicit Kit(cairn::Self /*self*/) {}

  template <cairn::Function F>
  requires(F == cairn::Function::MPI_Comm_rank_ || F == cairn::Function::MPI_Barrier_ ||
           F == cairn::Function::MPI_Allreduce_ || F == cairn::Function::MPI_Send_ ||
           F == cairn::Function::MPI_Recv_) int on(cairn::Call<F>& call) {
    const int result = call.proceed();
    __asm__ volatile("");
    return result;
  }
};

CAIRN_TOOL(Kit)
