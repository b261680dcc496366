/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h - names parts of a program, so that tools can report them separately. For C and C++. */
/*
 *   #include <mpi.h>
 *   #include "cairn/region.h"
 *
 *   cairn_region_begin("assemble");
 *   ...
 *   cairn_region_end("assemble");
 *
 *   { cairn::Region region("solve"); ... }               // C++: ends with the block
 *
 *   cairn_attribute_begin("level", "3");                 // the region "level=3"
 *   cairn_attribute_end("level");                        // whatever its value
 *
 *   cairn_region_begin("time steps");
 *   for (long i = 0; i < n; ++i) {
 *     cairn_iteration_begin(i);                          // the region "iteration", once more
 *     ...
 *     cairn_iteration_end();
 *   }
 *   cairn_region_end("time steps");
 *
 * There is nothing to link. A region is a call of MPI_Pcontrol with a level reserved for it and the name; the standard
 * leaves the meaning to tools (MPI-4.1 section 15.2.4), and without tools MPI_Pcontrol does nothing. region.f90 is the
 * same for Fortran.
 *
 * Attributes are regions too, one for each value: use them for what has few. An iteration's number follows the name in
 * the call of MPI_Pcontrol, for tools that want it; the bundled ones count iterations of a loop together, with their
 * mean and longest time.
 *
 * Regions belong to the calling thread and nest; nested regions are reported by path, "solve/halo". Ending a region
 * also ends those that are still open inside it. Names must not contain '/', may be freed after the call, and are cut
 * to 200 bytes. Use regions only between MPI_Init and MPI_Finalize. A region costs two calls of MPI_Pcontrol, plus some
 * hundred instructions in each tool that uses regions: tenths of a microsecond.
 */
#ifndef CAIRN_REGION_H
#define CAIRN_REGION_H

/* Levels of MPI_Pcontrol, followed by a const char* (end: NULL means the innermost, "key=" any value). No other tool uses them. */
#define CAIRN_REGION_BEGIN (-1128352335)
#define CAIRN_REGION_END (-1128352336)

#ifdef MPI_VERSION
#include <stdio.h>

static inline void cairn_region_begin(const char* name) { MPI_Pcontrol(CAIRN_REGION_BEGIN, name); }
static inline void cairn_region_end(const char* name) { MPI_Pcontrol(CAIRN_REGION_END, name); }

static inline void cairn_attribute_begin(const char* key, const char* value) {
  char name[201];
  snprintf(name, sizeof name, "%s=%s", key, value);
  cairn_region_begin(name);
}
static inline void cairn_attribute_begin_number(const char* key, long value) {
  char name[201];
  snprintf(name, sizeof name, "%s=%ld", key, value);
  cairn_region_begin(name);
}
static inline void cairn_attribute_end(const char* key) {
  char name[201];
  snprintf(name, sizeof name, "%s=", key); /* any value */
  cairn_region_end(name);
}

static inline void cairn_iteration_begin(long number) { MPI_Pcontrol(CAIRN_REGION_BEGIN, "iteration", number); }
static inline void cairn_iteration_end(void) { cairn_region_end("iteration"); }

#ifdef __cplusplus
namespace cairn {

/// A region from here to the end of the block.
class Region {
 public:
  explicit Region(const char* name) { cairn_region_begin(name); }
  ~Region() { cairn_region_end(nullptr); }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
};

}  // namespace cairn
#endif

#endif
#endif
