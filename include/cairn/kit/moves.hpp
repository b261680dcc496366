// SPDX-License-Identifier: BSD-3-Clause
// moves.hpp - how much a call sends and receives, by the roles of its arguments (the rules are in cairn/roles.hpp)
//
//   using Needs = cairn::ServiceList<cairn::Datatypes, cairn::Ranks>;
//   explicit Tool(cairn::Self self) : moves_(self.need<cairn::Datatypes>(), self.need<cairn::Ranks>()) {}
//   … if constexpr (cairn::counts_sent<F>()) bytes += moves_.sent<F>(call.arguments());   // if proceed() succeeded
//
// Sent bytes are those that the calling process passes to MPI. In a collective, its contribution counts once per
// receiving process if each gets a different part, and once if all get the same; a broadcast counts at its root.
// Nothing is counted for MPI_PROC_NULL and for files. Persistent and partitioned transfers count when they are started;
// for the calls that create them `sent` returns what each start sends. Received bytes are those that arrive in the
// process's memory: for a message what its status contains (status_bytes.hpp), for a collective what its arguments
// describe, including the process's own part.
//
// For the individual parts and their partners, make a Transfer (transfer_of<F>) and ask for its outgoing and
// incoming Blocks. Only arguments that are significant to MPI are read; the call must have succeeded.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cairn/functions.hpp"
#include "cairn/services/datatypes.hpp"
#include "cairn/services/ranks.hpp"

namespace cairn {

// ---------------------------------------------------------- what a function does

template <Function F>
constexpr bool is_neighborhood() {
  using enum Category;
  constexpr Category category = facts(F).category;
  return category == neighborhood || category == neighborhood_nonblocking || category == neighborhood_persistent;
}

/// An agreement on failures (with a flag) carries no data of the program.
template <Function F>
constexpr bool is_collective() {
  using enum Category;
  constexpr Category category = facts(F).category;
  return is_neighborhood<F>() ||
         ((category == collective || category == collective_nonblocking || category == collective_persistent) &&
          !has<F>(Role::flag));
}

/// Sends a message, or creates a request that does; neither a probe nor a pure receive.
template <Function F>
constexpr bool sends_message() {
  using enum Category;
  constexpr Category category = facts(F).category;
  return has<F>(Role::dest) && (category == point_to_point || category == point_to_point_nonblocking ||
                                category == point_to_point_persistent);
}

template <Function F>
constexpr bool is_one_sided() {
  return facts(F).category == Category::one_sided && has<F>(Role::target_rank);
}

/// Whether the arguments describe data to send, now or whenever the request is started.
template <Function F>
constexpr bool describes_sending() {
  return has<F>(Role::send_buffer) || has<F>(Role::buffer) || has<F>(Role::origin_buffer);
}

/// Whether the call itself sends data that is counted.
template <Function F>
constexpr bool counts_sent() {
  return moves_data(facts(F).category) && describes_sending<F>();
}

/// Whether the call itself, not a later completion, can receive data that is counted.
template <Function F>
constexpr bool counts_received() {
  if (!moves_data(facts(F).category)) return false;
  if (has<F>(Role::file) || has<F>(Role::message_inout)) return has<F>(Role::status) && !has<F>(Role::file);
  if (has<F>(Role::source)) return has<F>(Role::status);
  return has<F>(Role::recv_buffer) || has<F>(Role::root) || has<F>(Role::result_buffer);
}

/// Whether the call has a status that tells how much it has received.
template <Function F>
constexpr bool received_by_status() {
  return counts_received<F>() && has<F>(Role::status);
}

/// Direction of the data in a collective call.
enum class Pattern : std::uint8_t {
  from_root,
  to_root,
  among_all,
  shares,        // reductions whose result is scattered
  to_later,      // prefix reductions: to processes with higher ranks
  to_neighbors,  // of a topology
};

template <Function F>
constexpr Pattern pattern_of() {
  if (is_neighborhood<F>()) return Pattern::to_neighbors;
  if (has<F>(Role::root)) {
    const bool by_root = has<F>(Role::buffer) || has<F>(Role::send_count_each) || has<F>(Role::send_counts);
    return by_root ? Pattern::from_root : Pattern::to_root;
  }
  if (has<F>(Role::share_count) || has<F>(Role::share_counts)) return Pattern::shares;
  constexpr std::string_view name = facts(F).name;  // prefix reductions have the parameters of MPI_Allreduce
  const bool is_scan = name.find("scan") != name.npos || name.find("Scan") != name.npos;
  return is_scan ? Pattern::to_later : Pattern::among_all;
}

/// A prefix reduction that excludes the process's own part (MPI_Exscan): rank 0 receives nothing.
template <Function F>
constexpr bool is_exclusive() {
  return pattern_of<F>() == Pattern::to_later &&
         std::string_view(facts(F).name).find("xscan") != std::string_view::npos;
}

// ---------------------------------------------------------- a collective call as data

/// The counts and datatypes of one side.
struct Blocks {
  enum Form : std::uint8_t {
    nothing,
    whole,    // one block, the same for all receivers
    each,     // one per process, all of the same size
    several,  // one per process, each with its own count
  };
  Form form = nothing;
  bool large = false;  // counts are MPI_Count
  const void* buffer = nullptr;
  std::int64_t count = 0;        // of whole and each
  const void* counts = nullptr;  // of several
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const MPI_Datatype* types = nullptr;  // of several with one datatype each

  std::int64_t count_of(std::size_t i) const {
    if (form != several) return count;
    return large ? static_cast<std::int64_t>(static_cast<const MPI_Count*>(counts)[i])
                 : static_cast<const int*>(counts)[i];
  }
};

/// A call of any collective function.
struct Transfer {
  Pattern pattern = Pattern::among_all;
  bool reduces_or_copies = false;  // the same count and datatype for both sides
  bool exclusive = false;          // is_exclusive
  int root = MPI_PROC_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  Blocks sent;
  Blocks received;
};

/// The roles of one side.
struct Side {
  Role buffer, whole, each, several, datatype, datatypes;
};
inline constexpr Side send_side{Role::send_buffer, Role::send_count,    Role::send_count_each,
                                Role::send_counts, Role::send_datatype, Role::send_datatypes};
inline constexpr Side recv_side{Role::recv_buffer, Role::recv_count,    Role::recv_count_each,
                                Role::recv_counts, Role::recv_datatype, Role::recv_datatypes};

/// `form`: whole or each.
inline void set_count(Blocks& blocks, Blocks::Form form, std::int64_t count) {
  blocks.form = form;
  blocks.count = count;
}

template <class Count>
void set_counts(Blocks& blocks, const Count* counts) {
  blocks.form = Blocks::several;
  blocks.counts = counts;
  blocks.large = sizeof(Count) != sizeof(int);
}

template <Function F, Side S, class Arguments>
void describe_side(Blocks& blocks, const Arguments& arguments) {
  if constexpr (has<F>(S.buffer)) blocks.buffer = argument<F, S.buffer>(arguments);
  if constexpr (has<F>(S.datatypes)) blocks.types = argument<F, S.datatypes>(arguments);
  if constexpr (has<F>(S.datatype)) blocks.type = argument<F, S.datatype>(arguments);
  if constexpr (has<F>(S.several)) set_counts(blocks, argument<F, S.several>(arguments));
  else if constexpr (has<F>(S.each)) set_count(blocks, Blocks::each, argument<F, S.each>(arguments));
  else if constexpr (has<F>(S.whole)) set_count(blocks, Blocks::whole, argument<F, S.whole>(arguments));
}

/// For a function that is_collective: collects its arguments without reading what they point to.
template <Function F, class Arguments>
Transfer transfer_of(const Arguments& arguments) {
  Transfer made;
  made.pattern = pattern_of<F>();
  made.exclusive = is_exclusive<F>();
  made.comm = argument<F, Role::comm>(arguments);
  if constexpr (has<F>(Role::root)) made.root = argument<F, Role::root>(arguments);
  describe_side<F, send_side>(made.sent, arguments);
  describe_side<F, recv_side>(made.received, arguments);
  if constexpr (has<F>(Role::datatype)) {
    made.reduces_or_copies = true;
    made.sent.type = argument<F, Role::datatype>(arguments);
    if constexpr (has<F>(Role::share_counts)) set_counts(made.sent, argument<F, Role::share_counts>(arguments));
    else if constexpr (has<F>(Role::share_count))
      set_count(made.sent, Blocks::each, argument<F, Role::share_count>(arguments));
    else set_count(made.sent, Blocks::whole, argument<F, Role::count>(arguments));
    made.received = made.sent;
  }
  return made;
}

// ---------------------------------------------------------- how much it is

class Moves {
 public:
  Moves(const Datatypes& datatypes, const Ranks& ranks) : datatypes_(&datatypes), ranks_(&ranks) {}

  template <class Count>
  std::uint64_t bytes(Count count, MPI_Datatype type) const {
    return static_cast<std::uint64_t>(count) * datatypes_->size(type);
  }

  /// For functions that satisfy counts_sent, or describes_sending for later.
  template <Function F, class Arguments>
  std::uint64_t sent(const Arguments& arguments) const {
    if constexpr (is_one_sided<F>()) return sends_to_target<F>(arguments) ? to_target<F>(arguments) : 0;
    else if constexpr (sends_message<F>()) return of_message<F>(arguments);
    else if constexpr (is_the_same_everywhere<F>()) return of_either_side<F>(arguments);
    else if constexpr (is_collective<F>()) return sent(transfer_of<F>(arguments));
    else return 0;
  }

  /// For functions that satisfy counts_received and have no status.
  template <Function F, class Arguments>
  std::uint64_t received(const Arguments& arguments) const {
    if constexpr (is_one_sided<F>()) return from_target<F>(arguments);
    else if constexpr (is_the_same_everywhere<F>() && !is_exclusive<F>()) return of_either_side<F>(arguments);
    else if constexpr (is_collective<F>()) return received(transfer_of<F>(arguments));
    else return 0;
  }

  /// Bytes of the one message that the call sends; 0 to MPI_PROC_NULL.
  template <Function F, class Arguments>
  std::uint64_t of_message(const Arguments& arguments) const {
    if (argument<F, Role::dest>(arguments) == MPI_PROC_NULL) return 0;
    if constexpr (has<F>(Role::buffer)) return of_either_side<F>(arguments);
    else if constexpr (has<F>(Role::send_partition_count))
      return static_cast<std::uint64_t>(argument<F, Role::partitions>(arguments)) *
             bytes(argument<F, Role::send_partition_count>(arguments), argument<F, Role::send_datatype>(arguments));
    else return bytes(argument<F, Role::send_count>(arguments), argument<F, Role::send_datatype>(arguments));
  }

  // One-sided calls. With MPI_NO_OP nothing is sent to the target.
  template <Function F, class Arguments>
  static bool sends_to_target(const Arguments& arguments) {
    if constexpr (!has<F>(Role::origin_buffer)) return false;
    if constexpr (has<F>(Role::op))
      if (argument<F, Role::op>(arguments) == MPI_NO_OP) return false;
    return argument<F, Role::target_rank>(arguments) != MPI_PROC_NULL;
  }
  template <Function F, class Arguments>
  std::uint64_t to_target(const Arguments& arguments) const {
    if constexpr (has<F>(Role::origin_count))
      return bytes(argument<F, Role::origin_count>(arguments), argument<F, Role::origin_datatype>(arguments));
    else if constexpr (!has<F>(Role::origin_buffer)) return 0;
    else return datatypes_->size(argument<F, Role::element_datatype>(arguments));
  }
  template <Function F, class Arguments>
  std::uint64_t from_target(const Arguments& arguments) const {
    if (argument<F, Role::target_rank>(arguments) == MPI_PROC_NULL) return 0;
    if constexpr (has<F>(Role::result_count))
      return bytes(argument<F, Role::result_count>(arguments), argument<F, Role::result_datatype>(arguments));
    else return datatypes_->size(argument<F, Role::element_datatype>(arguments));
  }

  // -------------------------------------------------------- collective calls

  /// What this process sends, MPI_IN_PLACE resolved: a part for each partner (several, each), or the same for all.
  Blocks outgoing(const Transfer& call, const Members& members) const {
    if (call.root == MPI_PROC_NULL && has_root(call)) return {};
    if (call.pattern == Pattern::from_root && !is_root(call, members)) return {};
    if (call.pattern == Pattern::to_root && call.root == MPI_ROOT) return {};
    if (call.reduces_or_copies || !is_in_place(call.sent.buffer)) return call.sent;
    return call.sent.form == Blocks::whole ? own_part(call.received, members) : call.received;
  }

  /// What it receives: a part from each partner, or one.
  Blocks incoming(const Transfer& call, const Members& members) const {
    if (call.root == MPI_PROC_NULL && has_root(call)) return {};
    if (call.pattern == Pattern::to_root && !is_root(call, members)) return {};
    if (call.pattern == Pattern::from_root &&
        (call.root == MPI_ROOT || (call.reduces_or_copies && is_root(call, members))))
      return {};
    if (call.exclusive && members.rank == 0) return {};
    if (call.reduces_or_copies || !is_in_place(call.received.buffer)) return call.received;
    return own_part(call.sent, members);  // at the root of a scatter
  }

  /// Bytes of the i-th part.
  std::uint64_t part(const Blocks& blocks, std::size_t i) const {
    return bytes(blocks.count_of(i), blocks.types != nullptr ? blocks.types[i] : blocks.type);
  }
  /// For whole and each: one part.
  std::uint64_t part(const Blocks& blocks) const {
    return blocks.form == Blocks::nothing ? 0 : bytes(blocks.count, blocks.type);
  }
  /// The given number of first parts.
  std::uint64_t parts(const Blocks& blocks, std::size_t entries) const {
    if (blocks.form == Blocks::each) return entries * part(blocks);
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < entries; ++i) total += part(blocks, i);
    return total;
  }

  [[gnu::noinline]] std::uint64_t sent(const Transfer& call) const {
    const Members* const members = ranks_->members(call.comm);
    if (members == nullptr) return 0;
    const Blocks blocks = outgoing(call, *members);
    if (blocks.form <= Blocks::whole) return part(blocks);
    if (call.pattern == Pattern::to_neighbors) return for_neighbors(blocks, call.comm, &Neighbors::out);
    // Between groups a process gives shares to its own.
    return parts(blocks, static_cast<std::size_t>(call.pattern == Pattern::shares ? members->size : members->peers));
  }

  [[gnu::noinline]] std::uint64_t received(const Transfer& call) const {
    const Members* const members = ranks_->members(call.comm);
    if (members == nullptr) return 0;
    const Blocks blocks = incoming(call, *members);
    if (blocks.form <= Blocks::whole) return part(blocks);
    if (call.pattern == Pattern::shares) return part(blocks, static_cast<std::size_t>(members->rank));
    if (call.pattern == Pattern::to_neighbors) return for_neighbors(blocks, call.comm, &Neighbors::in);
    return parts(blocks, static_cast<std::size_t>(members->peers));
  }

 private:
  /// Reductions and prefix reductions for all: what a process sends and receives depends on count and datatype only.
  template <Function F>
  static constexpr bool is_the_same_everywhere() {
    constexpr bool unrooted = pattern_of<F>() == Pattern::among_all || pattern_of<F>() == Pattern::to_later;
    return is_collective<F>() && unrooted && has<F>(Role::count);
  }
  template <Function F, class Arguments>
  std::uint64_t of_either_side(const Arguments& arguments) const {
    return bytes(argument<F, Role::count>(arguments), argument<F, Role::datatype>(arguments));
  }

  /// The process's own part.
  static Blocks own_part(Blocks parts, const Members& members) {
    parts.count = parts.count_of(static_cast<std::size_t>(members.rank));
    parts.form = Blocks::whole;
    return parts;
  }

  static bool has_root(const Transfer& call) {
    return call.pattern == Pattern::from_root || call.pattern == Pattern::to_root;
  }
  static bool is_in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }
  /// On an inter-communicator the root passes MPI_ROOT, and a rank is one of the remote group.
  static bool is_root(const Transfer& call, const Members& members) {
    return call.root == MPI_ROOT || (members.remote_size == 0 && call.root == members.rank);
  }

  /// At the edge of a grid, neighbors are MPI_PROC_NULL.
  std::uint64_t for_neighbors(const Blocks& blocks, MPI_Comm comm, NeighborList Neighbors::*side) const {
    const Neighbors* const known = ranks_->neighbors(comm);
    if (known == nullptr) return 0;
    const NeighborList& list = known->*side;
    std::uint64_t total = 0;
    for (int i = 0; i < list.count; ++i)
      if (list.ranks[i] != MPI_PROC_NULL) total += part(blocks, static_cast<std::size_t>(i));
    return total;
  }

  const Datatypes* datatypes_;
  const Ranks* ranks_;
};

}  // namespace cairn
