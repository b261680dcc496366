// SPDX-License-Identifier: BSD-3-Clause
// counting.hpp - what a call sends to whom, from the roles of its arguments (cairn/roles.hpp)
//
// Collectives are counted as if every part went directly from the process that has it to the process that gets it: a
// root's parts, the parts for a root, and what each gives to each; a process's own part is not counted. `emit(Key,
// bytes)` is called once for each part; a part that is the same for all partners is one call, whatever their number.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string_view>

#include "cairn/functions.hpp"
#include "communicators.hpp"
#include "shared/sizes.hpp"
#include "traffic.hpp"

namespace comm {

using cairn::argument;
using cairn::Category;
using cairn::Function;
using cairn::has;
using cairn::Role;
using shared::size_of_type;

/// Neither probes nor receives: messages are counted where they are sent.
template <Function F>
constexpr bool sends_message() {
  using enum Category;
  const Category category = cairn::facts(F).category;
  return has<F>(Role::dest) && (category == point_to_point || category == point_to_point_nonblocking ||
                                category == point_to_point_persistent);
}

template <Function F>
constexpr bool is_neighborhood() {
  using enum Category;
  const Category category = cairn::facts(F).category;
  return category == neighborhood || category == neighborhood_nonblocking || category == neighborhood_persistent;
}

/// An agreement on failures (it has a flag) is none that carries data of the program.
template <Function F>
constexpr bool is_collective() {
  using enum Category;
  const Category category = cairn::facts(F).category;
  return is_neighborhood<F>() ||
         ((category == collective || category == collective_nonblocking || category == collective_persistent) &&
          !has<F>(Role::flag));
}

template <Function F>
constexpr bool is_one_sided() {
  return cairn::facts(F).category == Category::one_sided && has<F>(Role::target_rank);
}

template <Function F>
constexpr bool accesses_file() {
  return has<F>(Role::file) && (has<F>(Role::read_count) || has<F>(Role::write_count));
}

/// Prefix reductions: data goes to higher ranks only. Their parameters are those of MPI_Allreduce.
template <Function F>
constexpr bool is_scan() {
  const std::string_view name = cairn::facts(F).name;
  return name.find("scan") != name.npos || name.find("Scan") != name.npos;
}

template <class Count>
std::uint64_t times(Count count, MPI_Datatype type) {
  return static_cast<std::uint64_t>(count) * size_of_type(type);
}

template <Function F, Role Count, Role Type, class Arguments>
std::uint64_t bytes_of(const Arguments& arguments) {
  return times(argument<F, Count>(arguments), argument<F, Type>(arguments));
}

/// Of the one message that the call sends.
template <Function F, class Arguments>
std::uint64_t message_bytes(const Arguments& arguments) {
  if constexpr (has<F>(Role::buffer)) return bytes_of<F, Role::count, Role::datatype>(arguments);
  else if constexpr (has<F>(Role::send_partition_count))
    return static_cast<std::uint64_t>(argument<F, Role::partitions>(arguments)) *
           bytes_of<F, Role::send_partition_count, Role::send_datatype>(arguments);
  else return bytes_of<F, Role::send_count, Role::send_datatype>(arguments);
}

inline Key to_process(Kind kind, int world) { return {kind, world < 0 ? outside : world}; }

/// `emit(kind, bytes)`: what goes to the target, and what comes from it.
template <Function F, class Arguments, class Emit>
void count_one_sided(const Arguments& arguments, Emit emit) {
  bool sends = has<F>(Role::origin_buffer);
  if constexpr (has<F>(Role::op)) sends = sends && argument<F, Role::op>(arguments) != MPI_NO_OP;
  if constexpr (has<F>(Role::element_datatype)) {
    const std::uint64_t bytes = size_of_type(argument<F, Role::element_datatype>(arguments));
    if (sends) emit(Kind::put, bytes);
    emit(Kind::fetched, bytes);
  }
  if constexpr (has<F>(Role::origin_count))
    if (sends) emit(Kind::put, bytes_of<F, Role::origin_count, Role::origin_datatype>(arguments));
  if constexpr (has<F>(Role::result_count))
    emit(Kind::fetched, bytes_of<F, Role::result_count, Role::result_datatype>(arguments));
}

template <Function F, class Arguments, class Emit>
void count_file(const Arguments& arguments, Emit emit) {
  if constexpr (has<F>(Role::read_count))
    emit(Key{Kind::read, 0}, bytes_of<F, Role::read_count, Role::read_datatype>(arguments));
  else emit(Key{Kind::written, 0}, bytes_of<F, Role::write_count, Role::write_datatype>(arguments));
}

/// By the roles of the parameters: several counts are a v or w form.
template <Function F>
constexpr Operation operation_of() {
  using enum Operation;
  if (is_neighborhood<F>()) return direct;
  if (has<F>(Role::root)) {
    if (has<F>(Role::buffer)) return bcast;
    if (has<F>(Role::send_counts) || has<F>(Role::recv_counts)) return direct;
    return has<F>(Role::send_count_each) ? scatter : has<F>(Role::datatype) ? reduce : gather;
  }
  if (has<F>(Role::share_count) || has<F>(Role::share_counts)) return reduce_scatter;
  if (is_scan<F>()) return scan;
  if (has<F>(Role::datatype)) return allreduce;
  if (has<F>(Role::send_counts)) return direct;
  return has<F>(Role::send_count_each) ? alltoall : has<F>(Role::send_buffer) ? allgather : barrier;
}

/// One collective call. `for_model`: also what the model needs.
template <Function F, class Arguments, class Emit>
class Collective {
 public:
  Collective(const Arguments& arguments, const Known& known, bool for_model, Emit emit)
      : arguments_(arguments), known_(known), for_model_(for_model), emit_(emit) {}

  void count(Communicators& communicators) {
    if constexpr (is_neighborhood<F>())
      to_neighbors(communicators.out_neighbors(argument<F, Role::comm>(arguments_), const_cast<Known&>(known_)));
    else if constexpr (!has<F>(Role::root)) among_all();
    else if constexpr (has<F>(Role::buffer) || has<F>(Role::send_count_each) || has<F>(Role::send_counts)) from_root();
    else to_root();
  }

 private:
  void call(Kind kind, std::uint64_t bytes) { emit_(Key{kind, known_.slot}, bytes); }

  /// A part that is one process's alone.
  void to_one(int world, std::uint64_t bytes) {
    emit_(to_process(Kind::coll, world), bytes);
    if constexpr (operation_of<F>() == Operation::direct)
      if (for_model_) emit_(to_process(Kind::direct, world), bytes);
  }
  /// Calls between groups are not modelled.
  void operation(std::uint64_t bytes) {
    if (for_model_ && !known_.between && known_.slot < most_operation_slots)
      emit_(operation_key(known_.slot, operation_of<F>(), bytes), bytes);
  }

  /// The same for everyone.
  void to_everyone(Kind call_kind, std::uint64_t bytes) {
    operation(bytes);
    call(Kind::to_all, bytes);
    call(call_kind, bytes * known_.others());
  }

  bool is_self(int rank) const { return !known_.between && rank == known_.own; }

  /// To each its own; `bytes(i)` is the part of the i-th.
  template <class Bytes>
  void to_each(Kind call_kind, Bytes bytes) {
    std::uint64_t total = 0;
    for (int i = 0; i < known_.peers; ++i) {
      if (is_self(i)) continue;
      const std::uint64_t part = bytes(i);
      to_one(known_.worlds[i], part);
      total += part;
    }
    call(call_kind, total);
  }

  /// The i-th of several counts with one datatype or several.
  template <Role Counts, Role Type, Role Types>
  std::uint64_t of_several(int i) const {
    if constexpr (has<F>(Types)) return times(argument<F, Counts>(arguments_)[i], argument<F, Types>(arguments_)[i]);
    else return times(argument<F, Counts>(arguments_)[i], argument<F, Type>(arguments_));
  }
  std::uint64_t sent_to(int i) const {
    return of_several<Role::send_counts, Role::send_datatype, Role::send_datatypes>(i);
  }
  std::uint64_t received_from(int i) const {
    return of_several<Role::recv_counts, Role::recv_datatype, Role::recv_datatypes>(i);
  }

  void from_root() {
    const int root = argument<F, Role::root>(arguments_);
    if (known_.between ? root != MPI_ROOT : root != known_.own) return;
    if constexpr (has<F>(Role::buffer))
      to_everyone(Kind::one_to_all, bytes_of<F, Role::count, Role::datatype>(arguments_));
    else if constexpr (has<F>(Role::send_counts)) to_each(Kind::one_to_all, [&](int i) { return sent_to(i); });
    else to_everyone(Kind::one_to_all, bytes_of<F, Role::send_count_each, Role::send_datatype>(arguments_));
  }

  void to_root() {
    const int root = argument<F, Role::root>(arguments_);
    if (root == MPI_PROC_NULL) return;
    if (known_.between ? root == MPI_ROOT : root == known_.own) return at_root();
    std::uint64_t part = 0;
    if constexpr (has<F>(Role::datatype)) part = bytes_of<F, Role::count, Role::datatype>(arguments_);
    else part = bytes_of<F, Role::send_count, Role::send_datatype>(arguments_);
    to_one(known_.worlds[root], part);
  }

  void at_root() {
    const std::uint64_t all = gathered();
    if (for_model_ && operation_of<F>() != Operation::direct && known_.others() > 0) operation(all / known_.others());
    call(Kind::all_to_one, all);
  }

  /// What comes to the root from the others.
  std::uint64_t gathered() const {
    if constexpr (has<F>(Role::recv_counts)) {
      std::uint64_t total = 0;
      for (int i = 0; i < known_.peers; ++i) total += is_self(i) ? 0 : received_from(i);
      return total;
    } else if constexpr (has<F>(Role::datatype)) {
      return known_.others() * bytes_of<F, Role::count, Role::datatype>(arguments_);
    } else {
      return known_.others() * bytes_of<F, Role::recv_count_each, Role::recv_datatype>(arguments_);
    }
  }

  bool is_in_place() const {
    if constexpr (has<F>(Role::send_buffer))
      return static_cast<const void*>(argument<F, Role::send_buffer>(arguments_)) == MPI_IN_PLACE;
    else return false;
  }

  void among_all() {
    if constexpr (has<F>(Role::share_count) || has<F>(Role::share_counts)) shares();
    else if constexpr (is_scan<F>()) to_later();
    else if constexpr (has<F>(Role::datatype))
      to_everyone(Kind::all_to_all, bytes_of<F, Role::count, Role::datatype>(arguments_));
    else if constexpr (has<F>(Role::send_counts))
      to_each(Kind::all_to_all,
              [&, in_place = is_in_place()](int i) { return in_place ? received_from(i) : sent_to(i); });
    else if constexpr (has<F>(Role::send_buffer))
      to_everyone(Kind::all_to_all, is_in_place() ? part_in_place() : part());
    else to_everyone(Kind::all_to_all, 0);  // a barrier
  }

  /// Of MPI_Allgather..., MPI_Alltoall.
  std::uint64_t part() const {
    if constexpr (has<F>(Role::send_count_each))
      return bytes_of<F, Role::send_count_each, Role::send_datatype>(arguments_);
    else return bytes_of<F, Role::send_count, Role::send_datatype>(arguments_);
  }
  std::uint64_t part_in_place() const {
    if constexpr (has<F>(Role::recv_counts)) return received_from(known_.own);
    else return bytes_of<F, Role::recv_count_each, Role::recv_datatype>(arguments_);
  }

  void to_later() {
    const std::uint64_t bytes = bytes_of<F, Role::count, Role::datatype>(arguments_);
    operation(bytes);
    call(Kind::to_later, bytes);
    call(Kind::all_to_all, bytes * static_cast<std::uint64_t>(known_.peers - 1 - known_.own));
  }

  std::uint64_t share_of(int i) const {
    if constexpr (has<F>(Role::share_counts))
      return times(argument<F, Role::share_counts>(arguments_)[i], argument<F, Role::datatype>(arguments_));
    else return bytes_of<F, Role::share_count, Role::datatype>(arguments_);
  }

  std::uint64_t vector(int shares) const {
    std::uint64_t sum = 0;
    for (int i = 0; i < shares; ++i) sum += share_of(i);
    return sum;
  }

  /// Reductions of which each process gets a share. Between groups a process knows its own group's shares only: it
  /// tells what it gets, and its own vector goes to the other group as a whole.
  void shares() {
    if (known_.between) {
      call(Kind::from_all, share_of(known_.own));
      call(Kind::all_to_all, vector(known_.local_size));
    } else if constexpr (has<F>(Role::share_count)) {
      to_everyone(Kind::all_to_all, share_of(0));
    } else {
      if (for_model_) operation(vector(known_.peers) / static_cast<std::uint64_t>(known_.peers));
      to_each(Kind::all_to_all, [&](int i) { return share_of(i); });
    }
  }

  void to_neighbors(const std::vector<int>& worlds) {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < worlds.size(); ++i) {
      if (worlds[i] == MPI_PROC_NULL || worlds[i] == known_.worlds[known_.own]) continue;
      std::uint64_t bytes = 0;
      if constexpr (has<F>(Role::send_counts)) bytes = sent_to(static_cast<int>(i));
      else bytes = part();
      to_one(worlds[i], bytes);
      total += bytes;
    }
    call(Kind::all_to_all, total);
  }

  const Arguments& arguments_;
  const Known& known_;
  const bool for_model_;
  Emit emit_;
};

}  // namespace comm
