// SPDX-License-Identifier: BSD-3-Clause
// messages.hpp - messages that one process has sent to another, and the other has not received
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "where/page_reader.hpp"

namespace cairn::where {

/// By communicator and tag: those sent, less those received.
struct Unmatched {
  std::map<std::pair<std::uint64_t, int>, long> count;
  std::map<std::pair<std::uint64_t, int>, std::pair<const Process*, const Call*>> last;
  bool is_exact = true;  // the whole history is known, and no receive could have taken any message
};

Unmatched unmatched_between(const Process& from, const Process& to);

/// By exact counts: whether the message that a receive of `to` waits for has been sent.
bool is_sent(const Unmatched& counts, const Process& from, const Process& to, const Call& receive);

/// Whether `to` has called, or is in, the receive that takes the message of a send of `from`.
bool is_asked_for(const Unmatched& counts, const Process& from, const Process& to, const Call& send);

/// As the name of the function has it, also of requests; MPI_Sendrecv and its like do both.
bool sends(const Function& function);
bool receives(const Function& function);

/// Of MPI_Sendrecv and its like: the rank of the communicator that it receives from; negative: any, or nobody.
int exchange_source(const Call& call);
/// The tag of the receiving half of a call.
int receive_tag(const Call& call);

/// Of the communicator of a call; 0: unknown.
std::uint64_t identity_of(const Call& call);

}  // namespace cairn::where
