// SPDX-License-Identifier: BSD-3-Clause
// amounts.hpp - how much a call moves where its record leaves that open: collective calls in which processes may have
// different amounts, or keep theirs in place, and one-sided calls with a result
//
// Only for readers that follow every call (details.hpp). After the call and its end: then the arguments are known to be
// good.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "cairn/kit/call.hpp"
#include "cairn/kit/moves.hpp"
#include "kinds.hpp"
#include "recording.hpp"

namespace recorder {

template <Function F>
constexpr bool returns_old_values() {
  return cairn::is_one_sided<F>() && cairn::has<F>(Role::origin_buffer) && cairn::has<F>(Role::result_buffer);
}
template <Function F>
constexpr bool tells_amounts() {
  return returns_old_values<F>() ||
         (cairn::is_collective<F>() && cairn::describes_sending<F>() && !is_same_for_all<F>());
}

class Amounts {
 public:
  Amounts(const cairn::Datatypes& datatypes, const cairn::Ranks& ranks) : moves_(datatypes, ranks), ranks_(&ranks) {}

  template <Function F>
  [[gnu::noinline, gnu::cold]] void tell(Recording& mine, const Recording::Begun& begun, const cairn::Call<F>& call,
                                         bool with_shares) const {
    if constexpr (returns_old_values<F>())
      tell_moved(mine, begun, moves_.template sent<F>(call.arguments()), moves_.template received<F>(call.arguments()));
    else tell_collective(mine, begun, cairn::transfer_of<F>(call.arguments()), with_shares);
  }

 private:
  static constexpr std::size_t most_shares = 1024;

  static void tell_moved(Recording& mine, const Recording::Begun& begun, std::uint64_t sent, std::uint64_t received) {
    page::Record& told = mine.begin_detail(page::moved, begun);
    told.count = sent;
    told.other = received;
    told.flags = page::has_count;
    mine.end_detail();
  }

  [[gnu::noinline]] void tell_collective(Recording& mine, const Recording::Begun& begun, const cairn::Transfer& call,
                                         bool with_shares) const {
    const cairn::Members* const members = ranks_->members(call.comm);
    if (members == nullptr) return;  // unknown
    tell_moved(mine, begun, moves_.sent(call), moves_.received(call));
    if (!with_shares) return;
    const cairn::Blocks blocks = moves_.outgoing(call, *members);
    const auto peers = static_cast<std::size_t>(members->peers);
    if (call.pattern != cairn::Pattern::among_all || blocks.form != cairn::Blocks::several || peers > most_shares)
      return;
    for (std::size_t i = 0; i < peers; ++i)
      if (const std::uint64_t bytes = moves_.part(blocks, i); bytes != 0)
        tell_share(mine, begun, static_cast<int>(i), bytes);
  }
  static void tell_share(Recording& mine, const Recording::Begun& begun, int peer, std::uint64_t bytes) {
    page::Record& told = mine.begin_detail(page::share, begun);
    told.peer = peer;
    told.count = bytes;
    told.flags = page::has_peer | page::has_count;
    mine.end_detail();
  }

  cairn::Moves moves_;
  const cairn::Ranks* ranks_;
};

}  // namespace recorder
