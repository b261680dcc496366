// SPDX-License-Identifier: BSD-3-Clause
// persistent.hpp - what persistent and partitioned requests send each time they are started
//
// Such a request has a handle of its own while it lives, so a table by handle is enough, and nothing needs to be done
// when requests complete.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "cairn/kit/handle.hpp"
#include "shared/table.hpp"
#include "traffic.hpp"

namespace comm {

struct Part {
  Key key;
  std::uint64_t bytes;
};
using Parts = std::vector<Part>;

class Persistent {
 public:
  void describe(MPI_Request request, Parts parts) {
    auto* const place = places_.find_or_add(cairn::handle_bits(request));
    if (place != nullptr) delete place->exchange(new Parts(std::move(parts)));
  }
  /// Null for requests that send nothing.
  const Parts* find(MPI_Request request) {
    auto* const place = places_.find(cairn::handle_bits(request));
    return place == nullptr ? nullptr : place->load(std::memory_order_acquire);
  }
  /// Before it is freed: its handle may come back at once.
  void forget(MPI_Request request) {
    if (auto* const place = places_.find(cairn::handle_bits(request))) delete place->exchange(nullptr);
  }

 private:
  services::HandleTable<std::atomic<const Parts*>, 6> places_;
};

}  // namespace comm
