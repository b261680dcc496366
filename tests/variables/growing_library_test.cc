// SPDX-License-Identifier: BSD-3-Clause
// growing_library_test.cc - the lists of MPI_T while both the library and the tools add to them.
//
// The library's functions are replaced by ones of this file, whose lists grow when a test says so; the engine's are as
// in every stack. No MPI is started.

#include <gtest/gtest.h>
#include <mpi.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/services/tool_calls.hpp"
#include "variables/registry.hpp"

namespace {

using Names = std::vector<std::string>;

struct Library {
  Names controls, performances, categories;
  std::vector<int> members;  // control variables of its every category
  int initialized = 0;
  int changed = 0;
} library;

int number_of(const Names& names, int* number) {
  if (library.initialized == 0) return MPI_T_ERR_NOT_INITIALIZED;
  *number = static_cast<int>(names.size());
  return MPI_SUCCESS;
}

int describe(const Names& names, int index, char* name, int* length) {
  if (library.initialized == 0) return MPI_T_ERR_NOT_INITIALIZED;
  if (index < 0 || index >= static_cast<int>(names.size())) return MPI_T_ERR_INVALID_INDEX;
  cairn::engine::give_text(names[static_cast<std::size_t>(index)], name, length);
  return MPI_SUCCESS;
}

int look_up(const Names& names, const std::string& name, int* index) {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == name) {
      *index = static_cast<int>(i);
      return MPI_SUCCESS;
    }
  return MPI_T_ERR_INVALID_NAME;
}

}  // namespace

extern "C" {
int PMPI_T_init_thread(int, int* provided) {
  ++library.initialized;
  *provided = MPI_THREAD_MULTIPLE;
  return MPI_SUCCESS;
}
int PMPI_T_finalize() {
  --library.initialized;
  return MPI_SUCCESS;
}
int PMPI_T_cvar_get_num(int* number) { return number_of(library.controls, number); }
int PMPI_T_cvar_get_index(const char* name, int* index) { return look_up(library.controls, name, index); }
int PMPI_T_cvar_get_info(int index, char* name, int* length, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*,
                         int*) {
  return describe(library.controls, index, name, length);
}
int PMPI_T_pvar_get_num(int* number) { return number_of(library.performances, number); }
int PMPI_T_pvar_get_index(const char* name, int, int* index) { return look_up(library.performances, name, index); }
int PMPI_T_pvar_get_info(int index, char* name, int* length, int*, int*, MPI_Datatype*, MPI_T_enum*, char*, int*, int*,
                         int*, int*, int*) {
  return describe(library.performances, index, name, length);
}
int PMPI_T_category_get_num(int* number) { return number_of(library.categories, number); }
int PMPI_T_category_get_index(const char* name, int* index) { return look_up(library.categories, name, index); }
int PMPI_T_category_get_info(int index, char* name, int* length, char*, int*, int* controls, int* performances,
                             int* inner) {
  cairn::engine::give(controls, static_cast<int>(library.members.size()));
  cairn::engine::give(performances, 0);
  cairn::engine::give(inner, 0);
  return describe(library.categories, index, name, length);
}
int PMPI_T_category_get_cvars(int, int length, int indices[]) {
  for (int i = 0; i < length && i < static_cast<int>(library.members.size()); ++i)
    indices[i] = library.members[static_cast<std::size_t>(i)];
  return MPI_SUCCESS;
}
int PMPI_T_category_changed(int* stamp) { return *stamp = library.changed, MPI_SUCCESS; }
}

namespace {

std::vector<std::string> warnings;
int closed = 0;
bool loaded = true;

const cairn_stack fake_stack = {[] { return 1U; },
                                [](std::uint32_t, cairn_stack_layer* layer) {
                                  return *layer = {"/tools/libmine.so", 1, loaded ? 1 : 0}, 0;
                                },
                                [](std::uint32_t) { return 1; },
                                [](std::uint32_t, int) { return 0; },
                                [](std::uint32_t) { return 0; },
                                [](std::uint32_t) { return 1; },
                                [](std::uint32_t, int) { return 1; }};

thread_local int calls_of_tools = 0;

const cairn_tool_instance tool = [] {
  cairn_tool_instance made = {};
  made.level = 1;
  made.tool = "mine";
  made.find = [](const cairn_tool_instance*, const char* service, std::uint32_t) -> const void* {
    static const cairn::ToolCalls calls{reinterpret_cast<char*>(&calls_of_tools) -
                                        static_cast<char*>(__builtin_thread_pointer())};
    return std::string_view(service) == cairn::ToolCalls::service ? static_cast<const void*>(&calls) : &fake_stack;
  };
  made.warn = [](const cairn_tool_instance*, const char* text) { warnings.emplace_back(text); };
  return made;
}();

cairn_variable variable(const char* name) {
  cairn_variable made = {};
  made.name = name;
  made.variable_class = CAIRN_GENERIC;
  made.flags = CAIRN_FULL_NAME;
  made.read = [](void*, void* value) { return *static_cast<int*>(value) = 42, static_cast<int>(CAIRN_DONE); };
  made.close = [](void*) { ++closed; };
  return made;
}

int add(const char* name) {
  const cairn_variable made = variable(name);
  return cairn::engine::variables_service.add_control(&tool, &made) +
         cairn::engine::variables_service.add_performance(&tool, &made);
}

/// The names under 0, 1, …
Names listed(int (*count)(int*), int (*info)(int, char*, int*)) {
  Names names;
  int number = 0;
  count(&number);
  for (int i = 0; i < number; ++i) {
    char name[100] = "";
    int length = sizeof name;
    info(i, name, &length);
    names.emplace_back(name);
  }
  return names;
}

int control_name(int index, char* name, int* length) {
  return MPI_T_cvar_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
}
int performance_name(int index, char* name, int* length) {
  return MPI_T_pvar_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
}
int category_name(int index, char* name, int* length) {
  return MPI_T_category_get_info(index, name, length, nullptr, nullptr, nullptr, nullptr, nullptr);
}
Names controls() { return listed(MPI_T_cvar_get_num, control_name); }
Names performances() { return listed(MPI_T_pvar_get_num, performance_name); }
Names categories() { return listed(MPI_T_category_get_num, category_name); }

class GrowingLibrary : public testing::Test {
 protected:
  void SetUp() override {
    int provided = 0;
    library = {{"c0", "c1"}, {"p0"}, {"k0"}, {0, 1}, 0, 7};
    warnings.clear();
    closed = 0;
    loaded = true;
    cairn::engine::start_registry(&tool, false);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  }
};

TEST_F(GrowingLibrary, IsPassedOnWhileNothingIsOurs) {
  int stamp = 0;
  EXPECT_FALSE(cairn::engine::registry().in_use());
  EXPECT_EQ(controls(), library.controls);
  library.controls.emplace_back("c2");
  EXPECT_EQ(controls(), library.controls);
  EXPECT_EQ(categories(), library.categories);
  MPI_T_category_changed(&stamp);
  EXPECT_EQ(stamp, 7);
}

TEST_F(GrowingLibrary, KeepsItsIndicesAndOursWhoeverAdds) {
  int index = -1;
  add("ours");
  EXPECT_EQ(controls(), (Names{"c0", "c1", "ours", "libmine_active"}));
  library.controls.emplace_back("c2");
  library.performances.emplace_back("p1");
  EXPECT_EQ(MPI_T_cvar_get_index("c2", &index), MPI_SUCCESS);  // without asking how many there are
  EXPECT_EQ(index, 4);
  add("late");
  library.controls.emplace_back("c3");
  EXPECT_EQ(controls(), (Names{"c0", "c1", "ours", "libmine_active", "c2", "c3", "late"}));
  EXPECT_EQ(performances(), (Names{"p0", "p1", "ours", "late"}));
  EXPECT_EQ(MPI_T_cvar_get_index("late", &index), MPI_SUCCESS);
  EXPECT_EQ(index, 6);
}

TEST_F(GrowingLibrary, HasItsCategoriesMembersUnderTheProgramsIndices) {
  int indices[4] = {-1, -1, -1, 0};
  int before = 0;
  int after = 0;
  MPI_T_category_changed(&before);
  add("ours");
  EXPECT_EQ(categories(), (Names{"k0", "cairn", "libmine"}));
  MPI_T_category_changed(&after);
  EXPECT_NE(before, after);
  library.controls.emplace_back("c2");
  library.members = {2, 0};
  EXPECT_EQ(MPI_T_category_get_cvars(0, 4, indices), MPI_SUCCESS);
  EXPECT_EQ(indices[0], 4);
  EXPECT_EQ(indices[1], 0);
  EXPECT_EQ(indices[3], 0) << "what the library has not written is left alone";
  EXPECT_EQ(MPI_T_category_get_cvars(2, 1, indices), MPI_SUCCESS);
  EXPECT_EQ(indices[0], 2) << "ours";
  EXPECT_EQ(MPI_T_category_get_categories(1, 4, indices), MPI_SUCCESS);
  EXPECT_EQ(indices[0], 2);
#if MPI_VERSION >= 4
  int events = -1;
  EXPECT_EQ(MPI_T_category_get_num_events(2, &events), MPI_SUCCESS);
  EXPECT_EQ(events, 0);
#endif
}

TEST_F(GrowingLibrary, WinsWhenANameIsItsOwn) {
  EXPECT_EQ(add("c1"), 0);  // known only when the lists are asked for
  EXPECT_EQ(controls(), (Names{"c0", "c1", "libmine_active"}));
  EXPECT_EQ(controls(), (Names{"c0", "c1", "libmine_active"}));
  EXPECT_EQ(warnings,
            (Names{"its control variable 'c1' is not offered: the MPI library already has one of that name"}));
  EXPECT_EQ(performances(), (Names{"p0", "c1"}));
}

TEST_F(GrowingLibrary, GetsSwitchesOfLayersWhenTheyAreLoaded) {
  loaded = false;
  add("ours");
  EXPECT_EQ(controls(), (Names{"c0", "c1", "ours"}));
  loaded = true;
  EXPECT_EQ(controls(), (Names{"c0", "c1", "ours", "libmine_active"}));
}

TEST_F(GrowingLibrary, EndsAllHandlesAndIndicesWithMPIT) {
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  int value = 0;
  int provided = 0;
  add("ours");
  controls();
  library.controls.emplace_back("c2");
  EXPECT_EQ(MPI_T_cvar_handle_alloc(2, nullptr, &handle, &count), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
  EXPECT_EQ(value, 42);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_finalize();
  EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS) << "it was initialized twice";
  MPI_T_finalize();
  EXPECT_EQ(closed, 1);
  EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
  EXPECT_EQ(control_name(2, nullptr, nullptr), MPI_T_ERR_NOT_INITIALIZED);
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_T_ERR_INVALID_HANDLE);
  EXPECT_EQ(controls(), (Names{"c0", "c1", "c2", "ours", "libmine_active"}));
}

TEST_F(GrowingLibrary, IsToldApartWhenThereAreNoMoreHandles) {
  std::vector<MPI_T_cvar_handle> handles;
  MPI_T_cvar_handle handle = nullptr;
  int count = 0;
  int code = MPI_SUCCESS;
  add("ours");
  controls();
  while ((code = MPI_T_cvar_handle_alloc(2, nullptr, &handle, &count)) == MPI_SUCCESS) handles.push_back(handle);
  EXPECT_EQ(code, MPI_T_ERR_OUT_OF_HANDLES);
  EXPECT_GT(handles.size(), 100000U);
  EXPECT_EQ(std::set(handles.begin(), handles.end()).size(), handles.size());
  for (MPI_T_cvar_handle& each : handles) EXPECT_EQ(MPI_T_cvar_handle_free(&each), MPI_SUCCESS);
  EXPECT_EQ(MPI_T_cvar_handle_alloc(2, nullptr, &handle, &count), MPI_SUCCESS);
}

}  // namespace
