// SPDX-License-Identifier: BSD-3-Clause
// counting.cc - collective calls as messages between processes

#include "counting.hpp"

namespace comm {

namespace {

using cairn::Blocks;
using cairn::Pattern;
using cairn::Transfer;

class Collective {
 public:
  Collective(const Transfer& call, const CollectiveFacts& facts, Sink sink)
      : call_(call), facts_(facts), known_(facts.known), moves_(facts.moves), sink_(sink) {
    const cairn::Members members{known_.own, known_.local_size, known_.between ? known_.peers : 0, known_.peers};
    out_ = moves_.outgoing(call, members);
    in_ = moves_.incoming(call, members);
  }

  void count() {
    switch (call_.pattern) {
      case Pattern::from_root:
        return from_root();
      case Pattern::to_root:
        return to_root();
      case Pattern::among_all:
        return among_all();
      case Pattern::shares:
        return shares();
      case Pattern::to_later:
        return to_later();
      case Pattern::to_neighbors:
        return to_neighbors();
    }
  }

 private:
  void add_call(Kind kind, std::uint64_t bytes) { sink_.add({kind, known_.slot}, bytes); }

  /// A part that is one process's alone.
  void to_one(int rank, std::uint64_t bytes) {
    const int world = known_.worlds[rank];
    sink_.add(to_process(Kind::coll, world), bytes);
    if (facts_.for_model && facts_.what == Operation::direct) sink_.add(to_process(Kind::direct, world), bytes);
  }
  /// Calls between groups are not modelled.
  void operation(std::uint64_t bytes) {
    if (facts_.for_model && !known_.between && !known_.is_merged && known_.slot < most_operation_slots)
      sink_.add(operation_key(known_.slot, facts_.what, bytes), bytes);
  }

  /// The same for everyone, or for those from a rank on.
  void to_everyone(Kind kind, std::uint64_t bytes) {
    operation(bytes);
    if (known_.is_merged) to_each_from(0, bytes);
    else add_call(Kind::to_all, bytes);
    add_call(kind, bytes * known_.others());
  }
  void to_each_from(int first, std::uint64_t bytes) {
    for (int i = first; i < known_.peers; ++i)
      if (!is_self(i)) to_one(i, bytes);
  }

  bool is_self(int rank) const { return !known_.between && rank == known_.own; }

  /// To each its own.
  void to_each(Kind kind) {
    std::uint64_t total = 0;
    for (int i = 0; i < known_.peers; ++i) {
      if (is_self(i)) continue;
      const std::uint64_t part = moves_.part(out_, static_cast<std::size_t>(i));
      to_one(i, part);
      total += part;
    }
    add_call(kind, total);
  }

  void from_root() {
    if (out_.form == Blocks::several) to_each(Kind::one_to_all);
    else if (out_.form != Blocks::nothing) to_everyone(Kind::one_to_all, moves_.part(out_));
  }

  void to_root() {
    if (call_.root == MPI_PROC_NULL) return;
    const bool at_root = known_.between ? call_.root == MPI_ROOT : call_.root == known_.own;
    if (!at_root) return to_one(call_.root, moves_.part(out_));
    const std::uint64_t all = gathered();
    if (facts_.what != Operation::direct && known_.others() > 0) operation(all / known_.others());
    add_call(Kind::all_to_one, all);
  }

  /// What comes to the root from the others.
  std::uint64_t gathered() const {
    if (in_.form != Blocks::several) return known_.others() * moves_.part(in_);
    std::uint64_t total = 0;
    for (int i = 0; i < known_.peers; ++i) total += is_self(i) ? 0 : moves_.part(in_, static_cast<std::size_t>(i));
    return total;
  }

  /// A barrier gives nothing to everyone.
  void among_all() {
    if (out_.form == Blocks::several) to_each(Kind::all_to_all);
    else to_everyone(Kind::all_to_all, moves_.part(out_));
  }

  void to_later() {
    const std::uint64_t bytes = moves_.part(out_);
    operation(bytes);
    if (known_.is_merged) to_each_from(known_.own + 1, bytes);
    else add_call(Kind::to_later, bytes);
    add_call(Kind::all_to_all, bytes * static_cast<std::uint64_t>(known_.peers - 1 - known_.own));
  }

  /// Reductions of which each process gets a share. Between groups a process knows its own group's shares only: it
  /// tells what it gets, and its own vector goes to the other group as a whole.
  void shares() {
    const auto vector = [&](int count) { return moves_.parts(out_, static_cast<std::size_t>(count)); };
    if (known_.between) {
      from_everyone(moves_.part(out_, static_cast<std::size_t>(known_.own)));
      add_call(Kind::all_to_all, vector(known_.local_size));
    } else if (out_.form == Blocks::each) {
      to_everyone(Kind::all_to_all, moves_.part(out_));
    } else {
      if (facts_.for_model) operation(vector(known_.peers) / static_cast<std::uint64_t>(known_.peers));
      to_each(Kind::all_to_all);
    }
  }

  void from_everyone(std::uint64_t bytes) {
    if (!known_.is_merged) return add_call(Kind::from_all, bytes);
    for (int i = 0; i < known_.peers; ++i) sink_.add(to_process(Kind::from, known_.worlds[i]), bytes);
  }

  void to_neighbors() {
    const cairn::Neighbors* const all = facts_.ranks.neighbors(call_.comm);
    if (all == nullptr) throw std::bad_alloc();
    std::uint64_t total = 0;
    for (int i = 0; i < all->out.count; ++i) {
      const int rank = all->out.ranks[i];
      if (rank == MPI_PROC_NULL || rank == known_.own) continue;
      const std::uint64_t bytes = moves_.part(out_, static_cast<std::size_t>(i));
      to_one(rank, bytes);
      total += bytes;
    }
    add_call(Kind::all_to_all, total);
  }

  const Transfer& call_;
  const CollectiveFacts& facts_;
  const Known& known_;
  const cairn::Moves& moves_;
  Sink sink_;
  Blocks out_;
  Blocks in_;
};

}  // namespace

void count_collective(const cairn::Transfer& call, const CollectiveFacts& facts, Sink sink) {
  Collective(call, facts, sink).count();
}

}  // namespace comm
