// SPDX-License-Identifier: BSD-3-Clause
// categories.cc - MPI_T_category_…, MPI_T_enum_… and the beginning and end of MPI_T.

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <mutex>
#include <vector>

#include "variables/registry.hpp"

namespace cairn::engine {

namespace {

/// The caller holds the lock.
Target<Category> find(int index) {
  Registry& all = registry();
  all.update_controls();
  all.update_performances();
  all.update_categories();
  return all.category(index);
}

Target<Category> find_locked(int index) {
  const std::lock_guard guard(registry().lock());
  return find(index);
}

template <class T>
std::vector<int> indices_of(const std::vector<const T*>& entries) {
  std::vector<int> indices;
  for (const T* entry : entries)
    if (entry->index >= 0) indices.push_back(entry->index);
  return indices;
}

int describe(const Category& category, char* name, int* name_length, char* description, int* description_length,
             int* controls, int* performances, int* inner) {
  const std::lock_guard guard(registry().lock());
  give_text(category.name, name, name_length);
  give_text(category.description, description, description_length);
  give(controls, static_cast<int>(indices_of(category.controls).size()));
  give(performances, static_cast<int>(indices_of(category.performances).size()));
  give(inner, static_cast<int>(indices_of(category.inner).size()));
  return MPI_SUCCESS;
}

/// How many members of each kind a category of the library has: control, performance, inner.
std::array<int, 3> sizes_of(int library) {
  char text[2];
  int lengths[] = {1, 1};
  std::array<int, 3> sizes = {};
  PMPI_T_category_get_info(library, text, &lengths[0], text, &lengths[1], &sizes[0], &sizes[1], &sizes[2]);
  return sizes;
}

/// The members of one kind: ours, or the library's under the indices that programs see.
template <class T, class Library>
int members(int index, int length, int* out, std::vector<const T*> Category::*own, Library library, List<T>& list,
            std::size_t kind) {
  if (!registry().in_use()) return library(index, length, out);
  const std::lock_guard guard(registry().lock());
  const Target<Category> target = find(index);
  if (target.own != nullptr) {
    const std::vector<int> indices = indices_of(target.own->*own);
    std::copy_n(indices.begin(), std::min(indices.size(), static_cast<std::size_t>(std::max(length, 0))), out);
    return MPI_SUCCESS;
  }
  const int code = library(target.library, length, out);
  if (code != MPI_SUCCESS) return code;
  const int written = std::min(length, sizes_of(target.library)[kind]);
  for (int i = 0; i < written; ++i)
    if (const int place = list.place(out[i]); place >= 0) out[i] = place;
  return code;
}

int index_of(const char* name, int* index) {
  Registry& all = registry();
  const std::lock_guard guard(all.lock());
  all.update_categories();
  int library = -1;
  const int code = PMPI_T_category_get_index(name, &library);
  if (code == MPI_SUCCESS) {
    *index = all.categories().place(library);
    return code;
  }
  const Category* const found = find_own(all.categories(), name, [](const Category& one) { return one.index >= 0; });
  if (found == nullptr) return code;
  *index = found->index;
  return MPI_SUCCESS;
}

const Enumeration* own(MPI_T_enum enumeration) { return Handles::get<Enumeration>(enumeration); }

#if MPI_VERSION >= 4
constexpr int no_such_item = MPI_T_ERR_INVALID_INDEX;
#else
constexpr int no_such_item = MPI_T_ERR_INVALID_ITEM;
#endif

}  // namespace

}  // namespace cairn::engine

using namespace cairn::engine;

extern "C" {

/// Open MPI 4.1 grants what is asked for, and writes it only where MPI_T was not initialized: neither the program nor a
/// tool may find nothing there because another was first.
int MPI_T_init_thread(int required, int* provided) {
  constexpr int unwritten = INT_MIN;
  int granted = unwritten;
  const int code = PMPI_T_init_thread(required, provided == nullptr ? nullptr : &granted);
  if (code != MPI_SUCCESS) return code;
  const bool is_first = registry().count_initialization();
  if (granted == unwritten && is_first) granted = required;
  if (granted != unwritten) *provided = granted;
  return code;
}

int MPI_T_finalize(void) {
  if (registry().is_tools_alone()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_finalize();
  if (code != MPI_SUCCESS || !registry().count_finalization()) return code;
  free_control_handles();
  free_performance_handles();
  const std::lock_guard guard(registry().lock());
  registry().forget_indices();
  return code;
}

int MPI_T_category_get_num(int* num_cat) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_category_get_num(num_cat);
  if (code != MPI_SUCCESS || !registry().in_use() || num_cat == nullptr) return code;
  const std::lock_guard guard(registry().lock());
  registry().update_categories();
  *num_cat = registry().categories().size();
  return code;
}

int MPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars,
                            int* num_pvars, int* num_categories) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  int library = cat_index;
  if (registry().in_use()) {
    const Target<Category> target = find_locked(cat_index);
    if (target.own != nullptr)
      return describe(*target.own, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories);
    library = target.library;
  }
  return PMPI_T_category_get_info(library, name, name_len, desc, desc_len, num_cvars, num_pvars, num_categories);
}

int MPI_T_category_get_index(const char* name, int* cat_index) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!registry().in_use() || !registry().is_initialized() || name == nullptr || cat_index == nullptr)
    return PMPI_T_category_get_index(name, cat_index);
  return index_of(name, cat_index);
}

int MPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  return members(cat_index, len, indices, &Category::controls, PMPI_T_category_get_cvars, registry().controls(), 0);
}

int MPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  return members(cat_index, len, indices, &Category::performances, PMPI_T_category_get_pvars, registry().performances(),
                 1);
}

int MPI_T_category_get_categories(int cat_index, int len, int indices[]) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  return members(cat_index, len, indices, &Category::inner, PMPI_T_category_get_categories, registry().categories(), 2);
}

/// Both sides only count upwards, so the sum changes whenever one does.
int MPI_T_category_changed(int* update_number) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  const int code = PMPI_T_category_changed(update_number);
  if (code != MPI_SUCCESS || !registry().in_use() || update_number == nullptr) return code;
  const std::lock_guard guard(registry().lock());
  registry().update_categories();
  *update_number += registry().changes();
  return code;
}

#if MPI_VERSION >= 4
int MPI_T_category_get_num_events(int cat_index, int* num_events) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  int library = cat_index;
  if (registry().in_use()) {
    const Target<Category> target = find_locked(cat_index);
    if (target.own != nullptr) {
      give(num_events, 0);
      return MPI_SUCCESS;
    }
    library = target.library;
  }
  return PMPI_T_category_get_num_events(library, num_events);
}

int MPI_T_category_get_events(int cat_index, int len, int indices[]) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  int library = cat_index;
  if (registry().in_use()) {
    const Target<Category> target = find_locked(cat_index);
    if (target.own != nullptr) return MPI_SUCCESS;
    library = target.library;
  }
  return PMPI_T_category_get_events(library, len, indices);
}
#endif

int MPI_T_enum_get_info(MPI_T_enum enumtype, int* num, char* name, int* name_len) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!Handles::is_own(enumtype)) return PMPI_T_enum_get_info(enumtype, num, name, name_len);
  const Enumeration* const mine = own(enumtype);
  if (mine == nullptr || !registry().is_initialized()) return or_not_initialized(MPI_T_ERR_INVALID_HANDLE);
  give_text(mine->name, name, name_len);
  give(num, static_cast<int>(mine->items.size()));
  return MPI_SUCCESS;
}

int MPI_T_enum_get_item(MPI_T_enum enumtype, int index, int* value, char* name, int* name_len) {
  if (!registry().is_open()) return MPI_T_ERR_NOT_INITIALIZED;
  if (!Handles::is_own(enumtype)) return PMPI_T_enum_get_item(enumtype, index, value, name, name_len);
  const Enumeration* const mine = own(enumtype);
  if (mine == nullptr || !registry().is_initialized()) return or_not_initialized(MPI_T_ERR_INVALID_HANDLE);
  if (index < 0 || static_cast<std::size_t>(index) >= mine->items.size()) return no_such_item;
  const auto& [item_value, item_name] = mine->items[static_cast<std::size_t>(index)];
  give_text(item_name, name, name_len);
  give(value, item_value);
  return MPI_SUCCESS;
}
}
