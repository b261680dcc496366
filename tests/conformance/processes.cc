// SPDX-License-Identifier: BSD-3-Clause
// processes.cc - ports and names, connections between processes, and processes started at run time

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

void ports() {
  char port[MPI_MAX_PORT_NAME] = "";
  char found[MPI_MAX_PORT_NAME] = "";
  const std::string service = "conformance." + std::to_string(getpid());
  const bool opened = CALL(MPI_Open_port, MPI_INFO_NULL, port) == MPI_SUCCESS;
  if (!opened) std::strcpy(port, "none");  // MPICH's MPI_Close_port crashes on an empty text
  CALL(MPI_Publish_name, service.c_str(), MPI_INFO_NULL, port);
  CALL(MPI_Lookup_name, service.c_str(), MPI_INFO_NULL, found);
  CALL(MPI_Unpublish_name, service.c_str(), MPI_INFO_NULL, port);
  CALL(MPI_Close_port, port);
}

#ifdef OPEN_MPI
void describe_and_disconnect(MPI_Comm& between) {
  if (between == MPI_COMM_NULL) return;
  int number = 0;
  CALL(MPI_Comm_test_inter, between, &number);
  CALL(MPI_Comm_remote_size, between, &number);
  CALL(MPI_Comm_disconnect, &between);
}

void connect_by_port() {
  char port[MPI_MAX_PORT_NAME] = "";
  MPI_Comm between = MPI_COMM_NULL;
  if (launch_rank() == 0) CALL(MPI_Open_port, MPI_INFO_NULL, port);
  CALL(MPI_Bcast, port, MPI_MAX_PORT_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (launch_rank() == 0) CALL(MPI_Comm_accept, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
  else CALL(MPI_Comm_connect, port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
  describe_and_disconnect(between);
  if (launch_rank() == 0) CALL(MPI_Close_port, port);
}

/// Rank 0 listens on the loopback device, rank 1 gets the number of the port by a message. -1: there is no such socket.
int connected_socket() {
  sockaddr_in address = {};
  socklen_t length = sizeof address;
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int end = socket(AF_INET, SOCK_STREAM, 0);
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (launch_rank() == 0) {
    if (bind(end, generic, length) != 0 || listen(end, 1) != 0 || getsockname(end, generic, &length) != 0)
      address.sin_port = 0;
    CALL(MPI_Send, &address.sin_port, 2, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    const int connection = address.sin_port == 0 ? -1 : accept(end, nullptr, nullptr);
    close(end);
    return connection;
  }
  CALL(MPI_Recv, &address.sin_port, 2, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return address.sin_port != 0 && connect(end, generic, length) == 0 ? end : -1;
}

void connect_by_socket() {
  MPI_Comm between = MPI_COMM_NULL;
  const int connection = connected_socket();
  if (connection < 0) return note("no socket");
  CALL(MPI_Comm_join, connection, &between);
  describe_and_disconnect(between);
  close(connection);
}

std::string own_path() {
  std::array<char, 4096> path = {};
  return readlink("/proc/self/exe", path.data(), path.size() - 1) > 0 ? path.data() : "";
}

void start_processes() {
  std::string program = own_path();
  std::string part = "child";
  std::string place = folder();
  char* words[] = {part.data(), place.data(), nullptr};
  int codes[] = {-1};
  MPI_Comm between = MPI_COMM_NULL;
  CALL(MPI_Comm_spawn, program.c_str(), words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, codes);
  describe_and_disconnect(between);

  std::string second_part = "second_child";
  char* second_words[] = {second_part.data(), place.data(), nullptr};
  char* programs[] = {program.data()};
  char** lists[] = {second_words};
  const int numbers[] = {1};
  const MPI_Info infos[] = {MPI_INFO_NULL};
  CALL(MPI_Comm_spawn_multiple, 1, programs, lists, numbers, infos, 0, MPI_COMM_WORLD, &between, codes);
  describe_and_disconnect(between);
}
#else
/// MPICH 4.0.2 can do none of this on its default device: how it says so must be the same in every run.
void connect_by_port() {
  MPI_Comm between = MPI_COMM_NULL;
  constexpr int no_root = 5;  // with a good one MPI_Comm_accept waits for ever
  CALL(MPI_Comm_accept, "none", MPI_INFO_NULL, no_root, MPI_COMM_SELF, &between);
  CALL(MPI_Comm_connect, "none", MPI_INFO_NULL, 0, MPI_COMM_SELF, &between);
}

void connect_by_socket() {
  MPI_Comm between = MPI_COMM_NULL;
  CALL(MPI_Comm_join, -1, &between);
}

void start_processes() {
  MPI_Comm between = MPI_COMM_NULL;
  char program[] = "/bin/true";
  char* programs[] = {program};
  const int numbers[] = {1};
  const MPI_Info infos[] = {MPI_INFO_NULL};
  CALL(MPI_Comm_spawn, program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
  CALL(MPI_Comm_spawn_multiple, 1, programs, MPI_ARGVS_NULL, numbers, infos, 0, MPI_COMM_WORLD, &between,
       MPI_ERRCODES_IGNORE);
}
#endif

}  // namespace

void processes() {
  MPI_Comm parent = MPI_COMM_NULL;
  CALL(MPI_Comm_get_parent, &parent);
  note(parent == MPI_COMM_NULL ? "no parent" : "a parent");
  ports();
  connect_by_port();
  connect_by_socket();
  start_processes();
}

void as_child() {
  MPI_Comm parent = MPI_COMM_NULL;
  int size = 0;
  CALL(MPI_Init, nullptr, nullptr);
  CALL(MPI_Comm_get_parent, &parent);
  CALL(MPI_Comm_remote_size, parent, &size);
  CALL(MPI_Comm_disconnect, &parent);
  CALL(MPI_Finalize);
}

}  // namespace conformance
