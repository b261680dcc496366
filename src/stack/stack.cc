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
  std::vector<void*> entries = *program_way_;
  for (const Observer& observer : observers_) {
    void*& entry = entries[observer.function];
    if (entry == nullptr) continue;
    __atomic_store_n(observer.next, entry, __ATOMIC_RELEASE);
    entry = observer.entry;
  }
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries[i] != nullptr) __atomic_store_n(&preload_.slots[i], entries[i], __ATOMIC_RELEASE);
}

const std::vector<void*>& Stack::under(unsigned stack) const {
  const auto found = other_tops_.find(stack);
  return found == other_tops_.end() ? top_ : found->second;
}

/// Puts the layer's wrappers over what the top of its stack held.
void Stack::cover(const Layer& layer) {
  std::vector<void*>& top = layer.stack() == 0 ? top_ : other_tops_.try_emplace(layer.stack(), top_).first->second;
  for (std::size_t i = 0; i < top.size(); ++i)
    if (void* entry = layer.entry(static_cast<FunctionIndex>(i))) top[i] = entry;
}

/// Each store is one pointer, so a call finds either the old or the new way down.
void Stack::link_anew() {
  top_ = mpi_.native();
  other_tops_.clear();
  for (Layer& layer : layers_) {
    layer.link(mpi_.functions(), under(layer.stack()));
    cover(layer);
  }
  if (!doors_.empty()) link_doors();
  fill_slots();
}

void Stack::open_doors(std::size_t layers) {
  doors_.assign(layers + 1, mpi_.native());
  link_doors();
}

/// The layers that Cairn adds lie under all others as far as they are there from the start.
void Stack::link_doors() {
  const auto link = [](std::vector<void*>& door, auto entry_of) {
    for (std::size_t i = 0; i < door.size(); ++i)
      __atomic_store_n(&door[i], entry_of(static_cast<FunctionIndex>(i)), __ATOMIC_RELEASE);
  };
  const Layer* lowest = nullptr;
  for (const Layer& layer : layers_) {
    const std::size_t place = place_asked(layer.id());
    if (place + 1 >= doors_.size()) continue;
    if (lowest == nullptr) lowest = &layer;
    link(doors_[place], [&](FunctionIndex function) {
      void* const entry = layer.entry(function);
      return entry != nullptr ? entry : find_below(&layer, function);
    });
  }
  if (lowest != nullptr) link(doors_.back(), [&](FunctionIndex function) { return find_below(lowest, function); });
}

void Stack::lead_to(const std::vector<void*>* way) {
  const std::lock_guard lock(switching_);
  program_way_ = way;
  fill_slots();
}

void Stack::lead_program_to(LayerId id) { lead_to(&doors_[std::min(place_asked(id), doors_.size() - 1)]); }

void Stack::lead_program_to_top() { lead_to(&top_); }

bool Stack::has_layer(LayerId id) const {
  const std::lock_guard lock(switching_);
  return std::ranges::find(layers_, id, &Layer::id) != layers_.end();
}

bool Stack::is_switched_on(LayerId id) const {
  const std::lock_guard lock(switching_);
  const auto found = std::ranges::find(layers_, id, &Layer::id);
  return found != layers_.end() && !found->is_off(Off::by_switch);
}

bool Stack::are_filters_on(LayerId id) const {
  const std::lock_guard lock(switching_);
  const auto found = std::ranges::find(layers_, id, &Layer::id);
  return found != layers_.end() && found->filters_on();
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
    if (under && (place->stack() == 0 || place->stack() == layer->stack()))
      if (void* entry = place->entry(function)) return entry;
    under = under || &*place == layer;
  }
  return mpi_.native(function);
}

}  // namespace cairn
