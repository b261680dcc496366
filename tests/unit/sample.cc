// SPDX-License-Identifier: BSD-3-Clause
// sample.cc - a library with a little of everything that the ELF reader looks at.

#include <cstdio>

extern "C" {
extern int PMPI_Send(const void*, int, int, int, int, int);
int MPI_Send(const void* buffer, int count, int type, int dest, int tag, int comm);
extern const char cairn_tool_about[];
const char cairn_tool_about[] = "abi 1\nsummary a sample\n";
static int hidden_function() { return 7; }
}

// A variable of a template is one per process (STB_GNU_UNIQUE), whatever library it came with.
template <class T>
struct Counter {
  static int value;
};
template <class T>
int Counter<T>::value = 0;

thread_local int calls = 0;

int MPI_Send(const void* buffer, int count, int type, int dest, int tag, int comm) {
  ++calls;
  Counter<int>::value += hidden_function();
  std::printf("%d\n", Counter<int>::value);
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}
