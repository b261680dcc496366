// SPDX-License-Identifier: BSD-3-Clause
// program.cc - the conformance program: calls every MPI function, logs what it gets, counts what it calls
//
//   conformance PART FOLDER
//
// PART: all       everything between MPI_Init and MPI_Finalize, on two processes
//       threads   starts with MPI_Init_thread
//       romio     files through Open MPI's other I/O, which crashes in nonblocking collective accesses
//       sessions  sessions without MPI_Init, where the MPI has sessions
//       abort     ends with MPI_Abort
//       child, second_child   what MPI_Comm_spawn and MPI_Comm_spawn_multiple start
// FOLDER gets log.PART.RANK and calls.PART.RANK.

#include <cstdio>

#include "arguments.hpp"
#include "scenarios.hpp"

extern "C" int conformance_MPI_Pcontrol(int level, ...) __asm__("MPI_Pcontrol");

namespace conformance {
namespace {

/// More arguments than registers, of both kinds; the tool `innermost` says which it got.
void pcontrol() {
  static const char text[] = "text";
  const auto count = [] { count_call("MPI_Pcontrol"); };
  count();
  note("MPI_Pcontrol rc=" + std::to_string(conformance_MPI_Pcontrol(1)));
  count();
  note("MPI_Pcontrol rc=" + std::to_string(conformance_MPI_Pcontrol(7, 11, 2.5, text, 1L << 40, 0.25, 12, 13, 14, 15,
                                                                    16, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5, 17)));
}

void extensions() {
#ifdef MPICH
  int flag = 0;
  CALL(MPIX_GPU_query_support, MPIX_GPU_SUPPORT_CUDA, &flag);
  CALL(MPIX_Query_cuda_support);
  CALL(MPIX_Query_hip_support);
  CALL(MPIX_Query_ze_support);
#else
  count_call("MPIX_Query_cuda_support");  // has no PMPI_ twin, so it is not in the table
  note("MPIX_Query_cuda_support " + std::to_string(MPIX_Query_cuda_support()));
#endif
}

void return_errors() {
  CALL(MPI_Comm_set_errhandler, MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CALL(MPI_Comm_set_errhandler, MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

void run_all() {
  before_init();
  CALL(MPI_Init, nullptr, nullptr);
  return_errors();
  environment();
  messages();
  completion();
  partitioned();
  collectives();
  one_sided();
  files(true);
  communicators();
  topologies();
  groups();
  datatypes();
  packing();
  attributes();
  infos();
  errors();
  memory();
  conversions();
  processes();
  sessions();
  tool_interface();
  CALL(MPI_Finalize);
  after_finalize();
}

void run_threads() {
  int provided = 0;
  int value = launch_rank() + 1;
  int sum = 0;
  CALL(MPI_Init_thread, nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  CALL(MPI_Query_thread, &provided);
  CALL(MPI_Allreduce, &value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  note("sum " + std::to_string(sum));
  pcontrol();
  CALL(MPI_Finalize);
}

void run_romio() {
  CALL(MPI_Init, nullptr, nullptr);
  files(false);
  CALL(MPI_Finalize);
}

void run_abort() {
  CALL(MPI_Init, nullptr, nullptr);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  if (launch_rank() == 0) {
    note("aborts");
    count_call("MPI_Abort");
    write_counts();
    conformance_MPI_Abort(MPI_COMM_WORLD, 5);
  }
  CALL(MPI_Barrier, MPI_COMM_WORLD);
}

}  // namespace

void environment() {
  char text[MPI_MAX_PROCESSOR_NAME] = "";
  int number = 0;
  CALL(MPI_Is_thread_main, &number);
  CALL(MPI_Query_thread, &number);
  CALL(MPI_Get_processor_name, text, &number);
  const double first = CALL(MPI_Wtime);
  const double second = CALL(MPI_Wtime);
  note(first > 0 && second >= first ? "time goes on" : "time goes back");
  note(CALL(MPI_Wtick) > 0 ? "a clock ticks" : "no clock ticks");
  pcontrol();
  extensions();
}

}  // namespace conformance

int main(int argc, char** argv) {
  using namespace conformance;
  if (argc != 3) {
    std::fprintf(stderr, "usage: conformance all|threads|romio|sessions|abort FOLDER\n");
    return 2;
  }
  const std::string part = argv[1];
  open_record(argv[2], part);
  if (part == "all") run_all();
  else if (part == "threads") run_threads();
  else if (part == "sessions") sessions();
  else if (part == "romio") run_romio();
  else if (part == "abort") run_abort();
  else as_child();
  write_counts();
  std::printf("conformance %s: rank %d is through\n", part.c_str(), launch_rank());
  return 0;
}
