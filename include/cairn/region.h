/* SPDX-License-Identifier: BSD-3-Clause */
/* region.h - naming the parts of a program, so that tools can tell what belongs to which. For C and C++. */
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
 * There is nothing to link. A region is a call of MPI_Pcontrol with a level of its own and the name, which the standard
 * leaves to tools (MPI-4.1 section 15.2.4): without tools MPI_Pcontrol does nothing, and the program runs as it does
 * with them. region.f90 has the same for Fortran.
 *
 * Regions belong to the calling thread and nest; a region's name is its path, "solve/halo". Ending a region ends those
 * within it that were left open. Names are texts without '/' and may be freed after the call; those over 200 bytes are
 * cut. Only between MPI_Init and MPI_Finalize. Costs a call of MPI_Pcontrol, and in each tool that listens some tens of
 * nanoseconds.
 */
#ifndef CAIRN_REGION_H
#define CAIRN_REGION_H

/* Levels of MPI_Pcontrol, followed by a const char* (end: NULL is the innermost). Other tools know no such levels. */
#define CAIRN_REGION_BEGIN (-1128352335)
#define CAIRN_REGION_END (-1128352336)

#ifdef MPI_VERSION

static inline void cairn_region_begin(const char* name) { MPI_Pcontrol(CAIRN_REGION_BEGIN, name); }
static inline void cairn_region_end(const char* name) { MPI_Pcontrol(CAIRN_REGION_END, name); }

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
