// SPDX-License-Identifier: BSD-3-Clause
// registry.cc - the lists grow: what the library has added first, then what is ours.

#include "variables/registry.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "cairn/services/tool_calls.hpp"

namespace cairn::engine {

alignas(Registry) std::byte registry_memory[sizeof(Registry)];

void start_registry(const cairn_tool_instance* self, bool list_switches) {
  new (registry_memory) Registry(self, list_switches);
}

Registry::Registry(const cairn_tool_instance* self, bool list_switches)
    : engine_(self), stack_(static_cast<const cairn_stack*>(self->find(self, CAIRN_STACK, CAIRN_STACK_VERSION))) {
  if (const void* const calls = self->find(self, ToolCalls::service, ToolCalls::version))
    kit::tool_calls_place = static_cast<const ToolCalls*>(calls)->place;
  if (list_switches) mark_used();
}

void Registry::mark_used() {
  ++changes_;
  in_use_.store(true, std::memory_order_release);
}

namespace {

/// Whether it must be left out: the library has its name, and it has no other.
template <class LibraryHas>
bool clashes(Entry& entry, const char* what, LibraryHas library_has) {
  if (!library_has(entry.name.c_str())) return false;
  if (!entry.other.empty()) {
    std::swap(entry.name, entry.other);
    if (!library_has(entry.name.c_str())) return false;
  }
  say_refused(entry.owner, what, entry.name, "the MPI library already has one of that name");
  return true;
}

}  // namespace

void Registry::update_controls() {
  int count = 0;
  if (PMPI_T_cvar_get_num(&count) != MPI_SUCCESS) return;
  list_switches();
  if (!controls_.has_news(count)) return;
  controls_.grow(count, [](Variable& variable) {
    int found = 0;
    return clashes(variable, "control variable",
                   [&](const char* name) { return PMPI_T_cvar_get_index(name, &found) == MPI_SUCCESS; });
  });
}

void Registry::update_performances() {
  int count = 0;
  if (PMPI_T_pvar_get_num(&count) != MPI_SUCCESS || !performances_.has_news(count)) return;
  performances_.grow(count, [](Variable& variable) {
    int found = 0;
    return clashes(variable, "performance variable",
                   [&](const char* name) { return PMPI_T_pvar_get_index(name, variable.kind, &found) == MPI_SUCCESS; });
  });
}

void Registry::update_categories() {
  int count = 0;
  if (PMPI_T_category_get_num(&count) != MPI_SUCCESS) return;
  list_switches();
  if (!categories_.has_news(count)) return;
  categories_.grow(count, [](Category& category) {
    int found = 0;
    return clashes(category, "category",
                   [&](const char* name) { return PMPI_T_category_get_index(name, &found) == MPI_SUCCESS; });
  });
}

Target<Variable> Registry::control(int index) {
  if (index >= controls_.size()) update_controls();
  return controls_.at(index);
}

Target<Variable> Registry::performance(int index) {
  if (index >= performances_.size()) update_performances();
  return performances_.at(index);
}

Target<Category> Registry::category(int index) {
  if (index >= categories_.size()) update_categories();
  return categories_.at(index);
}

void Registry::forget_indices() {
  controls_.clear();
  performances_.clear();
  categories_.clear();
}

void say_refused(const cairn_tool_instance* owner, const char* what, const std::string& name, const std::string& why) {
  owner->warn(owner, (std::string("its ") + what + " '" + name + "' is not offered: " + why).c_str());
}

void give_text(const std::string& text, char* out, int* length) {
  if (length == nullptr) return;
  if (out != nullptr && *length > 0) {
    const std::size_t room = static_cast<std::size_t>(*length) - 1;
    const std::size_t copied = text.size() < room ? text.size() : room;
    std::memcpy(out, text.data(), copied);
    out[copied] = '\0';
  }
  *length = static_cast<int>(text.size() + 1);
}

}  // namespace cairn::engine
