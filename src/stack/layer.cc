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

/// Each store is one pointer, as with imports.
void Layer::link_table(const Table& table, const std::vector<void*>& below) {
  for (std::size_t i = 0; i < table.indices.size(); ++i)
    __atomic_store_n(&table.functions[i].next, below[table.indices[i]], __ATOMIC_RELEASE);
}

bool Layer::contains(const void* address) const {
  return std::ranges::any_of(objects_, [&](const LoadedObject& object) { return object.contains(address); });
}

void Layer::link(const Functions& functions, const std::vector<void*>& below) {
  for (LoadedObject& object : objects_)
    redirect(object, functions, [&](FunctionIndex function) { return below[function]; });
  for (const Table& table : tables_) link_table(table, below);
}

}  // namespace cairn
