// SPDX-License-Identifier: BSD-3-Clause
// store.cc - which launchers' stores an engine looks for: those of its MPI, or of the standard ABI, which is in many

#include "job/store.hpp"

#include <mpi.h>

#include <utility>

namespace cairn::engine {

#if defined(OPEN_MPI)

std::unique_ptr<Store> put_into_store(Start how) { return put_into_pmix_store(how); }

#elif defined(MPICH)

std::unique_ptr<Store> put_into_store(Start how) { return put_into_pmi_store(how); }

#else

/// A launcher that speaks both is asked by the one that its MPI library takes: MPICH's by PMI-1, for which it has opened
/// a connection.
std::unique_ptr<Store> put_into_store(Start how) {
  auto store = put_into_pmi_store(how);
  return store ? std::move(store) : put_into_pmix_store(how);
}

#endif

}  // namespace cairn::engine
