// SPDX-License-Identifier: BSD-3-Clause
// stack_service.cc - layers as tools see them: names, and whether they are on.

#include "runtime/services.hpp"

namespace cairn {

namespace {

std::uint32_t count() { return static_cast<std::uint32_t>(runtime().asked.layers.size()); }

/// The layer of that level, if it is one that the user asked for and is loaded; else none.
LayerId loaded_layer(std::uint32_t level) {
  const LayerId id{level};
  return place_asked(id) < count() && runtime().stack.has_layer(id) ? id : LayerId::none;
}

int describe(std::uint32_t level, cairn_stack_layer* layer) {
  const std::size_t place = place_asked(LayerId{level});
  if (place >= count()) return 1;
  layer->tool = runtime().asked.layers[place].tool.c_str();
  layer->instance = instance_number(runtime().asked.layers, place);
  layer->loaded = loaded_layer(level) != LayerId::none ? 1 : 0;
  return 0;
}

int is_active(std::uint32_t level) { return runtime().stack.is_switched_on(loaded_layer(level)) ? 1 : 0; }

int set_active(std::uint32_t level, int active) {
  const LayerId id = loaded_layer(level);
  if (id == LayerId::none || runtime().stack.is_pinned(id)) return 1;
  runtime().stack.set_active(id, active != 0);
  return 0;
}

int has_filters(std::uint32_t level) {
  const LayerId id = loaded_layer(level);
  return id != LayerId::none && runtime().switching.has_filters(id) ? 1 : 0;
}

int are_filters_on(std::uint32_t level) { return runtime().stack.are_filters_on(loaded_layer(level)) ? 1 : 0; }

int set_filters_on(std::uint32_t level, int on) {
  if (has_filters(level) == 0) return 1;
  runtime().stack.set_filters_on(LayerId{level}, on != 0);
  return 0;
}

}  // namespace

const cairn_stack& stack_service() {
  static constexpr cairn_stack service = {count,       describe,       is_active,     set_active,
                                          has_filters, are_filters_on, set_filters_on};
  return service;
}

}  // namespace cairn
