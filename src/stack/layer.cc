// SPDX-License-Identifier: BSD-3-Clause
// layer.cc - which wrappers a layer has, and where its calls of MPI lead.

#include "stack/layer.hpp"

#include <algorithm>

namespace cairn {

void Layer::add_object(const LoadedObject& object, const Functions& functions) {
  object.for_each_function([&](std::string_view name, void* entry, std::size_t) {
    const FunctionIndex function = functions.find(name);
    if (function != Functions::none && wrappers_[function] == nullptr) wrappers_[function] = entry;
  });
  objects_.push_back(object);
}

void* Layer::exported(std::string_view name) const {
  void* found = nullptr;
  if (!objects_.empty())
    objects_.front().for_each_function([&](std::string_view other, void* entry, std::size_t) {
      if (other == name) found = entry;
    });
  return found;
}

std::string Layer::add_table(std::span<cairn_tool_function> table, const Functions& functions) {
  Table known{table.data(), {}};
  known.indices.reserve(table.size());
  for (const cairn_tool_function& entry : table) {
    const FunctionIndex function = functions.find(entry.name);
    if (function == Functions::none) return entry.name;
    known.indices.push_back(function);
  }
  for (std::size_t i = 0; i < table.size(); ++i)
    if (table[i].wrapper != nullptr) wrappers_[known.indices[i]] = table[i].wrapper;
  tables_.push_back(std::move(known));
  return {};
}

void Layer::set_off(Off reason, bool off) {
  const auto bit = static_cast<unsigned>(reason);
  off_ = off ? off_ | bit : off_ & ~bit;
}

/// The wrapper, where calls are to reach it.
void* Layer::seen_wrapper(FunctionIndex function) const {
  if (filters_on_ && is_kept_[function]) return nullptr;
  const Sees when = sees_[function];
  return when == Sees::always || (when == Sees::while_on && active()) ? wrappers_[function] : nullptr;
}

void* Layer::entry(FunctionIndex function) const {
  void* const wrapper = seen_wrapper(function);
  const cairn_gate_function* gate = gate_.empty() ? nullptr : gate_[function];
  return gate != nullptr && (wrapper != nullptr || gate->watches != 0) ? gate->entry : wrapper;
}

void Layer::set_gate(const LoadedObject& module, std::span<cairn_gate_function> gate, const Functions& functions) {
  gate_modules_.push_back(module);
  gate_.assign(functions.count(), nullptr);
  for (cairn_gate_function& entry : gate)
    if (const FunctionIndex function = functions.find(entry.name);
        function != Functions::none && sees_[function] != Sees::always)
      gate_[function] = &entry;
}

/// Inside of the gate lies the layer or, where the gate only watches, what is outside too. Of a gate that is out of force
/// the layer lies on both sides.
void Layer::link_gate(const std::vector<void*>& below) {
  for (std::size_t i = 0; i < gate_.size(); ++i) {
    if (gate_[i] == nullptr) continue;
    void* const wrapper = seen_wrapper(static_cast<FunctionIndex>(i));
    void* const inside = wrapper != nullptr ? wrapper : below[i];
    __atomic_store_n(&gate_[i]->outside, filters_on_ ? below[i] : inside, __ATOMIC_RELEASE);
    __atomic_store_n(&gate_[i]->inside, inside, __ATOMIC_RELEASE);
  }
}

/// Each store is one pointer, as with imports.
void Layer::link_table(const Table& table, const std::vector<void*>& below) {
  for (std::size_t i = 0; i < table.indices.size(); ++i)
    __atomic_store_n(&table.functions[i].next, below[table.indices[i]], __ATOMIC_RELEASE);
}

bool Layer::contains(const void* address) const {
  const auto has_it = [&](const LoadedObject& object) { return object.contains(address); };
  return std::ranges::any_of(objects_, has_it) || std::ranges::any_of(gate_modules_, has_it);
}

void Layer::link(const Functions& functions, const std::vector<void*>& below) {
  for (LoadedObject& object : objects_)
    redirect(object, functions, [&](FunctionIndex function) { return below[function]; });
  for (const Table& table : tables_) link_table(table, below);
  link_gate(below);
}

}  // namespace cairn
