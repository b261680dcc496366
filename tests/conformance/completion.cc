// SPDX-License-Identifier: BSD-3-Clause
// completion.cc - every way to wait or ask for requests, and requests and statuses themselves, also a program's own
// ones

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

/// A receive and the send that it waits for; tests complete the receive.
struct Transfer {
  explicit Transfer(Arguments& arguments) {
    CALL(MPI_Irecv, arguments.in.data(), block, MPI_INT, arguments.peer, 3, arguments.comm, &requests[0]);
    CALL(MPI_Isend, arguments.out.data(), block, MPI_INT, arguments.peer, 3, arguments.comm, &requests[1]);
  }
  ~Transfer() { CALL(MPI_Waitall, 2, requests, MPI_STATUSES_IGNORE); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
};

void wait_for_requests(Arguments& arguments) {
  MPI_Status statuses[2] = {};
  int index = -1;
  int indices[2] = {-1, -1};
  int count = 0;
  {
    Transfer transfer(arguments);
    CALL(MPI_Wait, transfer.requests, statuses);
  }
  {
    Transfer transfer(arguments);
    CALL(MPI_Waitall, 2, transfer.requests, statuses);
  }
  {
    Transfer transfer(arguments);
    CALL(MPI_Waitany, 1, transfer.requests, &index, statuses);
  }
  Transfer transfer(arguments);
  CALL(MPI_Waitsome, 1, transfer.requests, &count, indices, statuses);
}

void test_requests(Arguments& arguments) {
  MPI_Status statuses[2] = {};
  int flag = 0;
  int index = -1;
  int indices[2] = {-1, -1};
  int count = 0;
  {
    Transfer transfer(arguments);
    UNTIL(flag, MPI_Request_get_status, transfer.requests[0], &flag, statuses);
    flag = 0;
    UNTIL(flag, MPI_Test, transfer.requests, &flag, statuses);
  }
  {
    Transfer transfer(arguments);
    UNTIL(flag, MPI_Testall, 2, transfer.requests, &flag, statuses);
  }
  {
    Transfer transfer(arguments);
    UNTIL(flag, MPI_Testany, 1, transfer.requests, &index, &flag, statuses);
  }
  Transfer transfer(arguments);
  UNTIL(count, MPI_Testsome, 1, transfer.requests, &count, indices, statuses);
}

void start_and_cancel(Arguments& arguments) {
  int flag = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Irecv, arguments.in.data(), block, MPI_INT, arguments.peer, 99, arguments.comm, &request);
  CALL(MPI_Cancel, &request);
  CALL(MPI_Wait, &request, &arguments.status);
  CALL(MPI_Test_cancelled, &arguments.status, &flag);

  MPI_Request pair[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  CALL(MPI_Recv_init, arguments.in.data(), block, MPI_INT, arguments.peer, 5, arguments.comm, &pair[0]);
  CALL(MPI_Send_init, arguments.out.data(), block, MPI_INT, arguments.peer, 5, arguments.comm, &pair[1]);
  CALL(MPI_Startall, 2, pair);
  CALL(MPI_Waitall, 2, pair, MPI_STATUSES_IGNORE);
  note_sum("persistent pair", arguments.in.data(), arguments.in.size());
  for (MPI_Request& one : pair) CALL(MPI_Request_free, &one);
}

void read_and_write_status(Arguments& arguments) {
  Transfer transfer(arguments);
  CALL(MPI_Wait, transfer.requests, &arguments.status);
  Number count;
  int flag = 0;
  BOTH(MPI_Get_count, &arguments.status, MPI_INT, count);
  BOTH(MPI_Get_elements, &arguments.status, MPI_INT, count);
  CALL(MPI_Get_elements_x, &arguments.status, MPI_INT, count);
  BOTH(MPI_Status_set_elements, &arguments.status, MPI_BYTE, 8);
  CALL(MPI_Get_count, &arguments.status, MPI_INT, count);
  CALL(MPI_Status_set_elements_x, &arguments.status, MPI_BYTE, 12);
  CALL(MPI_Get_count, &arguments.status, MPI_INT, count);
  CALL(MPI_Status_set_cancelled, &arguments.status, 1);
  CALL(MPI_Test_cancelled, &arguments.status, &flag);
}

// The program's own requests. Their callbacks call MPI, which layers must see too.

int query(void*, MPI_Status* status) {
  CALL(MPI_Status_set_elements, status, MPI_INT, 1);
  CALL(MPI_Status_set_cancelled, status, 0);
  status->MPI_SOURCE = 5;
  status->MPI_TAG = 6;
  return MPI_SUCCESS;
}

int release(void* state) {
  note("request released, state " + std::to_string(*static_cast<int*>(state)));
  return MPI_SUCCESS;
}

int cancel(void*, int complete) {
  note("request cancelled, complete " + std::to_string(complete));
  return MPI_SUCCESS;
}

void own_requests(Arguments& arguments) {
  int state = 17;
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Grequest_start, query, release, cancel, &state, &request);
  CALL(MPI_Cancel, &request);
  CALL(MPI_Grequest_complete, request);
  CALL(MPI_Wait, &request, &arguments.status);
}

#ifdef MPICH
MPI_Request polled = MPI_REQUEST_NULL;

int poll(void*, MPI_Status*) {
  CALL(MPI_Grequest_complete, polled);
  return MPI_SUCCESS;
}

int wait_for_states(int count, void** states, double, MPI_Status*) {
  note("waits for " + std::to_string(count) + ", state " + std::to_string(*static_cast<int*>(states[0])));
  CALL(MPI_Grequest_complete, polled);
  return MPI_SUCCESS;
}

void own_polled_requests(Arguments& arguments) {
  int state = 18;
  MPIX_Grequest_class request_class = 0;
  CALL(MPIX_Grequest_start, query, release, cancel, poll, wait_for_states, &state, &polled);
  CALL(MPI_Wait, &polled, &arguments.status);
  CALL(MPIX_Grequest_class_create, query, release, cancel, poll, wait_for_states, &request_class);
  CALL(MPIX_Grequest_class_allocate, request_class, &state, &polled);
  CALL(MPI_Wait, &polled, &arguments.status);
}
#else
void own_polled_requests(Arguments&) {}
#endif

}  // namespace

void completion() {
  Arguments arguments(MPI_COMM_WORLD);
  wait_for_requests(arguments);
  test_requests(arguments);
  start_and_cancel(arguments);
  read_and_write_status(arguments);
  own_requests(arguments);
  own_polled_requests(arguments);
}

}  // namespace conformance
