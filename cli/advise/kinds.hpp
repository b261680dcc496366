// SPDX-License-Identifier: BSD-3-Clause
// kinds.hpp - the kinds of findings, for programs that read them: their only list
#pragma once

#include <array>
#include <string_view>

namespace cairn::advise {

struct FindingKind {
  std::string_view name;
  std::string_view meaning;
};

/// A finding that names none is of the last kind.
inline constexpr std::array finding_kinds = std::to_array<FindingKind>({
    {"late_sender", "a receive waits because its message is sent late"},
    {"late_receiver", "a send waits because its message is received late"},
    {"late_rank", "a collective call waits for one rank, which does what the others do not, or less than 30 % of it"},
    {"uneven_work", "ranks do the same work, the others at least 30 % of what some have"},
    {"serial_chain", "ranks work one after the other, as each needs what the one before has made"},
    {"needless_barrier", "a barrier that makes ranks wait though nothing after it needs that"},
    {"no_overlap", "a non-blocking transfer that is waited for with no work in between"},
    {"blocking_messages", "many blocking sends and receives, one after the other"},
    {"small_messages", "many small messages where few large ones would do"},
    {"small_collectives", "many collective calls with little data"},
    {"hand_made_collective", "messages from rank to rank that amount to a collective call"},
    {"one_sided_sync", "synchronization of one-sided communication"},
    {"communicator_creation", "communicators made and freed again and again"},
    {"file_access", "reading and writing files, in many small pieces above all"},
    {"unexpected_messages",
     "messages that arrive before there is a receive for them, and are searched for among others"},
    {"packing", "data copied into contiguous memory and back"},
    {"polling", "asking again and again whether something has arrived"},
    {"placement", "ranks that exchange much are on different nodes"},
    {"too_many_ranks", "more ranks on a node than processors"},
    {"collective_algorithm", "a collective call whose algorithm may be a bad one"},
    {"transport", "messages that go another way than they could"},
    {"other_load", "processors that other programs use"},
    {"other", "anything else"},
});

}  // namespace cairn::advise
