// SPDX-License-Identifier: BSD-3-Clause
// adaptors.cc - opening adaptors and numbering their rows.

#include "qmpi/adaptors.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "loader/module_copy.hpp"
#include "request/tool_file.hpp"

namespace cairn {

const cairn_adaptor& QmpiAdaptors::open() {
  if (access(path_.c_str(), F_OK) != 0)
    throw Problem("Cairn has no adaptor for QMPI tools on this MPI",
                  "building Cairn where this MPI's compiler wrapper is");
  ElfFile image = read_module(path_, "installing Cairn again");
  const ModuleCopy copy(image, std::string(file_of(path_)));
  void* const handle = preload_.real_dlopen(copy.path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Problem(dlerror());
  const auto* adaptor = static_cast<const cairn_adaptor*>(preload_.real_dlsym(handle, "cairn_qmpi_adaptor"));
  if (adaptor == nullptr) throw Problem("'" + path_ + "' is no adaptor for QMPI", "installing Cairn again");
  if (indices_.empty()) number_rows(*adaptor);
  return *adaptor;
}

void QmpiAdaptors::number_rows(const cairn_adaptor& adaptor) {
  rows_.assign(functions_.count(), none);
  for (std::size_t row = 0; row < adaptor.count; ++row) {
    indices_.push_back(functions_.find(adaptor.functions[row].name));
    rows_[indices_.back()] = row;
  }
}

}  // namespace cairn
