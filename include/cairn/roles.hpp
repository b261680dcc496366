// SPDX-License-Identifier: BSD-3-Clause
// roles.hpp - what an MPI function is for (Category) and what each of its parameters means (Role)
//
// spec/functions.txt gives every function one category, spec/kinds.txt every parameter one role; the table
// cairn/generated/functions.inc carries both. Section numbers are those of MPI-4.1.

#pragma once

namespace cairn {

// "Nonblocking" calls return without waiting for another process. For the categories without that suffix, see
// can_block() and moves_data() below. Whatever its category, a call with a new_request returns immediately.
enum class Category {
  // Messages between two processes (3)
  point_to_point,              // sends and receives that return when the buffer may be used again
  point_to_point_nonblocking,  // start one and return a request
  point_to_point_persistent,   // describe one, also a partitioned one (4); calls of category start begin the transfer
  probe,                       // wait for a message without receiving it
  probe_nonblocking,
  send_buffering,  // buffer space for MPI_Bsend; detach and flush wait until it is empty (3.6)

  // Life of requests, of whatever origin (3.7, 3.9, 13)
  start,                   // MPI_Start, MPI_Startall, MPI_Pready...: begin what a persistent call has described
  completion,              // MPI_Wait...
  completion_nonblocking,  // MPI_Test..., MPI_Request_get_status..., MPI_Parrived
  request,                 // free, cancel, generalized requests, reading and setting a status

  // Collective communication (6) and the same among the neighbors in a topology (8.6 to 8.8)
  collective,
  collective_nonblocking,
  collective_persistent,  // describe one; calls of category start begin it
  neighborhood,
  neighborhood_nonblocking,
  neighborhood_persistent,

  // One-sided communication (12)
  one_sided,                  // put, get, accumulate...: begun here, finished by a synchronization or a request
  one_sided_synchronization,  // fence, post/start/complete/wait, lock, flush
  window_creation,            // collective: create, free, set_info
  window,                     // local: attach, name, inquiry

  // Files (14)
  io,              // one process, blocking
  io_nonblocking,  // one process
  io_collective,   // all processes that opened the file, blocking or split into begin and end
  io_collective_nonblocking,
  file,  // open, close, views, positions, sizes; many of them are collective

  // Objects that processes share
  communicator_creation,  // collective: make, change or free a communicator, also one with a topology
  communicator,           // local: size, rank, name, inquiry
  topology,               // local: coordinates, neighbors (8.5)
  group,                  // local (7.3)

  // Local objects
  datatype,   // 5.1
  pack,       // 5.2, 5.3: pack and unpack memory
  op,         // 6.9: reduction operations, MPI_Reduce_local
  attribute,  // 7.7: may run the program's copy and delete callbacks
  info,       // 10
  error,      // 9.3 to 9.5: may run the program's error handlers
  memory,     // 9.2: allocation, addresses

  // The process and the library
  lifecycle,       // MPI_Init, MPI_Finalize, sessions' init and finalize, MPI_Abort (11)
  session,         // process sets of a session (11.3)
  environment,     // versions, clocks, thread level, MPI_Pcontrol, ABI (9, 15.2; MPI-5.0: 20)
  process,         // spawn, connect and accept, name service (11.7 to 11.10)
  tool_interface,  // MPI_T: callable before MPI_Init and after MPI_Finalize (15.3)
  conversion,      // handles and statuses to and from Fortran and integers (19.3; MPI-5.0: 20)
};

// Whether the call itself transfers the program's data or begins to: the buffer, count and datatype roles then
// tell how much. A persistent call does not: its amount counts once for each MPI_Start of its request.
constexpr bool moves_data(Category category) {
  switch (category) {
    case Category::point_to_point:
    case Category::point_to_point_nonblocking:
    case Category::collective:
    case Category::collective_nonblocking:
    case Category::neighborhood:
    case Category::neighborhood_nonblocking:
    case Category::one_sided:
    case Category::io:
    case Category::io_nonblocking:
    case Category::io_collective:
    case Category::io_collective_nonblocking:
      return true;
    default:
      return false;
  }
}

// Whether the call describes a transfer that is started later, any number of times.
constexpr bool describes_transfer(Category category) {
  return category == Category::point_to_point_persistent || category == Category::collective_persistent ||
         category == Category::neighborhood_persistent;
}

// Whether a call of the category may have to wait for another process or for a file.
constexpr bool can_block(Category category) {
  switch (category) {
    case Category::point_to_point:
    case Category::probe:
    case Category::send_buffering:
    case Category::completion:
    case Category::collective:
    case Category::neighborhood:
    case Category::one_sided_synchronization:
    case Category::window_creation:
    case Category::io:
    case Category::io_collective:
    case Category::file:
    case Category::communicator_creation:
    case Category::lifecycle:
    case Category::process:
      return true;
    default:
      return false;
  }
}

// Units: a count is a number of elements of the datatype that belongs to it, so bytes = count *
// MPI_Type_size(datatype). Handles and some values have three forms: x is read; x_inout is a pointer to a handle that
// the call may change; new_x (or x_result) is written by the call. For other roles, the parameter's C
// type shows whether it is written. A role may occur more than once in a function, in the order of the standard.
enum class Role {
  // What a process sends and receives in point-to-point and collective calls (3, 4, 6, 8).
  //
  // Bytes sent: send_count * send_datatype; send_count_each times the number of receiving processes; the sum of
  // send_counts, with send_datatypes each with its own datatype; send_partition_count * partitions; count * datatype if
  // the call has none of these. Bytes received likewise with recv_*, which is the size of the buffer; a status tells
  // what has arrived. The receiving processes are those of the communicator (of the remote group of an
  // inter-communicator), in neighborhood calls the out-neighbors (the in-neighbors on the receiving side).
  //
  // In a call with a root, arguments per process (_each, and the plurals) are significant at the root only. So is
  // recv_buffer of a reduction (send_buffer, recv_buffer, count, datatype), and the buffer of a broadcast is sent by
  // the root and received by the others. On an inter-communicator, root may be MPI_ROOT or MPI_PROC_NULL. A
  // send_buffer, and at the root of a scatter a recv_buffer, may be MPI_IN_PLACE: then count and datatype of that side
  // are ignored, and those of the other side apply.
  send_buffer,
  send_count,            // elements in all
  send_count_each,       // elements for each receiving process
  send_counts,           // array: elements for every receiving process
  send_partition_count,  // elements in one of the partitions
  send_datatype,
  send_datatypes,           // array: one for every receiving process
  send_displacements,       // array: where each process' part begins, in extents of send_datatype
  send_byte_displacements,  // array: the same in bytes
  recv_buffer,
  recv_count,
  recv_count_each,
  recv_counts,
  recv_partition_count,
  recv_datatype,
  recv_datatypes,
  recv_displacements,
  recv_byte_displacements,
  buffer,        // sent and received: broadcast, MPI_Sendrecv_replace
  count,         // elements in all, on both sides
  share_count,   // reduce-scatter: elements received; each process sends as many times the number of processes
  share_counts,  // array: elements that each process receives; their sum is what each sends

  // Partitioned communication (4.2): numbers count partitions.
  partitions,
  partition,  // MPI_Pready_range: the first, then the last
  partition_list,
  partition_list_length,

  // Partners: ranks in the communicator or group of the call. dest and source may be MPI_PROC_NULL, source and the tag
  // of a receive also MPI_ANY_SOURCE and MPI_ANY_TAG.
  dest,
  source,
  root,
  leader,         // rank in comm or group
  remote_leader,  // rank in other_comm or other_group
  rank,
  rank_result,
  ranks,
  ranks_result,
  rank_count,   // entries of ranks or rank_ranges
  rank_ranges,  // array of first, last, stride
  size,         // a number of processes
  size_result,
  tag,       // of the one message of the call
  send_tag,  // where a call sends one message and receives another
  recv_tag,
  string_tag,  // distinguishes concurrent creations from groups

  // Handles (2.5.1). A new_datatype may also be one that existed before (MPI_File_get_view, MPI_T).
  comm,
  comm_inout,
  new_comm,
  other_comm,  // the second communicator of the call
  group,
  group_inout,
  new_group,
  other_group,
  datatype,  // beside count: that of both sides; otherwise what the call is about or builds on
  datatype_inout,
  new_datatype,
  datatypes,
  datatypes_result,
  request,
  request_inout,
  new_request,
  requests,
  requests_inout,
  message,
  message_inout,
  new_message,
  op,
  op_inout,
  new_op,
  info,
  info_inout,
  new_info,
  infos,
  win,
  win_inout,
  new_win,
  file,
  file_inout,
  new_file,
  session,
  session_inout,
  new_session,
  errhandler,
  errhandler_inout,
  new_errhandler,
  keyval,
  keyval_inout,
  new_keyval,

  // Completion (3.2.5, 3.7). A status may be MPI_STATUS_IGNORE, statuses MPI_STATUSES_IGNORE.
  status,  // written by the call
  status_in,
  status_inout,
  statuses,  // array, written
  flag,      // a Boolean that the call writes; if it means completion, other results are valid only if it is true
  request_count,
  completed_index,
  completed_count,
  completed_indices,
  status_elements,  // elements of datatype that a status stands for
  status_field,     // source, tag or error of a status
  grequest_class,
  new_grequest_class,

  // Buffer space for buffered sends (3.6); sizes are bytes.
  attached_buffer,
  detached_buffer,  // points to the pointer that the call writes
  attached_size,
  detached_size,

  // One-sided communication (12.3): origin_* goes from this process to the target, result_* comes from the target. The
  // standard's origin_addr is an origin_buffer in MPI_Put and a result_buffer in MPI_Get. element_datatype is the type
  // of one element that goes both ways. Displacements are in the target's displacement unit.
  origin_buffer,
  origin_count,
  origin_datatype,
  result_buffer,
  result_count,
  result_datatype,
  compare_buffer,
  element_datatype,
  target_rank,
  target_displacement,
  target_count,
  target_datatype,
  lock_type,
  assertion,
  window_base,
  window_base_result,  // points to the pointer that the call writes
  window_size,         // bytes
  displacement_unit,   // bytes

  // Files (14). Bytes read: read_count * read_datatype; written: write_count * write_datatype. In split collective
  // operations the begin call has the count. Offsets are in elementary datatypes of the view, a view's displacement in
  // bytes.
  read_buffer,
  read_count,
  read_datatype,
  write_buffer,
  write_count,
  write_datatype,
  file_offset,
  file_offset_result,
  file_size,  // bytes
  file_name,
  access_mode,
  seek_mode,
  data_representation,

  // Datatypes, packing, local reductions (5, 6.9): no communication.
  layout,     // a number that describes a datatype: count, length, stride, displacement, extent, order
  type_size,  // bytes
  type_class,
  combiner,
  precision,
  unpacked_buffer,
  unpacked_count,  // elements of datatype
  packed_buffer,
  packed_size,      // bytes
  packed_position,  // bytes, read and advanced
  local_input,
  local_result,
  local_count,  // elements of datatype

  // Topologies (8)
  dimension_count,
  dimensions,
  coordinates,
  periods,
  remaining_dimensions,
  shift,           // MPI_Cart_shift: the dimension, then the distance
  neighbor_rank,   // MPI_Cart_shift: the rank to receive from, then the rank to send to
  neighbors,       // array of ranks
  neighbor_count,  // entries of neighbors
  graph_size,      // nodes or edges of a graph
  graph,           // array that describes a graph: indices, edges, degrees
  weights,
  topology_status,

  // Memory (5.1.5, 9.2)
  memory_size,  // bytes
  memory,
  memory_result,  // points to the pointer that the call writes
  location,
  address,

  // Text (char *), null-terminated; lengths count characters, in MPI_T and MPI_Info_get_string with the final null
  name,  // of the object, variable or category in question
  text,
  text_length,
  info_key,
  info_value,
  info_key_count,
  info_key_index,
  port_name,
  service_name,
  process_set_name,
  process_set_index,
  process_set_count,

  // Starting programs (11.2, 11.8)
  command,
  commands,
  command_count,
  process_count,
  process_counts,
  arguments,
  argument_lists,
  argument_count,
  argument_vector,

  // Attributes and callbacks (7.7, 9.3, 13.2, 15.3)
  attribute_value,
  attribute_value_result,  // points to the pointer that the call writes
  user_data,               // handed back to the callback
  callback,

  // Errors (9.4, 9.5)
  error_code,
  error_codes,
  error_class,

  // Plain values
  option,  // a yes or no that the call reads
  color,
  key,
  split_type,
  comparison,  // MPI_IDENT, MPI_CONGRUENT...
  version,     // major, then minor
  thread_level,
  provided_thread_level,
  level,  // MPI_Pcontrol
  file_descriptor,
  fortran_logical_size,
  fortran_logical,
  device_kind,

  // Tool interface (15.3)
  tool_index,
  tool_indices,
  tool_count,
  tool_property,       // verbosity, class, binding, scope, value of an enumeration
  tool_displacements,  // bytes
  tool_value,          // memory that a variable or event is read into or written from
  tool_object,         // points to the handle of the MPI object that a variable belongs to
  tool_ticks,
  tool_handle,
  tool_handle_inout,
  new_tool_handle,
  tool_session,
  tool_session_inout,
  new_tool_session,
  callback_safety,
  tool_source_order,

  // Conversion (19.3; MPI-5.0: 20)
  fortran_handle,
  integer_handle,
  fortran_status,
};

}  // namespace cairn
