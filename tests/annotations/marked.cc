// SPDX-License-Identifier: BSD-3-Clause
// marked.cc - a C++ program that marks regions by Caliper's classes, with one barrier in each.

#include <mpi.h>

#include "classes.hpp"

namespace {

cali::Annotation before_main("phase.of.run");
cali::Annotation of_long_name("a key of more than fifteen characters");

void barrier() { MPI_Barrier(MPI_COMM_WORLD); }

void functions() {
  const cali::Function function("smooth");
  barrier();
  const cali::ScopeAnnotation scope("in a scope");
  barrier();
}

void loops() {
  cali::Loop loop("ended");
  for (int i = 0; i < 3; ++i) {
    const cali::Loop::Iteration iteration(loop.iteration(i));
    barrier();
  }
  loop.end();
  barrier();  // outside
  const cali::Loop left("left");
  { const cali::Loop copy(left); }
  barrier();  // still in it
}

void annotations() {
  before_main.begin("start");
  barrier();
  before_main.end();
  of_long_name.begin(7);
  of_long_name.set(8);
  barrier();
  of_long_name.end();
  {
    cali::Annotation factor("factor");
    const cali::Annotation::Guard guard(factor.begin(1.5));
    barrier();
  }
  cali::Annotation flag("flag");
  flag.begin();
  barrier();
  flag.end();
}

/// Values need not nest.
void overlapping() {
  cali::Annotation level("level");
  level.set(1);
  barrier();
  {
    const cali::Function function("solve");
    level.set(2);
    barrier();
    level.end();
    barrier();  // the value that was replaced lasts as long as what is open inside
  }
  barrier();  // outside
  level.begin("a/b");
  {
    const cali::Function function("inner");
    level.end();
    barrier();
  }
  barrier();  // outside
}

/// As Caliper introduces itself: a function, a part of it, and a loop with its iterations.
void introduction() {
  const cali::Function function("introduction");
  cali::ScopeAnnotation* const begun = new cali::ScopeAnnotation("initialization");
  barrier();
  delete begun;
  cali::Loop mainloop("main loop");
  for (int i = 0; i < 4; ++i) {
    const cali::Loop::Iteration iteration(mainloop.iteration(i));
    barrier();
  }
  mainloop.end();
}

}  // namespace

int main(int argc, char** argv) {
  const cali::Function function("main");  // before MPI: not heard
  {
    const cali::Function early("early");
    MPI_Init(&argc, &argv);
  }
  functions();
  loops();
  annotations();
  overlapping();
  introduction();
  MPI_Finalize();
  return 0;
}
