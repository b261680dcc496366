// SPDX-License-Identifier: BSD-3-Clause
// library.cc - opening libcairn-pnmpi.so, and telling it whose it is.

#include "pnmpi/library.hpp"

#include <dlfcn.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "loader/module_copy.hpp"
#include "request/tool_file.hpp"

namespace cairn {

namespace {

/// Null, and dlerror says why.
void* open_for(const Preload& preload, const std::string& path, int mode, const cairn_pnmpi_host& host,
               PNMPI_modHandle_t self) {
  void* const handle = preload.real_dlopen(path.c_str(), RTLD_NOW | mode);
  if (handle == nullptr) return nullptr;
  const auto variable = [&](const char* name) { return preload.real_dlsym(handle, name); };
  *static_cast<const cairn_pnmpi_host**>(variable("cairn_pnmpi_services")) = &host;
  *static_cast<PNMPI_modHandle_t*>(variable("cairn_pnmpi_self")) = self;
  return handle;
}

}  // namespace

void open_pnmpi_names(const Preload& preload, const std::string& path, const cairn_pnmpi_host& host) {
  open_for(preload, path, RTLD_GLOBAL, host, -1);
}

void* open_pnmpi_copy(const Preload& preload, const std::string& path, const cairn_pnmpi_host& host,
                      PNMPI_modHandle_t self) {
  ElfFile image = read_module(path, "installing Cairn again");
  const ModuleCopy copy(image, std::string(file_of(path)));
  void* const own = open_for(preload, copy.path(), RTLD_LOCAL, host, self);
  if (own == nullptr) throw Problem(dlerror());
  return own;
}

}  // namespace cairn
