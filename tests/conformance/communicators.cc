// SPDX-License-Identifier: BSD-3-Clause
// communicators.cc - communicators, groups and topologies: how they are made, what they answer

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

/// What a communicator is, in the log; then it is gone.
void describe_and_free(MPI_Comm& comm) {
  if (comm == MPI_COMM_NULL) return;
  int number = 0;
  CALL(MPI_Comm_rank, comm, &number);
  CALL(MPI_Comm_size, comm, &number);
  CALL(MPI_Comm_compare, MPI_COMM_WORLD, comm, &number);
  CALL(MPI_Comm_test_inter, comm, &number);
  CALL(MPI_Comm_free, &comm);
}

void duplicate() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  CALL(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
  describe_and_free(comm);
  CALL(MPI_Comm_dup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comm);
  describe_and_free(comm);
  CALL(MPI_Comm_idup, MPI_COMM_WORLD, &comm, &request);
  CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
  describe_and_free(comm);
#if MPI_VERSION >= 4
  CALL(MPI_Comm_idup_with_info, MPI_COMM_WORLD, MPI_INFO_NULL, &comm, &request);
  CALL(MPI_Wait, &request, MPI_STATUS_IGNORE);
  describe_and_free(comm);
#endif
}

void divide() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  CALL(MPI_Comm_group, MPI_COMM_WORLD, &group);
  CALL(MPI_Comm_create, MPI_COMM_WORLD, group, &comm);
  describe_and_free(comm);
  CALL(MPI_Comm_create_group, MPI_COMM_WORLD, group, 4, &comm);
  describe_and_free(comm);
  CALL(MPI_Group_free, &group);
  CALL(MPI_Comm_split, MPI_COMM_WORLD, launch_rank(), 0, &comm);
  describe_and_free(comm);
  CALL(MPI_Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -launch_rank(), MPI_INFO_NULL, &comm);
  describe_and_free(comm);
}

void two_sides() {
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Comm merged = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int size = 0;
  CALL(MPI_Comm_split, MPI_COMM_WORLD, launch_rank(), 0, &mine);
  CALL(MPI_Intercomm_create, mine, 0, MPI_COMM_WORLD, 1 - launch_rank(), 11, &both);
  CALL(MPI_Comm_remote_size, both, &size);
  CALL(MPI_Comm_remote_group, both, &group);
  CALL(MPI_Group_size, group, &size);
  CALL(MPI_Group_free, &group);
  CALL(MPI_Intercomm_merge, both, launch_rank(), &merged);
  describe_and_free(merged);
  describe_and_free(both);
  CALL(MPI_Comm_disconnect, &mine);
}

void label() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  CALL(MPI_Comm_dup, MPI_COMM_WORLD, &comm);
  CALL(MPI_Comm_set_name, comm, "conformance communicator");
  CALL(MPI_Comm_get_name, comm, name, &length);
  CALL(MPI_Info_create, &info);
  CALL(MPI_Info_set, info, "mpi_assert_no_any_tag", "false");
  CALL(MPI_Comm_set_info, comm, info);
  CALL(MPI_Info_free, &info);
  CALL(MPI_Comm_get_info, comm, &info);
  CALL(MPI_Info_free, &info);
  describe_and_free(comm);
}

/// MPICH's default device stops the program when these get a communicator.
void mitigate_failures() {
#ifdef MPICH
  int flag = 1;
  MPI_Group failed = MPI_GROUP_NULL;
  MPI_Comm shrunk = MPI_COMM_NULL;
  CALL(MPIX_Comm_failure_ack, MPI_COMM_NULL);
  CALL(MPIX_Comm_failure_get_acked, MPI_COMM_NULL, &failed);
  CALL(MPIX_Comm_agree, MPI_COMM_NULL, &flag);
  CALL(MPIX_Comm_shrink, MPI_COMM_NULL, &shrunk);
  CALL(MPIX_Comm_revoke, MPI_COMM_NULL);
#endif
}

void grid() {
  int dimensions[] = {0, 0};
  int periods[] = {1, 0};
  int coordinates[] = {-1, -1};
  const int remaining[] = {1, 0};
  int number = -1;
  int other = -1;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm line = MPI_COMM_NULL;
  CALL(MPI_Dims_create, 2, 2, dimensions);
  CALL(MPI_Cart_map, MPI_COMM_WORLD, 2, dimensions, periods, &number);
  CALL(MPI_Cart_create, MPI_COMM_WORLD, 2, dimensions, periods, 0, &comm);
  CALL(MPI_Topo_test, comm, &number);
  CALL(MPI_Cartdim_get, comm, &number);
  CALL(MPI_Cart_get, comm, 2, dimensions, periods, coordinates);
  CALL(MPI_Cart_rank, comm, coordinates, &number);
  CALL(MPI_Cart_coords, comm, 1, 2, coordinates);
  note_numbers("coordinates", coordinates, 2);
  CALL(MPI_Cart_shift, comm, 0, 1, &number, &other);
  CALL(MPI_Cart_sub, comm, remaining, &line);
  describe_and_free(line);
  describe_and_free(comm);
}

void graph() {
  const int index[] = {1, 2};
  const int edges[] = {1, 0};
  int index_back[] = {-1, -1};
  int edges_back[] = {-1, -1};
  int number = -1;
  int other = -1;
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Graph_map, MPI_COMM_WORLD, 2, index, edges, &number);
  CALL(MPI_Graph_create, MPI_COMM_WORLD, 2, index, edges, 0, &comm);
  CALL(MPI_Graphdims_get, comm, &number, &other);
  CALL(MPI_Graph_get, comm, 2, 2, index_back, edges_back);
  CALL(MPI_Graph_neighbors_count, comm, 0, &number);
  CALL(MPI_Graph_neighbors, comm, 1, 1, edges_back);
  note_numbers("index", index_back, 2);
  note_numbers("edges", edges_back, 2);
  describe_and_free(comm);
}

void describe_and_free_graph(MPI_Comm& comm) {
  int in = -1;
  int out = -1;
  int weighted = -1;
  int sources[] = {-1, -1};
  int destinations[] = {-1, -1};
  int source_weights[] = {-1, -1};
  int destination_weights[] = {-1, -1};
  CALL(MPI_Dist_graph_neighbors_count, comm, &in, &out, &weighted);
  CALL(MPI_Dist_graph_neighbors, comm, in, sources, source_weights, out, destinations, destination_weights);
  describe_and_free(comm);
}

void distributed_graph() {
  const int me = launch_rank();
  const int peer = 1 - me;
  const int degree = 1;
  const int weight = 5 + me;
  MPI_Comm comm = MPI_COMM_NULL;
  CALL(MPI_Dist_graph_create, MPI_COMM_WORLD, 1, &me, &degree, &peer, &weight, MPI_INFO_NULL, 0, &comm);
  describe_and_free_graph(comm);
  CALL(MPI_Dist_graph_create_adjacent, MPI_COMM_WORLD, 1, &peer, &weight, 1, &peer, &weight, MPI_INFO_NULL, 0, &comm);
  describe_and_free_graph(comm);
}

void describe_and_free_group(MPI_Group& group) {
  int number = -1;
  CALL(MPI_Group_size, group, &number);
  CALL(MPI_Group_rank, group, &number);
  if (group != MPI_GROUP_EMPTY) CALL(MPI_Group_free, &group);
}

}  // namespace

void communicators() {
  duplicate();
  divide();
  two_sides();
  label();
  mitigate_failures();
}

void topologies() {
  grid();
  graph();
  distributed_graph();
}

void groups() {
  const int ranks[] = {1};
  int ranges[][3] = {{0, 0, 1}};
  int translated[] = {-1};
  int number = -1;
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group one = MPI_GROUP_NULL;
  MPI_Group made = MPI_GROUP_NULL;
  CALL(MPI_Comm_group, MPI_COMM_WORLD, &all);
  CALL(MPI_Group_incl, all, 1, ranks, &one);
  CALL(MPI_Group_translate_ranks, all, 1, ranks, one, translated);
  CALL(MPI_Group_compare, all, one, &number);
  CALL(MPI_Group_union, all, one, &made);
  describe_and_free_group(made);
  CALL(MPI_Group_intersection, all, one, &made);
  describe_and_free_group(made);
  CALL(MPI_Group_difference, all, one, &made);
  describe_and_free_group(made);
  CALL(MPI_Group_excl, all, 1, ranks, &made);
  describe_and_free_group(made);
  CALL(MPI_Group_range_incl, all, 1, ranges, &made);
  describe_and_free_group(made);
  CALL(MPI_Group_range_excl, all, 1, ranges, &made);
  describe_and_free_group(made);
  describe_and_free_group(one);
  describe_and_free_group(all);
}

}  // namespace conformance
