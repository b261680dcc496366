/* SPDX-License-Identifier: BSD-3-Clause */
/* any_value.c - writes everything that comes to mind to every control variable of some tools: any_value PREFIX... */
/*
 * Before MPI_Init, right after it, between messages and after MPI_Finalize. What a write answers MPI_SUCCESS to must be
 * read again; what is not is said. "none" as prefix: nothing is written.
 */

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { room = 1 << 16 };

static unsigned next_number(void) {
  static unsigned state = 1;
  state = state * 1103515245U + 12345U;
  return state >> 8;
}

static int any_int(void) {
  static const int special[] = {0, 1, 2, -1, INT_MAX, INT_MIN, 65536, 1000000007};
  const unsigned number = next_number();
  return number % 3 == 0 ? (int)number : special[number % (sizeof special / sizeof *special)];
}

static void any_text(char *out) {
  static const char *const special[] = {"",  "%s%n%s%n",     "../../any_value", "any_value.out", "off",
                                        "0", "\xff\xfe\x01", "a\nb\tc",         "/dev/full",     " "};
  memset(out, 'x', room - 1); /* without a zero where it should end */
  out[room - 1] = '\0';
  const unsigned number = next_number();
  if (number % 4 != 0) strcpy(out, special[number % (sizeof special / sizeof *special)]);
}

static size_t any_bytes(char *value, MPI_Datatype type, int count) {
  if (type == MPI_CHAR) return any_text(value), 0;
  const size_t size = (size_t)count * (type == MPI_INT || type == MPI_UNSIGNED ? sizeof(int) : 8);
  for (size_t at = 0; at < size; at += sizeof(int)) {
    const int number = any_int();
    memcpy(value + at, &number, sizeof number);
  }
  return size;
}

static void write_one(const char *name, int index, MPI_Datatype type) {
  static char wanted[room], found[room];
  MPI_T_cvar_handle handle;
  int count = 0;
  if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
  for (int i = 0; i < 20; ++i) {
    const size_t size = any_bytes(wanted, type, count);
    if (MPI_T_cvar_write(handle, wanted) != MPI_SUCCESS) continue;
    memset(found, 0, sizeof found);
    MPI_T_cvar_read(handle, found);
    if (size == 0 ? strcmp(wanted, found) : memcmp(wanted, found, size)) printf("%s is not what was written\n", name);
  }
  MPI_T_cvar_handle_free(&handle);
}

static void write_all(int prefixes, char **prefix) {
  int count = 0, provided = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[256] = "";
    int length = sizeof name, verbosity, binding, scope, none = 0;
    MPI_Datatype type;
    MPI_T_enum enumeration;
    if (MPI_T_cvar_get_info(i, name, &length, &verbosity, &type, &enumeration, NULL, &none, &binding, &scope)) continue;
    for (int k = 0; k < prefixes; ++k)
      if (strncmp(name, prefix[k], strlen(prefix[k])) == 0) write_one(name, i, type);
  }
}

int main(int argc, char *argv[]) {
  int sum = 0, one = 1, ranks = 0;
  write_all(argc - 1, argv + 1);
  MPI_Init(&argc, &argv);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int i = 0; i < 3; ++i) {
    write_all(argc - 1, argv + 1);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum != ranks) printf("the sum is %d\n", sum);
  }
  MPI_Finalize();
  write_all(argc - 1, argv + 1);
  return 0;
}
