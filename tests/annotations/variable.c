// SPDX-License-Identifier: BSD-3-Clause
// variable.c - says which of Kokkos's variables is set. LIBRARY: as Kokkos before 3.7, which looks at the one.

#include <stdio.h>
#include <stdlib.h>

const char *kokkos_tool(void);

#ifdef LIBRARY
const char *kokkos_tool(void) { return getenv("KOKKOS_PROFILE_LIBRARY"); }
#elif defined(PROGRAM)
int main(void) {
  const char *const tool = kokkos_tool();
  return printf("%s\n", tool != NULL ? tool : "none") < 0;
}
#else
int main(void) {
  const char *const tool = getenv("KOKKOS_TOOLS_LIBS");
  const char *const old = getenv("KOKKOS_PROFILE_LIBRARY"); /* later ones look whether it is there, too */
  return printf("%s, %s\n", tool != NULL ? tool : "none", old != NULL ? old : "none") < 0;
}
#endif
