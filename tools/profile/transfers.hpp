// SPDX-License-Identifier: BSD-3-Clause
// transfers.hpp - requests from the call that makes them to their completion: what they moved, and how long they were
// under way
//
// A request's figures belong to the call site that made it. A thread that completes what another one began has a site
// of its own for that, which is merged with the other at the end.
#pragma once

#include <mpi.h>

#include "cairn/kit/per_request.hpp"
#include "cairn/kit/per_thread.hpp"
#include "cairn/kit/status_bytes.hpp"
#include "thread.hpp"

namespace profile {

class TransferLog {
 public:
  static constexpr bool wants_status = true;  // it tells what a receive has received

  /// As small as the service follows fastest.
  struct Transfer {
    Site* site;
    std::uint64_t begun;
    std::uint64_t sent;           // bytes at each start of a persistent one
    std::uint64_t received : 63;  // the same, by a collective one
    std::uint64_t receives : 1;   // a message, of which the status tells the bytes
  };

  TransferLog(cairn::Self self, cairn::PerThread<Thread>& threads) : threads_(threads), transfers_(self, *this) {}

  /// After a successful call that has made a request. `persistent`: it is to be started first.
  void made(MPI_Request request, const Transfer& transfer, bool persistent) {
    transfers_.attach(request, transfer, persistent);
  }

 private:
  using Log = cairn::PerRequest<Transfer, TransferLog>;
  friend Log;

  void started(Transfer& transfer) {
    transfer.begun = ticks_now();
    Thread& mine = threads_.mine();
    mine.started_sent += transfer.sent;
    mine.started_received += transfer.received;
  }

  void completed(const Transfer& transfer, const MPI_Status* status) {
    const std::uint64_t now = ticks_now();
    const Thread& owner = *transfer.site->owner;
    if (owner.self != Thread::this_thread()) [[unlikely]]
      return completed_elsewhere(transfer, status, now);
    add(transfer.site->figures, transfer, status, now, owner);
  }
  [[gnu::noinline]] void completed_elsewhere(const Transfer& transfer, const MPI_Status* status, std::uint64_t now) {
    Thread& mine = threads_.mine();
    add(own_site(mine, *transfer.site).figures, transfer, status, now, mine);
  }

  static void add(Figures& figures, const Transfer& transfer, const MPI_Status* status, std::uint64_t now,
                  const Thread& mine) {
    const UnderWay* const call = mine.inside.load(std::memory_order_relaxed);
    const std::uint64_t under_way = now - transfer.begun;
    std::uint64_t waited = 0;
    if (call != nullptr) [[likely]]
      waited = std::min(now - call->begin, under_way);
    figures.transfers.add({1, under_way, waited});
    if (transfer.receives && status != nullptr) cairn::StatusBytes::add_to(figures.received, *status);
  }

  /// Numbers of chains are a thread's own, so of these only the function is kept.
  static Site& own_site(Thread& mine, const Site& made_at) try {
    if (made_at.function == cairn::Function::count) return *mine.lost().site;
    return mine.part().sites.at(made_at.function, made_at.kind == Site::direct ? made_at.place : 0);
  } catch (const std::bad_alloc&) {
    return *mine.lost().site;
  }

  cairn::PerThread<Thread>& threads_;
  Log transfers_;
};

}  // namespace profile
