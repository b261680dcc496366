// SPDX-License-Identifier: BSD-3-Clause
// loaded_snapshot.cc - walks over the dynamic loader's list of objects, under its lock.

#include "loader/loaded_snapshot.hpp"

#include <dlfcn.h>

#include <algorithm>

namespace cairn {

namespace {

/// dl_iterate_phdr holds the lock under which the loader changes its list.
template <class Action>
void while_list_stays(Action action) {
  dl_iterate_phdr(
      [](dl_phdr_info* /*info*/, std::size_t /*size*/, void* data) {
        (*static_cast<Action*>(data))();
        return 1;
      },
      &action);
}

bool is_called(const LoadedObject& object, std::string_view name) {
  return object.soname() == name || object.file_name() == name;
}

}  // namespace

LoadedSnapshot::LoadedSnapshot() {
  while_list_stays([&] {
    for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next)
      objects_.emplace_back(map, map->l_addr);
  });
}

LoadedSnapshot LoadedSnapshot::of_program() {
  LoadedSnapshot program = of_nothing();
  while_list_stays([&] { program.objects_.emplace_back(_r_debug.r_map, _r_debug.r_map->l_addr); });
  return program;
}

bool LoadedSnapshot::contains(const link_map* map) const {
  return std::ranges::find(objects_, std::pair{map, std::uintptr_t{map->l_addr}}) != objects_.end();
}

/// The list keeps its order and grows at its end, so the search goes on where the last object was found.
std::vector<const link_map*> LoadedSnapshot::newer() const {
  std::vector<const link_map*> found;
  auto next = objects_.begin();
  for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
    const auto place = std::find(next, objects_.end(), std::pair{map, std::uintptr_t{map->l_addr}});
    if (place == objects_.end()) found.push_back(map);
    else next = place + 1;
  }
  return found;
}

void LoadedSnapshot::for_each_newer(const std::function<void(const LoadedObject&)>& visit) const {
  while_list_stays([&] {
    for (const link_map* map : newer()) visit(LoadedObject(map));
  });
}

void LoadedSnapshot::for_each_newer_of(void* handle, const std::function<void(const LoadedObject&)>& visit) const {
  const link_map* opened = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, static_cast<void*>(&opened)) != 0) return;
  while_list_stays([&] {
    std::vector<const link_map*> left = newer();
    std::vector<const link_map*> brought;
    const auto take_if = [&](const auto& test) {
      for (const link_map* map : left)
        if (test(map)) brought.push_back(map);
      std::erase_if(left, test);
    };
    take_if([&](const link_map* map) { return map == opened; });
    for (std::size_t i = 0; i < brought.size(); ++i)
      LoadedObject(brought[i]).for_each_needed([&](std::string_view name) {
        take_if([&](const link_map* map) { return is_called(LoadedObject(map), name); });
      });
    for (const link_map* map : brought) visit(LoadedObject(map));
  });
}

}  // namespace cairn
