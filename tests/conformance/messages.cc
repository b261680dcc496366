// SPDX-License-Identifier: BSD-3-Clause
// messages.cc - messages between the two processes: every way to send and to receive, probing, buffering, partitions

#include <vector>

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

struct Peer {
  Arguments& arguments;
  std::array<int, Arguments::size> in = {};
  MPI_Request request = MPI_REQUEST_NULL;

  void receive() {
    CALL(MPI_Irecv, in.data(), block, MPI_INT, arguments.peer, arguments.tag, arguments.comm, &request);
  }
  void send() {
    CALL(MPI_Isend, arguments.out.data(), block, MPI_INT, arguments.peer, arguments.tag, arguments.comm, &request);
  }
  void wait() { CALL(MPI_Wait, &request, &arguments.status); }
};

constexpr bool is_persistent(Category category) { return category == Category::point_to_point_persistent; }

template <Function F>
void exchange(Arguments& arguments) {
  arguments.fill();
  call_by_roles<F>(arguments);
  if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, false);
  note_received<F>(arguments);
}

/// The receives are posted before anyone sends, as MPI_Rsend demands.
template <Function F>
void send(Arguments& arguments) {
  constexpr bool persistent = is_persistent(cairn::facts(F).category);
  Peer first{arguments};
  Peer second{arguments};
  first.receive();
  if (persistent) second.receive();
  CALL(MPI_Barrier, arguments.comm);
  call_by_roles<F>(arguments);
  if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, persistent);
  first.wait();
  if (persistent) second.wait();
  note_sum(std::string("sent by ") + cairn::facts(F).name, first.in.data(), first.in.size());
}

template <Function F>
void receive(Arguments& arguments) {
  constexpr bool persistent = is_persistent(cairn::facts(F).category);
  Peer first{arguments};
  Peer second{arguments};
  arguments.fill();
  first.send();
  if (persistent) second.send();
  if constexpr (cairn::has<F>(Role::message_inout))
    CALL(MPI_Mprobe, arguments.peer, arguments.tag, arguments.comm, &arguments.message, &arguments.status);
  call_by_roles<F>(arguments);
  if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, persistent);
  first.wait();
  if (persistent) second.wait();
  note_received<F>(arguments);
}

template <Function F>
void transfer(Arguments& arguments) {
  constexpr bool sends = cairn::has<F>(Role::send_buffer);
  constexpr bool receives = cairn::has<F>(Role::recv_buffer);
  if constexpr (cairn::has<F>(Role::partitions)) return;
  else if constexpr (sends == receives) exchange<F>(arguments);
  else if constexpr (sends) send<F>(arguments);
  else receive<F>(arguments);
}

void probe(Arguments& arguments) {
  int flag = 0;
  const auto receive_probed = [&](Peer& peer) {
    CALL(MPI_Recv, arguments.in.data(), block, MPI_INT, arguments.peer, arguments.tag, arguments.comm,
         MPI_STATUS_IGNORE);
    peer.wait();
  };
  Peer peer{arguments};
  peer.send();
  CALL(MPI_Probe, arguments.peer, MPI_ANY_TAG, arguments.comm, &arguments.status);
  receive_probed(peer);
  peer.send();
  UNTIL(flag, MPI_Iprobe, MPI_ANY_SOURCE, arguments.tag, arguments.comm, &flag, &arguments.status);
  receive_probed(peer);
  peer.send();
  UNTIL(flag, MPI_Improbe, arguments.peer, arguments.tag, arguments.comm, &flag, &arguments.message, &arguments.status);
  CALL(MPI_Imrecv, arguments.in.data(), block, MPI_INT, &arguments.message, &arguments.request);
  finish(arguments, false);
  peer.wait();
}

/// Space for the buffered sends of everything that calls within().
template <class Within>
void with_buffer(Within within) {
  std::vector<char> space(1 << 16);
  char* back = nullptr;
  int size = 0;
  CALL(MPI_Buffer_attach, space.data(), static_cast<int>(space.size()));
  within();
  CALL(MPI_Buffer_detach, &back, &size);
  note(back == space.data() ? "the same buffer" : "another buffer");
#if MPI_VERSION >= 4
  MPI_Count large_size = 0;
  CALL(MPI_Buffer_attach_c, space.data(), static_cast<MPI_Count>(space.size()));
  CALL(MPI_Buffer_detach_c, &back, &large_size);
#endif
}

}  // namespace

void messages() {
  Arguments arguments(MPI_COMM_WORLD);
  const auto visit = [&]<Function F>() { transfer<F>(arguments); };
  with_buffer([&] {
    for_each_of<Category::point_to_point>(visit);
    for_each_of<Category::point_to_point_nonblocking>(visit);
    for_each_of<Category::point_to_point_persistent>(visit);
  });
  probe(arguments);
}

#if MPI_VERSION >= 4
void partitioned() {
  Arguments arguments(MPI_COMM_WORLD);
  constexpr int parts = 4;
  const int last[] = {3};
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  CALL(MPI_Psend_init, arguments.out.data(), parts, block, MPI_INT, arguments.peer, arguments.tag, arguments.comm,
       MPI_INFO_NULL, &requests[0]);
  CALL(MPI_Precv_init, arguments.in.data(), parts, block, MPI_INT, arguments.peer, arguments.tag, arguments.comm,
       MPI_INFO_NULL, &requests[1]);
  CALL(MPI_Startall, 2, requests);
  CALL(MPI_Pready, 0, requests[0]);
  CALL(MPI_Pready_range, 1, 2, requests[0]);
  CALL(MPI_Pready_list, 1, const_cast<int*>(last), requests[0]);
  int flag = 0;
  UNTIL(flag, MPI_Parrived, requests[1], 2, &flag);
  CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE);
  note_sum("partitions", arguments.in.data(), arguments.in.size());
  CALL(MPI_Request_free, &requests[0]);
  CALL(MPI_Request_free, &requests[1]);
}
#else
void partitioned() {}
#endif

}  // namespace conformance
