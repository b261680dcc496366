// SPDX-License-Identifier: BSD-3-Clause
// modules.cc - what modules register, and finding it.

#include "pnmpi/modules.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "request/filters.hpp"

namespace cairn {

namespace {

void call(const Layer& layer, const std::string& hook) {
  if (void* const function = layer.exported(hook)) reinterpret_cast<void (*)()>(function)();
}

}  // namespace

PnmpiModules::PnmpiModules(Stack& stack, const std::vector<LayerRequest>& layers) : stack_(stack), layers_(layers) {
  std::vector<std::string> names{""};
  std::string last;
  for (std::size_t place = 0; place < layers.size(); ++place) {
    const Filters filters = parse_filters(layers[place]);
    if (filters.stack.name != last && !filters.stack.name.empty()) add_stack(filters.stack.name);
    last = filters.stack.name;
    const auto known = std::ranges::find(names, last);
    stacks_.push_back(static_cast<unsigned>(known - names.begin()));
    if (known == names.end()) names.push_back(last);
    modules_.push_back({place, last});
    for (const std::string& empty : filters.stack.empty_behind) add_stack(empty);
  }
}

bool PnmpiModules::is_module(PNMPI_modHandle_t handle) const {
  return handle >= 0 && static_cast<std::size_t>(handle) < modules_.size() &&
         !begins_stack(static_cast<std::size_t>(handle));
}

const Layer* PnmpiModules::layer_of(PNMPI_modHandle_t handle) const {
  if (!is_module(handle)) return nullptr;
  const LayerId id = asked_layer(modules_[static_cast<std::size_t>(handle)].place);
  const auto found = std::ranges::find(stack_.layers(), id, &Layer::id);
  return found == stack_.layers().end() ? nullptr : &*found;
}

LayerId PnmpiModules::layer_from(PNMPI_modHandle_t handle) const {
  for (; is_module(handle); ++handle)
    if (const Layer* const layer = layer_of(handle)) return layer->id();
  return LayerId::none;
}

void PnmpiModules::begin() {
  take_names();
  call_hook_of_all("PNMPI_RegistrationPoint");
  call_hook_of_all("PNMPI_Init");
}

void PnmpiModules::end() {
  call_hook_of_all("PNMPI_Fini");
  call_hook_of_all("PNMPI_UnregistrationPoint");
}

void PnmpiModules::take_names() {
  for (std::size_t handle = 0; handle < modules_.size(); ++handle)
    if (const Layer* const layer = layer_of(static_cast<PNMPI_modHandle_t>(handle)))
      if (const auto* const name = static_cast<const char* const*>(layer->exported_variable("PNMPI_ModuleName")))
        modules_[handle].name = *name;
}

void PnmpiModules::call_hook_of_all(const std::string& hook) const {
  for (std::size_t handle = 0; handle < modules_.size(); ++handle)
    if (const Layer* const layer = layer_of(static_cast<PNMPI_modHandle_t>(handle))) call(*layer, hook);
}

void PnmpiModules::call_hook(const std::string& hook, PNMPI_modHandle_t first) const {
  for (; is_module(first); ++first)
    if (const Layer* const layer = layer_of(first); layer != nullptr && layer->exported(hook) != nullptr)
      return call(*layer, hook);
}

bool PnmpiModules::is_called(bool (*is_it)(std::string_view name)) const {
  return std::ranges::any_of(stack_.layers(), [&](const Layer& layer) {
    return std::ranges::any_of(layer.objects(), [&](const LoadedObject& object) { return object.any_import(is_it); });
  });
}

PNMPI_modHandle_t PnmpiModules::handle_of(LayerId id) const {
  const auto found = std::ranges::find(modules_, place_asked(id), &Module::place);
  const bool is_one = id != LayerId::none && found != modules_.end();
  return is_one ? static_cast<PNMPI_modHandle_t>(found - modules_.begin()) : PNMPI_FAILURE;
}

PNMPI_status_t PnmpiModules::name_module(PNMPI_modHandle_t self, std::string_view name) {
  if (!is_module(self)) return PNMPI_NOMODULE;
  const std::lock_guard lock(registering_);
  modules_[static_cast<std::size_t>(self)].name = name;
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::find_module(std::string_view name, PNMPI_modHandle_t* handle) const {
  const std::lock_guard lock(registering_);
  const auto found = std::ranges::find_if(modules_, [&](const Module& module) {
    return module.place != no_place && !module.name.empty() && module.name == name;
  });
  if (found == modules_.end()) return PNMPI_NOMODULE;
  *handle = static_cast<PNMPI_modHandle_t>(found - modules_.begin());
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::find_stack(std::string_view name, PNMPI_modHandle_t* handle) const {
  const auto found = std::ranges::find_if(
      modules_, [&](const Module& module) { return module.place == no_place && module.stack == name; });
  if (found == modules_.end()) return PNMPI_NOSTACK;
  *handle = static_cast<PNMPI_modHandle_t>(found - modules_.begin()) + 1;
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::add_service(PNMPI_modHandle_t self, const PNMPI_Service_descriptor_t& service) {
  if (!is_module(self)) return PNMPI_NOMODULE;
  const std::lock_guard lock(registering_);
  modules_[static_cast<std::size_t>(self)].services.push_front(service);
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::find_service(PNMPI_modHandle_t handle, std::string_view name, std::string_view signature,
                                          PNMPI_Service_descriptor_t* found) const {
  if (!is_module(handle)) return PNMPI_NOMODULE;
  const std::lock_guard lock(registering_);
  PNMPI_status_t status = PNMPI_NOSERVICE;
  for (const PNMPI_Service_descriptor_t& service : modules_[static_cast<std::size_t>(handle)].services) {
    if (text_in(service.name) != name) continue;
    if (text_in(service.sig) == signature) {
      *found = service;
      return PNMPI_SUCCESS;
    }
    status = PNMPI_SIGNATURE;
  }
  return status;
}

PNMPI_status_t PnmpiModules::add_global(PNMPI_modHandle_t self, const PNMPI_Global_descriptor_t& global) {
  if (!is_module(self)) return PNMPI_NOMODULE;
  const std::lock_guard lock(registering_);
  modules_[static_cast<std::size_t>(self)].globals.push_front(global);
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::find_global(PNMPI_modHandle_t handle, std::string_view name, char signature,
                                         PNMPI_Global_descriptor_t* found) const {
  if (!is_module(handle)) return PNMPI_NOMODULE;
  const std::lock_guard lock(registering_);
  PNMPI_status_t status = PNMPI_NOGLOBAL;
  for (const PNMPI_Global_descriptor_t& global : modules_[static_cast<std::size_t>(handle)].globals) {
    if (text_in(global.name) != name) continue;
    if (global.sig == signature) {
      *found = global;
      return PNMPI_SUCCESS;
    }
    status = PNMPI_SIGNATURE;
  }
  return status;
}

PNMPI_status_t PnmpiModules::find_argument(PNMPI_modHandle_t handle, std::string_view name, const char** value) const {
  if (!is_module(handle)) return PNMPI_NOMODULE;
  const auto& options = layers_[modules_[static_cast<std::size_t>(handle)].place].options;
  const auto found = std::ranges::find(options, name, &ToolOption::name);
  if (found == options.end()) return PNMPI_NOARG;
  *value = found->value.c_str();
  return PNMPI_SUCCESS;
}

PNMPI_status_t PnmpiModules::gets_pcontrol(PNMPI_modHandle_t handle, int* flag) const {
  if (!is_module(handle)) return PNMPI_NOMODULE;
  const LayerRequest& request = layers_[modules_[static_cast<std::size_t>(handle)].place];
  const Filters filters = parse_filters(request);
  *flag = filters.hears.otherwise ? filters.hears.each : filters.admits_function("MPI_Pcontrol");
  return PNMPI_SUCCESS;
}

}  // namespace cairn
