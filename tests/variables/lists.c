/* SPDX-License-Identifier: BSD-3-Clause */
/* lists.c - prints all that MPI_T tells of its variables and categories: lists [early] [read]. */
/*
 * With `early`, MPI_T is started before MPI_Init, and the lists are printed before it too and asked for again after it.
 * Values are read of the variables whose reading is known not to crash.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codes.h"

enum { TEXT = 1024 };

static void say_enumeration(MPI_T_enum enumeration) {
  if (enumeration == MPI_T_ENUM_NULL) return;
  char name[TEXT] = "";
  int length = TEXT, count = 0;
  MPI_T_enum_get_info(enumeration, &count, name, &length);
  printf(" enum %s:", name);
  for (int i = 0; i < count; ++i) {
    int value = 0;
    length = TEXT;
    MPI_T_enum_get_item(enumeration, i, &value, name, &length);
    printf(" %s=%d", name, value);
  }
}

static const char *name_of_type(MPI_Datatype type) {
  static const char *const names[] = {"int",   "unsigned", "unsigned long", "unsigned long long",
                                      "count", "char",     "double"};
  const MPI_Datatype types[] = {MPI_INT,   MPI_UNSIGNED, MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG,
                                MPI_COUNT, MPI_CHAR,     MPI_DOUBLE};
  for (int i = 0; i < 7; ++i)
    if (type == types[i]) return names[i];
  return "another type";
}

static void say_value(const char *name, int index) {
  const char *const readable[] = {"mpi_", "coll_tuned_", "MPIR_CVAR_", "offers_", "profile_"};
  for (int i = 0; i < 5; ++i)
    if (strncmp(name, readable[i], strlen(readable[i])) == 0) {
      MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
      int count = 0;
      if (MPI_T_cvar_handle_alloc(index, NULL, &handle, &count) != MPI_SUCCESS) return;
      unsigned char *const value = calloc((size_t)count + 1, 8);
      const int code = MPI_T_cvar_read(handle, value);
      printf(" [%d] %s %u", count, name_of_code(code), *value);
      MPI_T_cvar_handle_free(&handle);
      free(value);
    }
}

static void list_controls(void) {
  int count = 0;
  MPI_T_cvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[TEXT] = "", text[TEXT] = "";
    int name_length = TEXT, text_length = TEXT, verbosity = 0, binding = 0, scope = 0, found = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    const int code = MPI_T_cvar_get_info(i, name, &name_length, &verbosity, &type, &enumeration, text, &text_length,
                                         &binding, &scope);
    printf("cvar %d %s", i, name_of_code(code));
    if (code == MPI_SUCCESS) {
      MPI_T_cvar_get_index(name, &found);
      printf(" %s (%s) %d %d %d %s bind %d scope %d found %d", name, text, name_length, text_length, verbosity,
             name_of_type(type), binding, scope, found);
      say_enumeration(enumeration);
      say_value(name, i);
    }
    printf("\n");
  }
}

static void list_performances(void) {
  int count = 0;
  MPI_T_pvar_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[TEXT] = "", text[TEXT] = "";
    int name_length = TEXT, text_length = TEXT, verbosity = 0, of = 0, binding = 0, flags[3] = {0}, found = -1;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    const int code = MPI_T_pvar_get_info(i, name, &name_length, &verbosity, &of, &type, &enumeration, text,
                                         &text_length, &binding, &flags[0], &flags[1], &flags[2]);
    printf("pvar %d %s", i, name_of_code(code));
    if (code == MPI_SUCCESS) {
      MPI_T_pvar_get_index(name, of, &found);
      printf(" %s (%s) %d %d %d class %d %s bind %d flags %d%d%d found %d", name, text, name_length, text_length,
             verbosity, of, name_of_type(type), binding, flags[0], flags[1], flags[2], found);
      say_enumeration(enumeration);
    }
    printf("\n");
  }
}

static void say_members(const char *what, int category, int count, int (*members)(int, int, int[])) {
  int *const indices = calloc((size_t)count + 1, sizeof *indices);
  indices[count] = -7; /* not to be touched */
  members(category, count, indices);
  printf(" %s", what);
  for (int i = 0; i < count; ++i) printf(" %d", indices[i]);
  if (indices[count] != -7) printf(" overwritten");
  free(indices);
}

static void list_categories(void) {
  int count = 0;
  MPI_T_category_get_num(&count);
  for (int i = 0; i < count; ++i) {
    char name[TEXT] = "", text[TEXT] = "";
    int name_length = TEXT, text_length = TEXT, sizes[3] = {0}, found = -1;
    MPI_T_category_get_info(i, name, &name_length, text, &text_length, &sizes[0], &sizes[1], &sizes[2]);
    MPI_T_category_get_index(name, &found);
    printf("category %d %s (%s) found %d", i, name, text, found);
    say_members("cvars", i, sizes[0], MPI_T_category_get_cvars);
    say_members("pvars", i, sizes[1], MPI_T_category_get_pvars);
    say_members("categories", i, sizes[2], MPI_T_category_get_categories);
    printf("\n");
  }
}

static void list_all(void) {
  list_controls();
  list_performances();
  list_categories();
}

int main(int argc, char *argv[]) {
  const int early = argc > 1 && strcmp(argv[1], "early") == 0;
  int provided = 0, before = 0, after = 0;
  if (early) {
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    list_all();
    MPI_T_cvar_get_num(&before);
    printf("MPI_Init\n");
  }
  MPI_Init(&argc, &argv);
  if (!early) MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  list_all();
  MPI_T_cvar_get_num(&after);
  printf("before %d after %d\n", before, after);
  MPI_Finalize();
  if (!early) MPI_T_cvar_get_num(&before);
  printf("finalized %d\n", before);
  return 0;
}
