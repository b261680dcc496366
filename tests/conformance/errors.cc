// SPDX-License-Identifier: BSD-3-Clause
// errors.cc - error handlers of every object, error classes, codes and texts

#include "arguments.hpp"
#include "scenarios.hpp"

namespace conformance {
namespace {

// Handlers call MPI, which layers must see too.

template <class Handle>
void handle(Handle*, int* code, ...) {
  int error_class = 0;
  CALL(MPI_Error_class, *code, &error_class);
  note("handles class " + std::to_string(error_class));
}

void on_communicator() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  CALL(MPI_Comm_create_errhandler, handle<MPI_Comm>, &handler);
  CALL(MPI_Comm_get_errhandler, MPI_COMM_SELF, &before);
  CALL(MPI_Comm_set_errhandler, MPI_COMM_SELF, handler);
  CALL(MPI_Comm_call_errhandler, MPI_COMM_SELF, MPI_ERR_TOPOLOGY);
  CALL(MPI_Send, nullptr, -1, MPI_INT, 0, 0, MPI_COMM_SELF);
  CALL(MPI_Comm_set_errhandler, MPI_COMM_SELF, before);
  CALL(MPI_Errhandler_free, &before);
  CALL(MPI_Errhandler_free, &handler);
}

void as_in_mpi_1() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  CALL(MPI_Errhandler_create, handle<MPI_Comm>, &handler);
  CALL(MPI_Errhandler_get, MPI_COMM_SELF, &before);
  CALL(MPI_Errhandler_set, MPI_COMM_SELF, handler);
  CALL(MPI_Bcast, nullptr, -1, MPI_INT, 0, MPI_COMM_SELF);
  CALL(MPI_Errhandler_set, MPI_COMM_SELF, before);
  CALL(MPI_Errhandler_free, &before);
  CALL(MPI_Errhandler_free, &handler);
}

void on_window() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_Win win = MPI_WIN_NULL;
  CALL(MPI_Win_create, nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  CALL(MPI_Win_create_errhandler, handle<MPI_Win>, &handler);
  CALL(MPI_Win_get_errhandler, win, &before);
  CALL(MPI_Win_set_errhandler, win, handler);
  CALL(MPI_Win_call_errhandler, win, MPI_ERR_DISP);
  CALL(MPI_Errhandler_free, &before);
  CALL(MPI_Errhandler_free, &handler);
  CALL(MPI_Win_free, &win);
}

void on_file() {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler before = MPI_ERRHANDLER_NULL;
  MPI_File file = MPI_FILE_NULL;
  const std::string path = folder() + "/errors." + std::to_string(launch_rank());
  CALL(MPI_File_open, MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
       MPI_INFO_NULL, &file);
  CALL(MPI_File_create_errhandler, handle<MPI_File>, &handler);
  CALL(MPI_File_get_errhandler, file, &before);
  CALL(MPI_File_set_errhandler, file, handler);
  CALL(MPI_File_call_errhandler, file, MPI_ERR_IO);
  CALL(MPI_Errhandler_free, &before);
  CALL(MPI_Errhandler_free, &handler);
  CALL(MPI_File_close, &file);
}

void texts() {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  int error_class = 0;
  int code = 0;
  CALL(MPI_Error_string, MPI_ERR_RANK, text, &length);
  CALL(MPI_Error_class, MPI_ERR_RANK, &error_class);
  CALL(MPI_Add_error_class, &error_class);
  CALL(MPI_Add_error_code, error_class, &code);
  CALL(MPI_Add_error_string, code, "conformance error");
  CALL(MPI_Error_string, code, text, &length);
  CALL(MPI_Error_class, code, &error_class);
  MAYBE(MPIX_Delete_error_string, code);
  MAYBE(MPIX_Delete_error_code, code);
  MAYBE(MPIX_Delete_error_class, error_class);
}

}  // namespace

void errors() {
  on_communicator();
  as_in_mpi_1();
  on_window();
  on_file();
  texts();
}

}  // namespace conformance
