// SPDX-License-Identifier: BSD-3-Clause
// globals.cc - a C++ tool that counts MPI_Sendrecv and MPI_Barrier in every kind of storage C++ has.
//
// The inline variable and the statics of inline and template functions are unique per process (STB_GNU_UNIQUE), which
// would make all instances of the tool share them.

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include "say.h"

namespace globals {

struct Counter {
  Counter() : calls(0), constructed(true) {}
  void count() { __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED); }
  int value() const { return constructed ? calls : -1; }
  int calls;
  bool constructed;
};

Counter global;
std::map<std::string, Counter> container = {{"calls", Counter()}};
inline Counter inline_variable;
template <class T>
Counter template_variable;
thread_local Counter thread_variable;
thread_local std::vector<int> thread_container{0};
int caught = 0;

inline Counter& inline_function_static() {
  static Counter counter;
  return counter;
}

template <class T>
Counter& template_function_static() {
  static Counter counter;
  return counter;
}

struct Refused : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void refuse(const std::string& name) { throw Refused(name); }

void count(const std::string& name) {
  global.count();
  container.at("calls").count();
  inline_variable.count();
  template_variable<int>.count();
  inline_function_static().count();
  template_function_static<int>().count();
  thread_variable.count();
  ++thread_container.front();
  try {
    refuse(name);
  } catch (const std::runtime_error& refusal) {
    if (refusal.what() == name) __atomic_fetch_add(&caught, 1, __ATOMIC_RELAXED);
  }
}

}  // namespace globals

using namespace globals;

int MPI_Sendrecv(const void* out, int out_count, MPI_Datatype out_type, int to, int out_tag, void* in, int in_count,
                 MPI_Datatype in_type, int from, int in_tag, MPI_Comm comm, MPI_Status* status) {
  count("MPI_Sendrecv");
  return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm, status);
}

int MPI_Send(const void* buffer, int length, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  count("MPI_Send");
  return PMPI_Send(buffer, length, type, to, tag, comm);
}

int MPI_Finalize() {
  int rank = -1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  say("globals %d global=%d container=%d inline_variable=%d template_variable=%d inline_function=%d "
      "template_function=%d thread_variable=%d thread_container=%d caught=%d",
      rank, global.value(), container.at("calls").value(), inline_variable.value(), template_variable<int>.value(),
      inline_function_static().value(), template_function_static<int>().value(), thread_variable.value(),
      thread_container.front(), caught);
  return PMPI_Finalize();
}
