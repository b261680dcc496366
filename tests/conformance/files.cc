// SPDX-License-Identifier: BSD-3-Clause
// files.cc - every access to files by role, alone and together, then files as such: views, sizes, positions,
// representations

#include <string_view>

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

constexpr int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;

std::string path_for(const char* name, MPI_Comm comm) {
  const bool alone = comm == MPI_COMM_SELF;
  return folder() + "/" + name + (alone ? "." + std::to_string(launch_rank()) : "");
}

/// Every access begins at the same place of the same contents.
void rewind(Arguments& arguments) {
  arguments.fill();
  CALL(MPI_File_seek, arguments.file, arguments.offset, MPI_SEEK_SET);
  CALL(MPI_File_seek_shared, arguments.file, 0, MPI_SEEK_SET);
}

/// The number of the function that ends what a split collective begins: NAME_end for NAME_begin and NAME_begin_c.
template <Function F>
consteval int find_end() {
  const std::string_view name = cairn::facts(F).name;
  const std::size_t at = name.rfind("_begin");
  if (at == std::string_view::npos) return -1;
  std::array<char, 64> end = {};
  for (std::size_t i = 0; i < at; ++i) end[i] = name[i];
  for (std::size_t i = 0; i < 4; ++i) end[at + i] = "_end"[i];
  return find_function(std::string_view(end.data(), at + 4));
}

template <Function F>
constexpr bool is_end() {
  return !cairn::has<F>(Role::read_count) && !cairn::has<F>(Role::write_count);
}

template <Function F>
void access(Arguments& arguments) {
  if constexpr (!is_end<F>()) {
    rewind(arguments);
    call_by_roles<F>(arguments);
    if constexpr (cairn::has<F>(Role::new_request)) finish(arguments, false);
    if constexpr (find_end<F>() >= 0) call_by_roles<static_cast<Function>(find_end<F>())>(arguments);
    note_received<F>(arguments);
  }
}

/// Opens a file, calls visit(arguments) and closes it.
template <class Visitor>
void with_file(const char* name, MPI_Comm comm, Visitor visit) {
  Arguments arguments(comm);
  const std::string path = path_for(name, comm);
  CALL(MPI_File_open, comm, path.c_str(), mode, MPI_INFO_NULL, &arguments.file);
  CALL(MPI_File_set_view, arguments.file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  arguments.offset = comm == MPI_COMM_SELF ? 0 : arguments.rank * block;
  CALL(MPI_File_write_at_all, arguments.file, arguments.offset, arguments.out.data(), block, MPI_INT,
       MPI_STATUS_IGNORE);
  CALL(MPI_File_sync, arguments.file);
  CALL(MPI_Barrier, comm);
  visit(arguments);
  CALL(MPI_File_close, &arguments.file);
}

template <Category C>
void access_all(Arguments& arguments) {
  for_each_of<C>([&]<Function F>() { access<F>(arguments); });
}

/// Of a file that all processes have opened.
void describe(MPI_File file) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Info info = MPI_INFO_NULL;
  int number = 0;
  Number size;
  CALL(MPI_File_set_size, file, 256);
  CALL(MPI_File_preallocate, file, 512);
  CALL(MPI_Barrier, MPI_COMM_WORLD);  // in Open MPI's default I/O rank 0 may still be at it when others return
  CALL(MPI_File_get_size, file, size);
  CALL(MPI_Barrier, MPI_COMM_WORLD);  // before anything is written
  CALL(MPI_File_get_amode, file, &number);
  CALL(MPI_File_get_group, file, &group);
  CALL(MPI_Group_size, group, &number);
  CALL(MPI_Group_free, &group);
  CALL(MPI_Info_create, &info);
  CALL(MPI_File_set_info, file, info);
  CALL(MPI_Info_free, &info);
  CALL(MPI_File_get_info, file, &info);
  CALL(MPI_Info_free, &info);
  BOTH(MPI_File_get_type_extent, file, MPI_DOUBLE, size);
}

/// For a file of one process: Open MPI compares the flag with an uninitialized one of rank 0.
void make_atomic(MPI_File file) {
  int flag = 0;
  CALL(MPI_File_set_atomicity, file, 1);
  CALL(MPI_File_get_atomicity, file, &flag);
  CALL(MPI_File_set_atomicity, file, 0);
}

void place(MPI_File file) {
  char representation[MPI_MAX_DATAREP_STRING] = "";
  MPI_Datatype element = MPI_DATATYPE_NULL;
  MPI_Datatype pattern = MPI_DATATYPE_NULL;
  Number offset;
  CALL(MPI_File_set_view, file, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);
  CALL(MPI_File_get_view, file, offset, &element, &pattern, representation);
  CALL(MPI_File_seek, file, 3, MPI_SEEK_SET);
  CALL(MPI_File_seek, file, 2, MPI_SEEK_CUR);
  CALL(MPI_File_get_position, file, offset);
  CALL(MPI_File_get_byte_offset, file, 5, offset);
  CALL(MPI_File_seek_shared, file, 4, MPI_SEEK_SET);
  CALL(MPI_File_get_position_shared, file, offset);
}

int extent(MPI_Datatype type, MPI_Aint* bytes, void*) {
  MPI_Aint lower = 0;
  return CALL(MPI_Type_get_extent, type, &lower, bytes);
}

int convert(void* user, MPI_Datatype, int count, void* file, MPI_Offset, void*) {
  for (int i = 0; i < count; ++i) static_cast<int*>(user)[i] = static_cast<const int*>(file)[i];
  return MPI_SUCCESS;
}

#if MPI_VERSION >= 4
int convert_large(void*, MPI_Datatype, MPI_Count, void*, MPI_Offset, void*) { return MPI_SUCCESS; }
#endif

/// ROMIO takes a representation without conversion functions, Open MPI's default I/O none at all.
void representations() {
  CALL(MPI_Register_datarep, "conformance_plain", MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent, nullptr);
  CALL(MPI_Register_datarep, "conformance", convert, convert, extent, nullptr);
#if MPI_VERSION >= 4
  CALL(MPI_Register_datarep_c, "conformance_large_plain", MPI_CONVERSION_FN_NULL_C, MPI_CONVERSION_FN_NULL_C, extent,
       nullptr);
  CALL(MPI_Register_datarep_c, "conformance_large", convert_large, convert_large, extent, nullptr);
#endif
}

}  // namespace

void files(bool with_nonblocking_collectives) {
  with_file("alone", MPI_COMM_SELF, [](Arguments& arguments) {
    access_all<Category::io>(arguments);
    access_all<Category::io_nonblocking>(arguments);
    make_atomic(arguments.file);
  });
  with_file("together", MPI_COMM_WORLD, [&](Arguments& arguments) {
    access_all<Category::io_collective>(arguments);
    if (with_nonblocking_collectives) access_all<Category::io_collective_nonblocking>(arguments);
  });

  MPI_File file = MPI_FILE_NULL;
  const std::string path = path_for("described", MPI_COMM_WORLD);
  CALL(MPI_File_open, MPI_COMM_WORLD, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  describe(file);
  place(file);
  CALL(MPI_File_close, &file);
  CALL(MPI_Barrier, MPI_COMM_WORLD);
  if (launch_rank() == 0) CALL(MPI_File_delete, path.c_str(), MPI_INFO_NULL);
  if (launch_rank() == 1) CALL(MPI_File_delete, (path + ".none").c_str(), MPI_INFO_NULL);
  representations();
}

}  // namespace conformance
