// SPDX-License-Identifier: BSD-3-Clause
// caliper.c - stands in for Caliper and TAU. LOUD: says what it is called with, and calls itself as such libraries do; SILENT: does nothing.

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#ifdef LOUD
#define SAY(...) printf("caliper: " __VA_ARGS__)
uint64_t cali_loop_attr_id = 7;
const char *cali_attribute_name(uint64_t id) { return id == 7 ? "loop" : "iteration#steps"; }
uint64_t cali_make_loop_iteration_attribute(const char *name) { return 7 + strlen(name); }
#else
#define SAY(...) (void)sizeof(printf(__VA_ARGS__))
#endif

void cali_begin_string_byname(const char *key, const char *value) { SAY("%s=%s\n", key, value); }
void cali_begin_region(const char *name) { cali_begin_string_byname("region", name); }
void cali_end_region(const char *name) { SAY("end %s\n", name); }
void cali_set_int_byname(const char *key, int value) { SAY("%s=%d\n", key, value); }
void cali_begin_double_byname(const char *key, double value) { SAY("%s=%.1f\n", key, value); }
void cali_end_byname(const char *key) { SAY("end %s\n", key); }
void cali_begin_string(uint64_t id, const char *value) { SAY("%d %s\n", (int)id, value); }
void cali_begin_int(uint64_t id, int value) { SAY("%d %d\n", (int)id, value); }
void cali_end(uint64_t id) { SAY("end %d\n", (int)id); }
/* Timers of TAU: a handle, which knows its name. */
void Tau_profile_c_timer(void **timer, const char *name, const char *type, uint64_t group, const char *group_name) {
  (void)type, (void)group, (void)group_name;
  if (*timer == NULL) *timer = strdup(name);
}
const char *Tau_profile_get_name(void *timer) { return timer; }
int Tau_get_thread(void) { return 3; }
void Tau_start_timer(void *timer, int is_phase, int thread) {
  SAY("tau timer %s %d %d\n", (char *)timer, is_phase, thread);
}
void Tau_stop_timer(void *timer, int thread) { SAY("tau timer end %s %d\n", (char *)timer, thread); }
void Tau_lite_start_timer(void *timer, int is_phase) { Tau_start_timer(timer, is_phase, Tau_get_thread()); }
void Tau_lite_stop_timer(void *timer) { Tau_stop_timer(timer, Tau_get_thread()); }
void Tau_dynamic_start(const char *name, int is_phase) { SAY("tau %s [1] %d\n", name, is_phase); }
void Tau_dynamic_stop(const char *name, int is_phase) { SAY("tau end %s [1] %d\n", name, is_phase); }
void Tau_start(const char *name) { SAY("tau %s\n", name); }
void Tau_stop(const char *name) { SAY("tau end %s\n", name); }
