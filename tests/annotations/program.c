// SPDX-License-Identifier: BSD-3-Clause
// program.c - marks regions as programs do that were written for Caliper, TAU, NVTX and Kokkos, with one barrier in each.

#include <dlfcn.h>
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cairn/region.h"

void cali_begin_region(const char *name);
void cali_end_region(const char *name);
void cali_begin_string_byname(const char *key, const char *value);
void cali_set_int_byname(const char *key, int value);
void cali_begin_double_byname(const char *key, double value);
void cali_end_byname(const char *key);
void cali_begin_string(uint64_t id, const char *value);
void cali_begin_int(uint64_t id, int value);
void cali_end(uint64_t id);
uint64_t cali_make_loop_iteration_attribute(const char *name);
extern uint64_t cali_loop_attr_id;
void Tau_start(const char *name);
void Tau_stop(const char *name);
void Tau_profile_c_timer(void **timer, const char *name, const char *type, uint64_t group, const char *group_name);
int Tau_get_thread(void);
void Tau_lite_start_timer(void *timer, int is_phase);
void Tau_lite_stop_timer(void *timer);
void Tau_start_timer(void *timer, int is_phase, int thread);
void Tau_stop_timer(void *timer, int thread);
void Tau_dynamic_start(const char *name, int is_phase);
void Tau_dynamic_stop(const char *name, int is_phase);

static void barrier(void) { MPI_Barrier(MPI_COMM_WORLD); }

static void caliper(void) {
  cali_begin_region("solve");
  cali_begin_region("file/part");
  barrier();
  cali_end_region("file/part");
  cali_begin_string_byname("function", "smooth");
  barrier();
  cali_end_byname("function");
  for (int level = 1; level <= 2; ++level) {
    cali_set_int_byname("level", level);
    barrier();
  }
  cali_begin_region("below");
  cali_set_int_byname("level", 3);
  barrier();
  cali_end_region("below");
  cali_end_byname("level");
  cali_begin_double_byname("tolerance", 0.5);
  barrier();
  cali_end_byname("tolerance");
  barrier();
  cali_end_region("solve");
#ifdef LOUD
  cali_begin_string(cali_loop_attr_id, "steps");
  const uint64_t iteration = cali_make_loop_iteration_attribute("steps");
  for (int i = 0; i < 3; ++i) {
    cali_begin_int(iteration, i);
    barrier();
    cali_end(iteration);
  }
  cali_end(cali_loop_attr_id);
#endif
}

static void tau(void) {
  Tau_start(".TAU application"); /* as the library does by itself */
  Tau_start("tau");
  barrier();
  Tau_stop("tau");
  static void *timer;
  Tau_profile_c_timer(&timer, "timer", "int (void)", 1, "TAU_USER");
  for (int i = 0; i < 2; ++i) {
    Tau_lite_start_timer(timer, 0);
    barrier();
    Tau_lite_stop_timer(timer);
    Tau_dynamic_start("dynamic", 0);
    barrier();
    Tau_dynamic_stop("dynamic", 0);
  }
  static void *phase;
  Tau_profile_c_timer(&phase, "phase", "", 1, "TAU_PHASE");
  Tau_start_timer(phase, 1, Tau_get_thread());
  Tau_start_timer(timer, 0, 77); /* another thread's */
  barrier();
  Tau_stop_timer(timer, 77);
  Tau_stop_timer(phase, Tau_get_thread());
  Tau_lite_start_timer(NULL, 0); /* of a group that is off */
  Tau_lite_stop_timer(NULL);
  Tau_stop(".TAU application");
}

/* As Kokkos does: looks the functions up that a tool may have. */
static void kokkos(void) {
  const char *const path = getenv("KOKKOS_TOOLS_LIBS");
  if (path == NULL) return;
  void *const tool = dlopen(path, RTLD_NOW);
  if (tool == NULL) printf("no tool: %s\n", dlerror()), exit(1);
  unsigned char settings[256] = {1};
  ((void (*)(uint32_t, void *))dlsym(tool, "kokkosp_request_tool_settings"))(1, settings);
  if (settings[0] != 0) printf("the tool wants fences\n");
  uint64_t kernel = 99;
  ((void (*)(const char *))dlsym(tool, "kokkosp_push_profile_region"))("kokkos");
  ((void (*)(const char *, uint32_t, uint64_t *))dlsym(tool, "kokkosp_begin_parallel_for"))("axpy", 1, &kernel);
  barrier();
  ((void (*)(uint64_t))dlsym(tool, "kokkosp_end_parallel_for"))(kernel);
  ((void (*)(const char *, uint32_t, uint64_t *))dlsym(tool, "kokkosp_begin_parallel_reduce"))("dot", 1, &kernel);
  barrier();
  ((void (*)(uint64_t))dlsym(tool, "kokkosp_end_parallel_reduce"))(kernel);
  ((void (*)(void))dlsym(tool, "kokkosp_pop_profile_region"))();
}

/* As NVTX's header does: gives the library tables of places for its callbacks. */
static void *core[16], *core2[16];
static void **core_places[16], **core2_places[16];

static int get_table(uint32_t module, void ****places, unsigned *size) {
  *places = module == 1 ? core_places : module == 5 ? core2_places : NULL;
  *size = 16;
  return *places != NULL;
}

static const struct {
  size_t size;
  int (*get_table)(uint32_t, void ****, unsigned *);
} callbacks = {sizeof callbacks, get_table};

static const void *export_table(uint32_t id) { return id == 1 ? &callbacks : NULL; }

static void nvtx(void) {
  const char *const path = getenv("NVTX_INJECTION64_PATH");
  if (path == NULL) return;
  for (int i = 1; i < 16; ++i) core_places[i] = &core[i], core2_places[i] = &core2[i];
  void *const library = dlopen(path, RTLD_NOW);
  int (*const start)(const void *(*)(uint32_t)) = library == NULL ? NULL : dlsym(library, "InitializeInjectionNvtx2");
  if (start == NULL || start(export_table) != 1) printf("no injection\n"), exit(1);
  struct {
    uint16_t version, size;
    uint32_t category, colors[4];
    uint64_t payload;
    int32_t type;
    const char *message;
  } attributes = {.version = 3, .size = 48, .type = 1, .message = "inner"};
  const int level = ((int (*)(const char *))core[9])("nvtx");
  if (level != -2) printf("level %d\n", level), exit(1); /* what the header returns without a tool */
  ((int (*)(const void *))core[8])(&attributes);
  barrier();
  ((int (*)(void))core[11])();
  attributes.type = 3;
  attributes.message = ((const char *(*)(void *, const char *))core2[10])(NULL, "named");
  ((int (*)(void *, const void *))core2[4])(NULL, &attributes);
  barrier();
  ((int (*)(void *))core2[5])(NULL);
  ((int (*)(void))core[11])();
}

static void own(void) {
  cairn_attribute_begin("solver", "cg");
  cairn_attribute_begin_number("level", 3);
  barrier();
  cairn_attribute_end("solver");  // and what is open inside
  cairn_region_begin("loop");
  for (long i = 0; i < 4; ++i) {
    cairn_iteration_begin(i);
    barrier();
    cairn_iteration_end();
  }
  cairn_region_end("loop");
}

int main(int argc, char **argv) {
  cali_begin_region("before MPI");
  cali_end_region("before MPI");
  MPI_Init(&argc, &argv);
  caliper();
  tau();
  kokkos();
  nvtx();
  own();
  MPI_Finalize();
  Tau_start("after MPI");
  Tau_stop("after MPI");
  return 0;
}
