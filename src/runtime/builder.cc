// SPDX-License-Identifier: BSD-3-Clause
// builder.cc - what it takes to add each kind of layer.

#include "runtime/builder.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>

#include "base/job.hpp"
#include "base/text.hpp"
#include "pnmpi/once.hpp"
#include "runtime/pnmpi_functions.hpp"

namespace cairn {

namespace {

/// A tool that may be switched, by a filter or by itself (tool.h), cannot be called past the stack's links.
bool is_fixed(const Layer& layer, const LayerRequest& request) {
  return request.filters.empty() && layer.exported("cairn_tool_start") == nullptr;
}

}  // namespace

void Builder::add_engine() {
  const std::string path = runtime_.bundled + "/engine-" + std::string(runtime_.mpi.family().id) + ".so";
  if (access(path.c_str(), F_OK) != 0) {
    if (runtime_.switching.needs_rank())
      runtime_.asked.tell(Severity::warning, "layers with filter 'ranks' stay off: this process's rank is unknown",
                          "starting the program with its MPI's launcher");
    return;
  }
  try {
    add_own({"engine",
             {{"cairn", runtime_.bundled + "/" CAIRN_COMMAND_FROM_BUNDLED},
              // Where the site has asked, its variables reach spawned processes too.
              {"tools", runtime_.asked.by_site ? "" : format_tools(runtime_.asked.layers)},
              {"out", runtime_.folder.path()},
              {"strict", runtime_.asked.is_strict() ? "1" : ""}}},
            modules_.examined(path));
  } catch (const std::exception& error) {
    runtime_.asked.tell(
        Severity::warning,
        std::string("spawned processes will run without tools, and tools without variables: ") + error.what());
  }
}

bool Builder::add_tools() {
  bool all = true;
  arguments_are_read_ = has_pnmpi_module();
  number_qmpi_layers();
  provide_under_other_stacks();
  for (const bool is_programs : {false, true})  // the program's stack lies above the others
    for (std::size_t place = runtime_.asked.layers.size(); place-- > 0;)
      if ((runtime_.pnmpi.stack_of(place) == 0) == is_programs) all = add_tool(place) && all;
  return all;
}

/// The tool's file, or null if it cannot be examined, which is reported when its turn comes.
const ToolFile* Builder::file_if_any(const LayerRequest& request) {
  try {
    return &modules_.find(request);
  } catch (const std::exception&) {
    return nullptr;
  }
}

bool Builder::has_pnmpi_module() {
  return std::ranges::any_of(runtime_.asked.layers, [this](const LayerRequest& request) {
    const ToolFile* const file = file_if_any(request);
    return file != nullptr && file->is_pnmpi_module;
  });
}

void Builder::number_qmpi_layers() {
  std::vector<LayerId> layers;
  for (std::size_t place = 0; place < runtime_.asked.layers.size(); ++place) {
    const LayerRequest& request = runtime_.asked.layers[place];
    const bool is_programs = runtime_.qmpi.of_program(request.tool) != nullptr;
    const ToolFile* const file = is_programs ? nullptr : file_if_any(request);
    if (is_programs || (file != nullptr && file->kind == ToolKind::qmpi)) layers.push_back(asked_layer(place));
  }
  runtime_.qmpi.number_layers(layers);
}

/// What the layers of stacks other than the program's need lies under all of them, in the program's stack too. A tool
/// that fails is reported when its turn comes.
void Builder::provide_under_other_stacks() {
  if (!runtime_.pnmpi.has_other_stacks()) return;
  runtime_.added.emplace_back().tool = "once";
  push(Layer(asked_layer(runtime_.asked.layers.size() + runtime_.added.size() - 1), runtime_.mpi.functions()),
       [&](Layer& layer) { runtime_.stack.add_table(layer, once_table()); });
  for (std::size_t place = 0; place < runtime_.asked.layers.size(); ++place) try {
      if (runtime_.pnmpi.stack_of(place) != 0) provide(modules_.find(runtime_.asked.layers[place]).about);
    } catch (const std::exception&) {
    }
}

/// True if the layer is in the stack now.
bool Builder::add_tool(std::size_t place) {
  const LayerRequest& request = runtime_.asked.layers[place];
  try {
    const LayerId id = asked_layer(place);
    runtime_.switching.check(id);
    const QmpiRegistration* const registration = runtime_.qmpi.of_program(request.tool);
    if (registration != nullptr) add_tool_of_program(id, request, *registration);
    else add_module(id, request, instance_number(runtime_.asked.layers, place));
    return true;
  } catch (const Problem& problem) {
    tell_not_loaded(request, problem.what(), problem.remedy);
  } catch (const std::exception& error) {
    tell_not_loaded(request, error.what(), {});
  }
  return false;
}

void Builder::tell_not_loaded(const LayerRequest& request, const char* why, const std::string& remedy) {
  runtime_.asked.tell(Severity::error, "tool '" + request.tool + "' not loaded: " + why, remedy);
}

/// What a layer offers that is refused after all is offered no more.
template <class Start>
void Builder::push(Layer layer, Start start) {
  try {
    runtime_.stack.push(std::move(layer), start);
  } catch (...) {
    runtime_.instances.withdraw_offers_from(runtime_.stack.next_position());
    throw;
  }
}

/// A QMPI tool that is part of the program or of a library that came with it.
void Builder::add_tool_of_program(LayerId id, const LayerRequest& request, const QmpiRegistration& registration) {
  check_options(request, {});
  const auto* const code = reinterpret_cast<const void*>(registration.init);
  const link_map* object = object_at(code);
  if (runtime_.stack.layer_of(code) != nullptr || object == nullptr || *object->l_name == '\0') object = nullptr;
  push(runtime_.loader.adopt(id, object), [&](Layer& layer) {
    runtime_.call_groups.tool_starts();
    runtime_.qmpi.start(layer, request, registration);
    runtime_.call_groups.tool_started();
    runtime_.switching.apply(layer);
    note_outside(layer);
  });
}

/// One that gives its callers communicators of its own must see the calls that ask for their attributes. Most tools see none
/// of these, and none of those that services make.
void Builder::note_outside(const Layer& layer) {
  const FunctionIndex asking = runtime_.mpi.functions().find("MPI_Comm_get_attr");
  if (asking == Functions::none || layer.wrapper(asking) == nullptr) return;
  topmost_outside_ = layer.position();
  added_below_it_ = runtime_.added.size();
}

/// Its place is between the program and the MPI library's Fortran binding, over all layers.
void Builder::check_preloaded(const ToolFile& tool) const {
  void* const handle = runtime_.preload.real_dlopen(tool.path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle != nullptr) {
    dlclose(handle);
    return;
  }
  throw Problem(std::string(file_of(tool.path)) + " wraps MPI for Fortran, so it must be there when the program starts",
                "its path, with a '/', after --tools of 'cairn run', which preloads it");
}

void Builder::add_module(LayerId id, const LayerRequest& request, std::uint32_t instance) {
  const ToolFile& tool = module_of(request);
  if (!arguments_are_read_ || !tool.about.options.empty()) check_options(request, tool.about);
  check_place(request, place_asked(id), tool.about);
  if (tool.kind == ToolKind::fortran) return check_preloaded(tool);
  provide(tool.about);
  runtime_.qmpi.expect_registrations();
  if (tool.is_pnmpi_module) expect_pnmpi_module(runtime_);
  Layer loaded = runtime_.loader.load(id, tool);
  loaded.put_into(runtime_.pnmpi.stack_of(place_asked(id)));
  if (tool.is_pnmpi_module) link_to_pnmpi(runtime_, loaded);
  push(std::move(loaded), [&](Layer& layer) {
    runtime_.call_groups.tool_starts();
    if (tool.kind == ToolKind::qmpi) runtime_.qmpi.start(layer, request, is_fixed(layer, request));
    if (tool.kind == ToolKind::thesis) runtime_.thesis.start(layer, request, is_fixed(layer, request));
    runtime_.instances.start(layer, request, instance);
    runtime_.call_groups.tool_started();
    runtime_.switching.apply(layer, tool.about.obeys_levels);
    if (tool.about.outermost) runtime_.stack.pin(id);
    if (tool.about.abi == 0) note_outside(layer);
  });
}

/// What the program registered is part of what there is.
const ToolFile& Builder::module_of(const LayerRequest& request) {
  try {
    return modules_.find(request);
  } catch (const Problem& problem) {
    const std::string registered = runtime_.qmpi.names_of_program();
    if (registered.empty() || request.tool.find('/') != std::string::npos) throw;
    throw Problem(
        "it is not among the QMPI tools that the program registers (" + registered + "), and " + problem.what(),
        problem.remedy);
  }
}

/// Sees to it that a tool finds the services that it needs, or throws Problem. Services that go by handles know none of
/// those that a tool of others above them has given away.
void Builder::provide(const ToolAbout& about) {
  for (const ToolAbout::Need& need : about.needs) {
    if (!runtime_.instances.is_offered(need.service, need.version, topmost_outside_)) add_service(need);
    runtime_.instances.check_offered(need.service, need.version);
  }
}

/// A bundled module that offers the service, if there is one, is put on top of what is there: right under the tool that
/// asks.
void Builder::add_service(const ToolAbout::Need& need) {
  const ToolFile* const module = modules_.offering(need.service);
  if (module == nullptr) return;
  const bool is_again = module->about.knows_handles;
  if (!is_again && runtime_.instances.is_offered(need.service, need.version, Position::below_all)) return;
  const auto first = runtime_.added.begin() + static_cast<std::ptrdiff_t>(is_again ? added_below_it_ : 0);
  if (std::ranges::find(first, runtime_.added.end(), need.service, &LayerRequest::tool) == runtime_.added.end())
    add_own({need.service, {}}, *module);
}

void Builder::add_own(LayerRequest request, const ToolFile& module) {
  const LayerRequest& added = runtime_.added.emplace_back(std::move(request));
  const LayerId id = asked_layer(runtime_.asked.layers.size() + runtime_.added.size() - 1);
  provide(module.about);
  push(runtime_.loader.load(id, module), [&](Layer& layer) { runtime_.instances.start(layer, added, 1); });
}

}  // namespace cairn
