// SPDX-License-Identifier: BSD-3-Clause
// store.hpp - which ranks have Cairn, by the key-value store that launchers have for MPI libraries
//
// A rank puts a word into it before MPI_Init, in which the library lets all ranks' words travel, and asks for others'
// afterwards. So a rank without Cairn takes part without knowing.
#pragma once

#include <memory>

namespace cairn::engine {

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// After MPI_Init: whether a rank of the job has put its word.
  virtual bool has(int rank) = 0;
};

/// Before MPI_Init; null where there is no such store: all ranks are taken to have Cairn. Goes away after MPI_Init.
std::unique_ptr<Store> put_into_store();

}  // namespace cairn::engine
