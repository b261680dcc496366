// SPDX-License-Identifier: BSD-3-Clause
// dlsym_answers.hpp - what a tool gets that asks for MPI functions with dlsym: what its imports would hold.
#pragma once

#include <cstdint>

#include "contracts/preload.hpp"
#include "stack/layer_loader.hpp"
#include "stack/stack.hpp"

namespace cairn {

class DlsymAnswers {
 public:
  DlsymAnswers(const Preload& preload, const MpiLibrary& mpi, const Stack& stack, const LayerLoader& loader)
      : preload_(preload), mpi_(mpi), stack_(stack), loader_(loader) {}

  /// What dlsym(handle, name) means when code at `caller` asks (contracts/preload.hpp).
  std::uintptr_t answer(void* handle, const char* name, const void* caller) const;

 private:
  bool is_of_mpi(void* handle, const char* name, FunctionIndex function) const;

  const Preload& preload_;
  const MpiLibrary& mpi_;
  const Stack& stack_;
  const LayerLoader& loader_;
};

}  // namespace cairn
