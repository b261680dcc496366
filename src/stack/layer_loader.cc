// SPDX-License-Identifier: BSD-3-Clause
// layer_loader.cc - opening a layer's module and its private libraries, or copies of them.

#include "stack/layer_loader.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <functional>

#include "base/message.hpp"
#include "base/text.hpp"
#include "loader/guarded_open.hpp"
#include "loader/module_copy.hpp"

namespace cairn {

namespace {

// Lazy, as a preloaded tool would be bound: a tool may mention functions that this MPI lacks, and never call them.
constexpr int open_mode = RTLD_LAZY | RTLD_LOCAL;

/// Two copies of these in one process would not know of each other's exceptions and threads.
bool is_language_runtime(std::string_view file) {
  for (const std::string_view name : {"libstdc++.so", "libgcc_s.so", "libgfortran.so", "libgomp.so", "libquadmath.so"})
    if (file.starts_with(name)) return true;
  return false;
}

}  // namespace

bool LayerLoader::is_loaded(const std::string& path) const {
  void* handle = preload_.real_dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return false;
  dlclose(handle);
  return true;
}

void* LayerLoader::open_object(const std::string& path) const {
  const OpenResult result = guarded_open(preload_.real_dlopen, path, open_mode);
  if (!result.error.empty()) {
    if (result.handle != nullptr) LoadedObject::of_handle(result.handle).drop_finalisers();
    const bool tls = result.error.find("static TLS") != std::string::npos;
    throw Problem(result.error, tls ? "GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536 in the environment" : "");
  }
  return result.handle;
}

void* LayerLoader::open_image(ElfFile image, const std::string& name) const {
  const ModuleCopy copy(image, name);
  return open_object(copy.path());
}

Layer LayerLoader::load(LayerId id, const ToolFile& tool) {
  struct Loading {
    std::optional<LoadedSnapshot>& mark;
    ~Loading() { mark.reset(); }
  } const loading{before_load_};
  before_load_.emplace();
  opened_in_load_.clear();
  const auto helpers = helpers_of(tool.image);
  return helpers.empty() && !is_loaded(tool.path) ? load_from_its_place(id, tool) : load_copy(id, tool, helpers);
}

Layer LayerLoader::adopt(LayerId id, const link_map* object) const {
  Layer layer(id, mpi_.functions());
  if (object != nullptr) layer.adopt(LoadedObject(object));
  return layer;
}

const link_map* LayerLoader::loading_object_at(const void* address) const {
  if (!before_load_) return nullptr;
  const link_map* object = object_at(address);
  return object == nullptr || before_load_->contains(object) ? nullptr : object;
}

Layer LayerLoader::load_from_its_place(LayerId id, const ToolFile& tool) {
  void* const handle = open_object(tool.path);
  const LoadedObject module = LoadedObject::of_handle(handle);
  note_opened(handle);
  Layer layer(id, mpi_.functions());
  layer.add_object(module, mpi_.functions());
  before_load_->for_each_newer([&](const LoadedObject& object) {
    const bool own = std::ranges::find(opened_in_load_, object.base()) != opened_in_load_.end();
    if (own && object.base() != module.base() && is_private_helper(object, module))
      layer.add_object(object, mpi_.functions());
  });
  return layer;
}

void LayerLoader::note_opened(void* handle) {
  if (before_load_)
    before_load_->for_each_newer_of(handle,
                                    [&](const LoadedObject& object) { opened_in_load_.push_back(object.base()); });
}

/// A library that came with a tool and is the tool's own: it calls MPI, or lies beside the tool outside system folders.
bool LayerLoader::is_private_helper(const LoadedObject& object, const LoadedObject& module) const {
  if (mpi_.family().is_part(object.file_name()) || is_language_runtime(object.file_name())) return false;
  if (mpi_.is_called_by(object)) return true;
  const std::string folder = folder_of(object.path());
  if (std::ranges::find(system_library_folders(), folder) != system_library_folders().end()) return false;
  if (folder == folder_of(module.path())) return true;
  const auto folders = own_library_folders(module.rpath(), module.runpath(), std::string(module.path()));
  return std::ranges::find(folders, folder) != folders.end();
}

/// The libraries that an image needs and that already belong to a layer; what others need comes first.
std::vector<LayerLoader::Helper> LayerLoader::helpers_of(const ElfFile& image) const {
  std::vector<Helper> helpers;
  const std::function<void(const ElfFile&)> visit = [&](const ElfFile& user) {
    for (const std::string_view name : user.needed())
      for (const Layer& layer : stack_.layers())
        for (const LoadedObject& object : layer.objects()) {
          if (object.soname() != name) continue;
          if (std::ranges::any_of(helpers, [&](const Helper& known) { return known.name == name; })) continue;
          const Helper helper{std::string(object.path()), std::string(name)};
          visit(read_module(helper.path));
          helpers.push_back(helper);
        }
  };
  visit(image);
  return helpers;
}

/// A copy has no folder of its own to search, so what the module would find there is opened before.
void LayerLoader::open_dependencies(const ToolFile& tool, const std::vector<Helper>& helpers) const {
  const auto folders = own_library_folders(tool.image.rpath(), tool.image.runpath(), tool.path);
  for (const std::string_view name : tool.image.needed()) {
    if (std::ranges::any_of(helpers, [&](const Helper& helper) { return helper.name == name; })) continue;
    for (const std::string& folder : folders)
      if (preload_.real_dlopen((folder + "/" + std::string(name)).c_str(), open_mode) != nullptr) break;
  }
}

/// Whether the program has brought the file itself: linked with it, preloaded, or opened.
bool LayerLoader::is_of_program(const std::string& path) const {
  void* const handle = preload_.real_dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
  if (handle == nullptr) return false;
  const std::uintptr_t base = LoadedObject::of_handle(handle).base();
  dlclose(handle);
  return std::ranges::none_of(stack_.layers(), [&](const Layer& layer) {
    return std::ranges::find(layer.objects(), base, &LoadedObject::base) != layer.objects().end();
  });
}

/// With everything its own that would be shared; `names`: of its libraries, old and new.
ElfFile LayerLoader::private_image(const std::string& path, const NewNames& names) const {
  ElfFile image = read_module(path);
  image.make_unique_symbols_ordinary();
  for (const auto& [from, to] : names) image.rename_library(from, to);
  if (is_of_program(path) && !image.prefer_own_symbols())
    throw Problem("the program has loaded it too, and a private copy would share the program's state",
                  "leaving it out of LD_PRELOAD and of what the program is linked with");
  return image;
}

Layer LayerLoader::load_copy(LayerId id, const ToolFile& tool, const std::vector<Helper>& helpers) {
  open_dependencies(tool, helpers);
  NewNames new_names;
  const auto open_copy = [&](const std::string& path, const std::string& name) {
    return LoadedObject::of_handle(open_image(private_image(path, new_names), name));
  };
  std::vector<LoadedObject> libraries;
  for (const Helper& helper : helpers) {
    new_names.emplace_back(helper.name, unique_library_name(helper.name.size()));
    libraries.push_back(open_copy(helper.path, helper.name));
  }
  Layer layer(id, mpi_.functions());
  layer.add_object(open_copy(tool.path, std::string(file_of(tool.path))), mpi_.functions());
  for (const LoadedObject& library : libraries) layer.add_object(library, mpi_.functions());
  return layer;
}

/// The gate asks the MPI library itself about communicators, so nothing of it needs linking.
void LayerLoader::add_gate(Layer& layer, const std::string& path, const std::vector<const char*>& comms) {
  const Layer module = load(layer.id(), {path, read_module(path), {}});
  auto* const opener = reinterpret_cast<cairn_gate_opener*>(module.exported("cairn_gate_open"));
  if (opener == nullptr) throw Problem("'" + path + "' is not Cairn's", "installing Cairn again");
  const cairn_gate gate = opener(comms.data(), comms.size());
  stack_.set_gate(layer, module.objects().front(), {gate.functions, gate.count});
}

}  // namespace cairn
