// SPDX-License-Identifier: BSD-3-Clause
// messages.hpp - bytes from rank to rank, while MPI starts
//
// On MPI_COMM_WORLD this is safe within MPI_Init: the program cannot have sent anything yet, and all that is sent is
// received before MPI_Init returns. Making a communicator instead would change the numbers of the program's.
#pragma once

#include <mpi.h>

#include <string>

#include "job/library.hpp"

namespace cairn::engine {

/// While it lives, errors on a communicator come back as codes.
class ReturningErrors {
 public:
  explicit ReturningErrors(MPI_Comm comm) : comm_(comm) {
    library.Comm_get_errhandler(comm_, &before_);
    library.Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
  }
  ~ReturningErrors() {
    library.Comm_set_errhandler(comm_, before_);
    if (before_ != MPI_ERRORS_ARE_FATAL && before_ != MPI_ERRORS_RETURN) library.Errhandler_free(&before_);
  }
  ReturningErrors(const ReturningErrors&) = delete;
  ReturningErrors& operator=(const ReturningErrors&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
};

constexpr int job_tag = 0x6361;

inline void send_bytes(const std::string& bytes, int to, MPI_Comm comm) {
  const auto length = static_cast<int>(bytes.size());
  library.Send(&length, 1, MPI_INT, to, job_tag, comm);
  library.Send(bytes.data(), length, MPI_BYTE, to, job_tag, comm);
}

/// "" if that fails.
inline std::string receive_bytes(int from, MPI_Comm comm) {
  int length = 0;
  if (library.Recv(&length, 1, MPI_INT, from, job_tag, comm, MPI_STATUS_IGNORE) != MPI_SUCCESS) return "";
  std::string bytes(static_cast<std::size_t>(length), '\0');
  const int result = library.Recv(bytes.data(), length, MPI_BYTE, from, job_tag, comm, MPI_STATUS_IGNORE);
  return result == MPI_SUCCESS ? bytes : "";
}

/// That a rank has come so far.
inline void send_word(int to, MPI_Comm comm) { library.Send(nullptr, 0, MPI_BYTE, to, job_tag, comm); }
inline void receive_word(int from, MPI_Comm comm) {
  library.Recv(nullptr, 0, MPI_BYTE, from, job_tag, comm, MPI_STATUS_IGNORE);
}

}  // namespace cairn::engine
