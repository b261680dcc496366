// SPDX-License-Identifier: BSD-3-Clause
// switches.cc - for every layer of the stack a category with its name, and the control variable that switches it.

#include <string_view>

#include "variables/registry.hpp"

namespace cairn::engine {

namespace {

const cairn_stack* layers = nullptr;  // as the functions of a variable see it

unsigned level_of(void* bound) { return static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(bound)); }

int read_switch(void* bound, void* value) {
  *static_cast<int*>(value) = layers->is_active(level_of(bound));
  return CAIRN_DONE;
}

int write_with(int (*set)(std::uint32_t level, int on), void* bound, const void* value) {
  const int wanted = *static_cast<const int*>(value);
  if (wanted != 0 && wanted != 1) return CAIRN_REFUSED;
  return set(level_of(bound), wanted) == 0 ? CAIRN_DONE : CAIRN_NOT_NOW;
}

int write_switch(void* bound, const void* value) { return write_with(layers->set_active, bound, value); }

int read_filters(void* bound, void* value) {
  *static_cast<int*>(value) = layers->are_filters_on(level_of(bound));
  return CAIRN_DONE;
}

int write_filters(void* bound, const void* value) { return write_with(layers->set_filters_on, bound, value); }

/// What of a layer is switched by a variable.
struct Part {
  const char* ending;  // of the variable's name
  const char* what;
  int (*read)(void* bound, void* value);
  int (*write)(void* bound, const void* value);
};
constexpr Part whole = {"_active", "the switch", read_switch, write_switch};
constexpr Part filters = {"_filters", "the filters", read_filters, write_filters};

/// "/opt/libx.so" and "libx.so" are "libx".
std::string_view short_name(std::string_view tool) {
  tool.remove_prefix(tool.rfind('/') + 1);
  if (tool.ends_with(".so")) tool.remove_suffix(3);
  return tool;
}

cairn_stack_layer layer_at(const cairn_stack& stack, unsigned level) {
  cairn_stack_layer layer = {"", 1, 0};
  stack.describe(level, &layer);
  return layer;
}

/// Ranks that have it tell each other something in collective calls of the program: one that did not would keep the others
/// waiting.
bool agrees_with_other_ranks(std::string_view tool) { return tool == "policy" || tool == "steer"; }

Enumeration* on_and_off() {
  static Enumeration* const one = Handles::make<Enumeration>(Enumeration{"switch", {{0, "off"}, {1, "on"}}});
  return one;
}

Variable make_switch(const cairn_tool_instance* engine, const std::string& layer, const Part& part, unsigned level,
                     int scope) {
  Variable made = {};
  made.owner = engine;
  made.name = layer + part.ending;
  made.description = std::string(part.what) + " of layer " + std::to_string(level) + " of the stack, on this rank";
  made.facts.context = reinterpret_cast<void*>(std::uintptr_t{level});
  made.facts.read = part.read;
  made.facts.write = part.write;
  made.facts.count = 1;
  made.type = MPI_INT;
  made.element_size = sizeof(int);
  made.binding = MPI_T_BIND_NO_OBJECT;
  made.verbosity = MPI_T_VERBOSITY_USER_BASIC;
  made.kind = scope;
  made.enumeration = on_and_off();
  return made;
}

}  // namespace

std::string Registry::layer_name(unsigned level) const {
  const std::string name(short_name(layer_at(*stack_, level).tool));
  unsigned number = 1;
  for (unsigned above = 1; above < level; ++above) number += short_name(layer_at(*stack_, above).tool) == name ? 1 : 0;
  return number == 1 ? name : name + "." + std::to_string(number);
}

Category& Registry::root() {
  if (root_ == nullptr) root_ = &categories_.add({{engine_, "cairn", "the layers of Cairn's stack"}, {}, {}, {}});
  return *root_;
}

Category& Registry::layer_category(unsigned level) {
  if (of_layers_.size() <= level) of_layers_.resize(level + 1);
  Category*& place = of_layers_[level];
  if (place == nullptr) {
    Category& above = root();
    const std::string description = "layer " + std::to_string(level) + ", tool '" + layer_at(*stack_, level).tool + "'";
    place = &categories_.add({{engine_, layer_name(level), description}, {}, {}, {}});
    above.inner.push_back(place);
    ++changes_;
  }
  return *place;
}

/// Looked at again whenever a list is asked for: layers are still being loaded when the first tools start.
void Registry::list_switches() {
  if (!in_use() || stack_ == nullptr) return;
  layers = stack_;
  const unsigned count = stack_->count();
  has_switch_.resize(count + 1);
  for (unsigned level = 1; level <= count; ++level) {
    if (has_switch_[level] || layer_at(*stack_, level).loaded == 0) continue;
    has_switch_[level] = true;
    const std::string name = layer_name(level);
    const bool agrees = agrees_with_other_ranks(short_name(layer_at(*stack_, level).tool));
    const int scope = agrees ? MPI_T_SCOPE_ALL_EQ : MPI_T_SCOPE_LOCAL;
    for (const Part& part : {whole, filters}) {
      if (part.read == read_filters && stack_->has_filters(level) == 0) continue;
      Variable made = make_switch(engine_, name, part, level, scope);
      if (const Variable* taken = find_own(controls_, made.name))
        say_refused(engine_, "control variable", taken->name, taken_by(*taken));
      else layer_category(level).controls.push_back(&controls_.add(std::move(made)));
    }
    ++changes_;
  }
}

}  // namespace cairn::engine
