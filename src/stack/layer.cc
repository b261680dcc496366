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

bool Layer::contains(const void* address) const {
  return std::ranges::any_of(objects_, [&](const LoadedObject& object) { return object.contains(address); });
}

void Layer::link(const Functions& functions, const std::vector<void*>& below) {
  for (LoadedObject& object : objects_)
    redirect(object, functions, [&](FunctionIndex function) { return below[function]; });
}

}  // namespace cairn
