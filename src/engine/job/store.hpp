// SPDX-License-Identifier: BSD-3-Clause
// store.hpp - which ranks have Cairn, by the key-value store that launchers have for MPI libraries
//
// A rank puts a word into it before MPI_Init or the first MPI_Session_init, in which the library lets all ranks' words
// travel, and asks for others' afterwards. So a rank without Cairn takes part without knowing.
#pragma once

#include <memory>

namespace cairn::engine {

class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  /// After the start: whether a rank of the job has put the same word.
  virtual bool has(int rank) = 0;
};

/// How the program starts MPI, which is the word.
enum class Start { world, session };

/// Before the start; null where there is no such store, or where words do not travel in that kind of start. Goes away
/// afterwards. An engine has one of the launchers that speak PMIx (Open MPI's), of those that speak PMI-1 (MPICH's), or
/// both.
std::unique_ptr<Store> put_into_store(Start how);
std::unique_ptr<Store> put_into_pmix_store(Start how);
std::unique_ptr<Store> put_into_pmi_store(Start how);

}  // namespace cairn::engine
