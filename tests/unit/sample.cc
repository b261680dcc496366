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

// One per process (STB_GNU_UNIQUE), whatever library it came with, as GCC makes them of variables of templates.
asm(R"(.pushsection .data
.type sample_unique, %gnu_unique_object
.size sample_unique, 4
sample_unique: .long 0
.popsection)");
extern "C" int sample_unique;

thread_local int calls = 0;

int MPI_Send(const void* buffer, int count, int type, int dest, int tag, int comm) {
  ++calls;
  sample_unique += hidden_function();
  std::printf("%d\n", sample_unique);
  return PMPI_Send(buffer, count, type, dest, tag, comm);
}
