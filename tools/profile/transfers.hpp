// SPDX-License-Identifier: BSD-3-Clause
// transfers.hpp - requests from the call that makes them to their completion: what they moved, and how long they were
// under way
//
// A request's figures belong to the call site that made it. A thread that completes what another one began has a site
// of its own for that, which is merged with the other at the end.
#pragma once

#include <mpi.h>

#include <algorithm>

#include "cairn/kit/moves.hpp"
#include "cairn/kit/per_request.hpp"
#include "cairn/kit/per_thread.hpp"
#include "thread.hpp"

namespace profile {

class TransferLog {
 public:
  static constexpr bool wants_status = true;  // it tells what a receive has received

  TransferLog(cairn::Self self, cairn::PerThread<Thread>& threads, const cairn::Moves& moves)
      : threads_(threads), moves_(moves), transfers_(self, *this) {}

  /// After a successful call that has made a request.
  template <cairn::Function F>
  void made(const cairn::Call<F>& call, Thread& mine, Site& site, std::uint64_t now) {
    std::uint64_t bytes = 0;
    if constexpr (cairn::describes_transfer(cairn::Call<F>::category) && cairn::describes_sending<F>())
      bytes = moves_.sent<F>(call.arguments());
    constexpr bool receives = cairn::has<F>(cairn::Role::source) || cairn::has<F>(cairn::Role::message_inout);
    transfers_.attach(call, {&site, &mine, now, bytes & ~std::uint64_t{0} >> 1U, receives ? 1U : 0U});
  }

  /// After a call that completes or starts requests.
  void settle(Thread& mine, Figures& figures, std::uint64_t begin, std::uint64_t now) {
    for (const Completed& one : mine.completed)
      one.figures->transfers.add({1, now - one.begun, now - std::max(begin, one.begun)});
    mine.completed.clear();
    if (mine.started_bytes == 0) return;
    mine.totals.sent += mine.started_bytes;
    figures.add_sent(mine.started_bytes);
    mine.started_bytes = 0;
  }

 private:
  /// As small as the service follows fastest.
  struct Transfer {
    Site* site;
    Thread* owner;
    std::uint64_t begun;
    std::uint64_t bytes : 63;  // sent at each start of a persistent one
    std::uint64_t receives : 1;
  };
  using Log = cairn::PerRequest<Transfer, TransferLog>;
  friend Log;

  void started(Transfer& transfer) {
    transfer.begun = ticks_now();
    threads_.mine().started_bytes += transfer.bytes;
  }

  void completed(Transfer& transfer, const MPI_Status* status) {
    Thread& mine = threads_.mine();
    Figures& figures = transfer.owner == &mine ? transfer.site->figures : own_site(mine, *transfer.site).figures;
    if (transfer.receives && status != nullptr) figures.received += cairn::bytes_of(*status);
    mine.completed.push_back({&figures, transfer.begun});
  }

  /// Numbers of chains are a thread's own, so of these only the function is kept.
  static Site& own_site(Thread& mine, const Site& made_at) {
    return mine.part().sites.at(made_at.function, made_at.kind == Site::direct ? made_at.place : 0);
  }

  cairn::PerThread<Thread>& threads_;
  const cairn::Moves& moves_;
  Log transfers_;
};

}  // namespace profile
