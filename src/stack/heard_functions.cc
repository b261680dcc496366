// SPDX-License-Identifier: BSD-3-Clause
// heard_functions.cc - finding the objects of the program that call such functions, and what they call.
//
// Nothing is defined under their names: a program finds of these libraries what there is, at link time, by dlsym and by
// weak references. Places that the dynamic loader has bound to a function, or will, lead here instead.

#include "stack/heard_functions.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "loader/loaded_object.hpp"

namespace cairn {

namespace {

using HeardFunctions = std::span<const HeardFunction>;

/// By name; asked for every import of every object.
class Index {
 public:
  explicit Index(HeardFunctions functions) {
    for (const HeardFunction& one : functions)
      if (one.entry != nullptr) sorted_.emplace_back(one.name, &one);
    std::ranges::sort(sorted_);
  }
  const HeardFunction* find(std::string_view name) const {
    const auto place = std::ranges::lower_bound(sorted_, name, {}, &Entry::first);
    return place != sorted_.end() && place->first == name ? place->second : nullptr;
  }

 private:
  using Entry = std::pair<std::string_view, const HeardFunction*>;
  std::vector<Entry> sorted_;
};

/// Asked outside of the loader's lock, for one object of the program.
class Linking {
 public:
  Linking(const Preload& preload, const std::string& path)
      : preload_(preload),
        all_(preload.real_dlopen(nullptr, RTLD_LAZY)),
        handle_(preload.real_dlopen(path.empty() ? nullptr : path.c_str(), RTLD_LAZY | RTLD_NOLOAD)) {}
  Linking(const Linking&) = delete;
  Linking& operator=(const Linking&) = delete;
  ~Linking() {
    for (void* const one : {handle_, all_})
      if (one != nullptr) dlclose(one);
    dlerror();  // what was not found is not the program's affair
  }

  void link(HeardFunctions functions, const Index& index) const {
    if (handle_ == nullptr || all_ == nullptr) return;
    LoadedObject object = LoadedObject::of_handle(handle_);
    object.redirect_bound_imports([&](std::string_view name, void* now, bool is_call) -> void* {
      const HeardFunction* const heard = index.find(name);
      if (heard == nullptr || now == nullptr) return nullptr;
      void* const real = find(heard->name);
      // A pointer that holds another function of the object is one that the program has changed.
      const bool leads_there = now == real || (is_call && object.contains(now));
      return real != nullptr && leads_there && keep(*heard, real) ? heard->entry : nullptr;
    });
    for (const HeardFunction& one : functions)
      if (one.entry == nullptr)
        if (void* const real = find(one.name)) keep(one, real);
  }

 private:
  /// As the dynamic loader would.
  void* find(const char* name) const {
    void* const found = preload_.real_dlsym(all_, name);
    return found != nullptr ? found : preload_.real_dlsym(handle_, name);
  }

  /// There is one of each; another library of that kind is left alone, unless the first has been closed.
  static bool keep(const HeardFunction& heard, void* real) {
    void* known = heard.real->load(std::memory_order_acquire);
    if (known == real) return true;
    if (known != nullptr && object_at(known) != nullptr) return false;
    heard.real->store(real, std::memory_order_release);
    return true;
  }

  const Preload& preload_;
  void* all_;
  void* handle_;
};

}  // namespace

void link_heard_functions(HeardFunctions functions, const Preload& preload, const Stack& stack,
                          const LoadedSnapshot& before) {
  const Index index(functions);
  std::vector<std::string> users;
  before.for_each_newer([&](const LoadedObject& object) {
    if (stack.layer_of(reinterpret_cast<const void*>(object.begin())) != nullptr) return;
    if (object.any_import([&](std::string_view name) { return index.find(name) != nullptr; }))
      users.emplace_back(object.path());
  });
  for (const std::string& path : users) Linking(preload, path).link(functions, index);
}

}  // namespace cairn
