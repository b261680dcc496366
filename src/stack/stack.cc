// SPDX-License-Identifier: BSD-3-Clause
// stack.cc - linking layers to each other.

#include "stack/stack.hpp"

#include <algorithm>

namespace cairn {

Stack::Stack(const Preload& preload, const MpiLibrary& mpi)
    : preload_(preload), mpi_(mpi), top_(mpi.native()), covering_(preload.functions) {}

void Stack::open() const {
  const std::lock_guard lock(switching_);
  fill_slots();
}

void Stack::fill_slots() const {
  for (std::size_t i = 0; i < top_.size(); ++i) {
    if (top_[i] == nullptr) continue;
    const bool observed = i == observer_.function;
    if (observed) __atomic_store_n(observer_.next, top_[i], __ATOMIC_RELEASE);
    __atomic_store_n(&preload_.slots[i], observed ? observer_.entry : top_[i], __ATOMIC_RELEASE);
  }
}

/// Puts the layer's wrappers over what top_ held.
void Stack::cover(const Layer& layer) {
  for (std::size_t i = 0; i < top_.size(); ++i)
    if (void* entry = layer.entry(static_cast<FunctionIndex>(i))) top_[i] = entry;
}

/// Each store is one pointer, so a call finds either the old or the new way down.
void Stack::link_anew() {
  top_ = mpi_.native();
  for (Layer& layer : layers_) {
    layer.link(mpi_.functions(), top_);
    cover(layer);
  }
  fill_slots();
}

bool Stack::has_layer(LayerId id) const {
  const std::lock_guard lock(switching_);
  return std::ranges::find(layers_, id, &Layer::id) != layers_.end();
}

bool Stack::is_switched_on(LayerId id) const {
  const std::lock_guard lock(switching_);
  const auto found = std::ranges::find(layers_, id, &Layer::id);
  return found != layers_.end() && !found->is_off(Off::by_switch);
}

const Layer* Stack::layer_of(const void* address) const {
  const auto found = std::ranges::find_if(layers_, [&](const Layer& layer) { return layer.contains(address); });
  return found == layers_.end() ? nullptr : &*found;
}

void Stack::link_to_layer(LoadedObject& object, const Layer& layer) const {
  const std::lock_guard lock(switching_);
  layer.redirect(object, mpi_.functions(), [&](FunctionIndex function) { return find_below(&layer, function); });
}

void* Stack::below(const Layer* layer, FunctionIndex function) const {
  const std::lock_guard lock(switching_);
  return find_below(layer, function);
}

void* Stack::find_below(const Layer* layer, FunctionIndex function) const {
  if (layer == nullptr) return top_[function];
  bool under = false;
  for (auto place = layers_.rbegin(); place != layers_.rend(); ++place) {
    if (under)
      if (void* entry = place->entry(function)) return entry;
    under = under || &*place == layer;
  }
  return mpi_.native(function);
}

}  // namespace cairn
