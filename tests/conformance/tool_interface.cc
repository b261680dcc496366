// SPDX-License-Identifier: BSD-3-Clause
// tool_interface.cc - MPI_T: before MPI_Init, while MPI runs and after MPI_Finalize
//
// Known to crash and therefore never done: handles of Open MPI's `mtl_` performance variables, reading its `ucx`
// variables after MPI_Init, MPI_T_finalize that really ends MPI_T while MPI runs.

#include <cstdint>
#include <string_view>
#include <vector>

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

constexpr int text_size = 512;

/// Fresh space for the texts that a question writes, with the lengths that it reads and writes.
struct Texts {
  char name[text_size] = "";
  char description[text_size] = "";
  int name_length = text_size;
  int description_length = text_size;
};

void read_and_write(int index) {
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  if (CALL(MPI_T_cvar_handle_alloc, index, nullptr, &handle, &count) != MPI_SUCCESS) return;
  std::vector<long long> value(static_cast<std::size_t>(count) + 1);  // no variable has larger elements
  CALL(MPI_T_cvar_read, handle, value.data());
  CALL(MPI_T_cvar_write, handle, value.data());
  CALL(MPI_T_cvar_handle_free, &handle);
}

void ask_enumeration(MPI_T_enum enumeration) {
  Texts texts;
  int count = 0;
  int value = 0;
  CALL(MPI_T_enum_get_info, enumeration, &count, texts.name, &texts.name_length);
  texts.name_length = text_size;
  CALL(MPI_T_enum_get_item, enumeration, 0, &value, texts.name, &texts.name_length);
}

bool may_be_read(std::string_view name) {
  return name.starts_with("mpi_") || name.starts_with("coll_tuned_") || name.starts_with("MPIR_CVAR_");
}

/// All variables are described, some are read and written back.
void control_variables(int readings) {
  int number = 0;
  int found = -1;
  CALL(MPI_T_cvar_get_num, &number);
  bool enumeration_asked = false;
  for (int i = 0; i < number; ++i) {
    Texts texts;
    int verbosity = 0;
    int binding = 0;
    int scope = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    const int code = CALL(MPI_T_cvar_get_info, i, texts.name, &texts.name_length, &verbosity, &type, &enumeration,
                          texts.description, &texts.description_length, &binding, &scope);
    if (code != MPI_SUCCESS) continue;
    if (enumeration != MPI_T_ENUM_NULL && !enumeration_asked) ask_enumeration(enumeration);
    enumeration_asked = enumeration_asked || enumeration != MPI_T_ENUM_NULL;
    if (readings <= 0 || binding != MPI_T_BIND_NO_OBJECT || !may_be_read(texts.name)) continue;
    CALL(MPI_T_cvar_get_index, texts.name, &found);
    read_and_write(i);
    --readings;
  }
  if (!enumeration_asked) ask_enumeration(MPI_T_ENUM_NULL);
}

#ifdef OPEN_MPI
/// A variable that every communicator has.
void use_performance_variable(MPI_T_pvar_session session) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  MPI_Comm comm = MPI_COMM_WORLD;
  int index = -1;
  int count = 0;
  std::array<unsigned long long, 64> value = {};
  CALL(MPI_T_pvar_get_index, "pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_SIZE, &index);
  CALL(MPI_T_pvar_handle_alloc, session, index, &comm, &handle, &count);
  CALL(MPI_T_pvar_start, session, handle);
  CALL(MPI_T_pvar_read, session, handle, value.data());
  CALL(MPI_T_pvar_readreset, session, handle, value.data());
  CALL(MPI_T_pvar_write, session, handle, value.data());
  CALL(MPI_T_pvar_reset, session, handle);
  CALL(MPI_T_pvar_stop, session, handle);
  CALL(MPI_T_pvar_handle_free, session, &handle);
}
#else
/// MPICH has no variables, and crashes where it is asked for one by a number from 0 on.
void use_performance_variable(MPI_T_pvar_session session) {
  MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
  Texts texts;
  std::array<int, 8> found = {};
  std::array<unsigned long long, 64> value = {};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  CALL(MPI_T_pvar_get_index, "none", MPI_T_PVAR_CLASS_SIZE, &found[0]);
  CALL(MPI_T_pvar_get_info, -1, texts.name, &texts.name_length, &found[0], &found[1], &type, &enumeration,
       texts.description, &texts.description_length, &found[2], &found[3], &found[4], &found[5]);
  CALL(MPI_T_pvar_handle_alloc, MPI_T_PVAR_SESSION_NULL, 0, nullptr, &handle, &found[0]);
  CALL(MPI_T_pvar_read, session, handle, value.data());
  CALL(MPI_T_pvar_readreset, session, handle, value.data());
  CALL(MPI_T_pvar_write, session, handle, value.data());
  CALL(MPI_T_pvar_handle_free, session, &handle);
}
#endif

void performance_variables() {
  int number = 0;
  CALL(MPI_T_pvar_get_num, &number);
  for (int i = 0; i < number; ++i) {
    Texts texts;
    int verbosity = 0;
    int variable_class = 0;
    int binding = 0;
    int read_only = 0;
    int continuous = 0;
    int atomic = 0;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum enumeration = MPI_T_ENUM_NULL;
    CALL(MPI_T_pvar_get_info, i, texts.name, &texts.name_length, &verbosity, &variable_class, &type, &enumeration,
         texts.description, &texts.description_length, &binding, &read_only, &continuous, &atomic);
  }
  MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
  CALL(MPI_T_pvar_session_create, &session);
  use_performance_variable(session);
  CALL(MPI_T_pvar_start, session, MPI_T_PVAR_ALL_HANDLES);
  CALL(MPI_T_pvar_stop, session, MPI_T_PVAR_ALL_HANDLES);
  CALL(MPI_T_pvar_reset, session, MPI_T_PVAR_ALL_HANDLES);
  CALL(MPI_T_pvar_session_free, &session);
}

void categories() {
  int number = 0;
  CALL(MPI_T_category_get_num, &number);
  for (int i = 0; i < number && i < 8; ++i) {
    Texts texts;
    int variables = 0;
    int performance = 0;
    int inner = 0;
    int index = -1;
    CALL(MPI_T_category_get_info, i, texts.name, &texts.name_length, texts.description, &texts.description_length,
         &variables, &performance, &inner);
    CALL(MPI_T_category_get_index, texts.name, &index);
    std::vector<int> indices(static_cast<std::size_t>(variables + performance + inner) + 1);
    CALL(MPI_T_category_get_cvars, i, variables, indices.data());
    CALL(MPI_T_category_get_pvars, i, performance, indices.data());
    CALL(MPI_T_category_get_categories, i, inner, indices.data());
    MAYBE(MPI_T_category_get_num_events, i, &performance);
    MAYBE(MPI_T_category_get_events, i, 0, indices.data());
  }
  CALL(MPI_T_category_changed, &number);
}

#if MPI_VERSION >= 4
void sources() {
  Texts texts;
  int number = 0;
  MPI_T_source_order order = MPI_T_SOURCE_ORDERED;
  MPI_Count ticks = 0;
  MPI_Count most = 0;
  MPI_Info info = MPI_INFO_NULL;
  CALL(MPI_T_source_get_num, &number);
  CALL(MPI_T_source_get_info, 0, texts.name, &texts.name_length, texts.description, &texts.description_length, &order,
       &ticks, &most, &info);
  CALL(MPI_T_source_get_timestamp, 0, &ticks);
}

void on_event(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void*) {}
void on_free(MPI_T_event_registration, MPI_T_cb_safety, void*) {}
void on_drop(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void*) {}

/// MPICH has no event types yet; what its functions answer must be the same in every run.
void events() {
  Texts texts;
  int number = 0;
  int verbosity = 0;
  int elements = 0;
  int binding = 0;
  std::array<MPI_Aint, 4> places = {};
  std::array<MPI_Datatype, 4> types = {};
  MPI_T_enum enumeration = MPI_T_ENUM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  CALL(MPI_T_event_get_num, &number);
  CALL(MPI_T_event_get_info, 0, texts.name, &texts.name_length, &verbosity, types.data(), places.data(), &elements,
       &enumeration, &info, texts.description, &texts.description_length, &binding);
  CALL(MPI_T_event_get_index, "none", &number);
}

void event_handles() {
  std::array<std::uintptr_t, 512> nothing = {};  // a null pointer makes MPICH crash
  auto registration = reinterpret_cast<MPI_T_event_registration>(nothing.data());
  MPI_Info info = MPI_INFO_NULL;
  constexpr MPI_T_cb_safety safety = MPI_T_CB_REQUIRE_NONE;
  MPI_T_event_registration none = {};
  CALL(MPI_T_event_handle_alloc, 0, nullptr, MPI_INFO_NULL, &none);
  CALL(MPI_T_event_handle_set_info, registration, MPI_INFO_NULL);
  CALL(MPI_T_event_handle_get_info, registration, &info);
  CALL(MPI_T_event_register_callback, registration, safety, MPI_INFO_NULL, nullptr, on_event);
  CALL(MPI_T_event_callback_set_info, registration, safety, MPI_INFO_NULL);
  CALL(MPI_T_event_callback_get_info, registration, safety, &info);
  CALL(MPI_T_event_set_dropped_handler, registration, on_drop);
  CALL(MPI_T_event_handle_free, registration, nullptr, on_free);
}

void event_instances() {
  std::array<std::uintptr_t, 64> nothing = {};
  auto instance = reinterpret_cast<MPI_T_event_instance>(nothing.data());
  std::array<char, 64> space = {};
  MPI_Count time = 0;
  int source = 0;
  CALL(MPI_T_event_read, instance, 0, space.data());
  CALL(MPI_T_event_copy, instance, space.data());
  CALL(MPI_T_event_get_timestamp, instance, &time);
  CALL(MPI_T_event_get_source, instance, &source);
}
#else
void sources() {}
void events() {}
void event_handles() {}
void event_instances() {}
#endif

void versions() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int number = 0;
  int other = 0;
  CALL(MPI_Get_version, &number, &other);
  CALL(MPI_Get_library_version, text, &number);
  CALL(MPI_Initialized, &number);
  CALL(MPI_Finalized, &number);
}

}  // namespace

void before_init() {
  int provided = 0;
  versions();
  CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
  CALL(MPI_T_init_thread, MPI_THREAD_SINGLE, &provided);
  CALL(MPI_T_finalize);
  control_variables(3);
  categories();
}

void tool_interface() {
  control_variables(100);
  performance_variables();
  categories();
  sources();
  events();
  event_handles();
  event_instances();
}

void after_finalize() {
  int number = 0;
  versions();
  CALL(MPI_T_cvar_get_num, &number);
  CALL(MPI_T_category_changed, &number);
#ifdef MPICH
  CALL(MPI_T_finalize);  // Open MPI crashes in it at this time
#endif
}

}  // namespace conformance
