// SPDX-License-Identifier: BSD-3-Clause
// stack_service.cc - layers as tools see them: names, and whether they are on.

#include "runtime/stack_service.hpp"

namespace cairn {

namespace {

// The functions of the service are called without an instance.
Stack* stack = nullptr;
const std::vector<LayerRequest>* requests = nullptr;

std::uint32_t count() { return static_cast<std::uint32_t>(requests->size()); }

int describe(std::uint32_t level, cairn_stack_layer* layer) {
  if (level < 1 || level > count()) return 1;
  layer->tool = (*requests)[level - 1].tool.c_str();
  layer->instance = instance_number(*requests, level - 1);
  layer->loaded = stack->has_layer(level) ? 1 : 0;
  return 0;
}

int is_active(std::uint32_t level) { return level >= 1 && level <= count() && stack->is_switched_on(level) ? 1 : 0; }

int set_active(std::uint32_t level, int active) {
  if (level < 1 || level > count() || !stack->has_layer(level) || stack->is_pinned(level)) return 1;
  stack->set_active(level, active != 0);
  return 0;
}

}  // namespace

const cairn_stack& make_stack_service(Stack& of, const std::vector<LayerRequest>& layers) {
  static constexpr cairn_stack service = {count, describe, is_active, set_active};
  stack = &of;
  requests = &layers;
  return service;
}

}  // namespace cairn
