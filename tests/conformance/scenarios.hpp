// SPDX-License-Identifier: BSD-3-Clause
// scenarios.hpp - the parts of the conformance program, each of which calls the functions of some categories of the
// spec

#pragma once

namespace conformance {

// Usable at any time
void before_init();
void after_finalize();

// Between MPI_Init and MPI_Finalize, on two processes
void environment();
void messages();
void completion();
void partitioned();
void collectives();
void one_sided();
void files(bool with_nonblocking_collectives);
void communicators();
void topologies();
void groups();
void datatypes();
void packing();
void attributes();
void infos();
void errors();
void memory();
void conversions();
void processes();
void tool_interface();
void sessions();

/// What a process started by MPI_Comm_spawn does.
void as_child();

}  // namespace conformance
