// SPDX-License-Identifier: BSD-3-Clause
// arguments.hpp - arguments for the regular families of functions, chosen by the role of each parameter
//
// The values suit two processes, each of which does with the other what the other does with it, and topologies in which
// each has the other as neighbor twice.

#pragma once

#include <array>
#include <concepts>
#include <initializer_list>
#include <string>

#include "calls.hpp"

namespace conformance {

inline constexpr int block = 4;  // elements per message or per member of a collective call

/// Read as an array of whatever integer type a function wants: the twins differ in that only.
class Numbers {
 public:
  Numbers(std::initializer_list<int> values) {
    std::size_t next = 0;
    for (const int value : values) small[next] = value, large[next] = value, larger[next] = value, ++next;
  }

  template <std::integral T>
  operator T*() const {
    using Plain = std::remove_const_t<T>;
    if constexpr (std::is_same_v<Plain, int>) return const_cast<int*>(small.data());
    else if constexpr (std::is_same_v<Plain, long>) return const_cast<long*>(large.data());
    else return const_cast<Plain*>(larger.data());
  }

 private:
  std::array<int, 8> small = {};
  std::array<long, 8> large = {};
  std::array<long long, 8> larger = {};
};

/// Written as whatever integer type a function wants.
struct Number {
  long long value = 0;

  template <std::integral T>
  operator T*() {
    return reinterpret_cast<T*>(&value);
  }
  operator int() const { return static_cast<int>(value); }
};

/// One set of arguments; each member stands for the roles that value_of() gives it to.
struct Arguments {
  static constexpr std::size_t size = 64;

  explicit Arguments(MPI_Comm on) : comm(on) { fill(); }

  /// The same contents before every call, different on each rank.
  void fill() {
    for (std::size_t i = 0; i < size; ++i) {
      out[i] = 1000 * (rank + 1) + static_cast<int>(i);
      in[i] = -1;
      compare[i] = 0;
    }
  }

  MPI_Comm comm;
  int rank = launch_rank();
  int peer = 1 - rank;
  std::array<int, size> out = {};
  std::array<int, size> in = {};
  std::array<int, size> compare = {};
  Numbers counts = {block, block, block, block};
  Numbers places = {0, block, 2 * block, 3 * block};
  Numbers byte_places = {0, 4 * block, 8 * block, 12 * block};
  std::array<MPI_Datatype, 4> types = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
  int tag = 7;
  MPI_Op op = MPI_SUM;
  MPI_Win win = MPI_WIN_NULL;
  MPI_File file = MPI_FILE_NULL;
  MPI_Offset offset = 0;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status = {};
};

template <Role R>
consteval bool is_one_of(std::initializer_list<Role> roles) {
  for (const Role role : roles)
    if (role == R) return true;
  return false;
}

template <Role R>
auto message_value(Arguments& a) {
  using enum Role;
  if constexpr (is_one_of<R>({send_buffer, origin_buffer, write_buffer})) return static_cast<void*>(a.out.data());
  else if constexpr (is_one_of<R>({recv_buffer, buffer, result_buffer, read_buffer}))
    return static_cast<void*>(a.in.data());
  else if constexpr (R == compare_buffer) return static_cast<void*>(a.compare.data());
  else if constexpr (is_one_of<R>({send_counts, recv_counts, share_counts})) return a.counts;
  else if constexpr (is_one_of<R>({send_displacements, recv_displacements})) return a.places;
  else if constexpr (is_one_of<R>({send_byte_displacements, recv_byte_displacements})) return a.byte_places;
  else if constexpr (is_one_of<R>({send_datatypes, recv_datatypes})) return a.types.data();
  else if constexpr (is_one_of<R>({send_datatype, recv_datatype, datatype, origin_datatype, result_datatype,
                                   target_datatype, element_datatype, read_datatype, write_datatype}))
    return MPI_INT;
  else return block;  // every other role of these families is the number of elements
}

/// The argument for a parameter. A role without a value here makes compilation fail where that argument is passed.
template <Role R>
auto value_of(Arguments& a) {
  using enum Role;
  if constexpr (is_one_of<R>({dest, source, target_rank})) return a.peer;
  else if constexpr (is_one_of<R>({root, target_displacement})) return 0;
  else if constexpr (is_one_of<R>({tag, send_tag, recv_tag})) return a.tag;
  else if constexpr (R == comm) return a.comm;
  else if constexpr (R == op) return a.op;
  else if constexpr (R == info) return MPI_INFO_NULL;
  else if constexpr (R == win) return a.win;
  else if constexpr (R == file) return a.file;
  else if constexpr (R == file_offset) return a.offset;
  else if constexpr (R == message_inout) return &a.message;
  else if constexpr (R == new_request) return &a.request;
  else if constexpr (R == status) return &a.status;
  else return message_value<R>(a);
}

template <Function F>
auto call_by_roles(Arguments& a) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) { return call<F>(value_of<cairn::roles<F>[I]>(a)...); }
  (std::make_index_sequence<cairn::roles<F>.size()>());
}

/// Brings what a call has begun to its end: a persistent request twice, as only that shows that it stays.
inline void finish(Arguments& a, bool persistent) {
  if (persistent) {
    CALL(MPI_Start, &a.request);
    CALL(MPI_Wait, &a.request, MPI_STATUS_IGNORE);
    CALL(MPI_Start, &a.request);
  }
  CALL(MPI_Wait, &a.request, MPI_STATUS_IGNORE);
  if (persistent) CALL(MPI_Request_free, &a.request);
}

template <Function F>
void note_received(const Arguments& a) {
  note_sum(std::string("received by ") + cairn::facts(F).name, a.in.data(), a.in.size());
}

}  // namespace conformance
