// SPDX-License-Identifier: BSD-3-Clause
// cxx_bindings.cc - a program that uses the C++ bindings, which left MPI in version 3.0 and which both MPIs still have.
//
// Needs at least 2 ranks. Most of the bindings is inline, so MPI is called from here; what is virtual and not resolved
// by the compiler, and every callback, comes through the MPI library's own C++ part (libmpi_cxx, libmpichcxx).
// tests/mpi/test_calls_seen.py has the number of calls of each function.

#include <mpi.h>

#include <iostream>

namespace {

int errors = 0;
int copied = 0;
int deleted = 0;
int told = 0;

void expect(bool right) { errors += right ? 0 : 1; }

void multiply(const void* in, void* inout, int length, const MPI::Datatype& /*type*/) {
  for (int i = 0; i < length; ++i) static_cast<int*>(inout)[i] *= static_cast<const int*>(in)[i];
}

int copy_attribute(const MPI::Comm& comm, int /*key*/, void* /*extra*/, void* before, void* after, bool& flag) {
  expect(comm.Get_size() >= 2);
  *static_cast<void**>(after) = before;
  flag = true;
  ++copied;
  return MPI_SUCCESS;
}

int delete_attribute(MPI::Comm& /*comm*/, int /*key*/, void* value, void* /*extra*/) {
  int version = 0;
  int subversion = 0;
  MPI::Get_version(version, subversion);
  expect(version >= 3 && value == &errors);
  ++deleted;
  return MPI_SUCCESS;
}

void count_error(MPI::Comm& /*comm*/, int* code, ...) {
  expect(MPI::Get_error_class(*code) == MPI::ERR_RANK);
  ++told;
}

void pass_messages(int rank, int size) {
  const int next = (rank + 1) % size;
  const int before = (rank + size - 1) % size;
  int token = -1;
  MPI::Request request = MPI::COMM_WORLD.Irecv(&token, 1, MPI::INT, before, 0);
  MPI::COMM_WORLD.Send(&rank, 1, MPI::INT, next, 0);
  MPI::Status status;
  request.Wait(status);
  expect(token == before && status.Get_source() == before && status.Get_count(MPI::INT) == 1);

  MPI::Op op;
  op.Init(multiply, true);
  int factor = 2;
  int product = 0;
  MPI::COMM_WORLD.Allreduce(&factor, &product, 1, MPI::INT, op);
  expect(product == 1 << size);
  op.Free();
}

/// Not known to the compiler as what it is, so its functions are called through its table.
MPI::Comm& hidden(MPI::Comm& comm) {
  MPI::Comm* volatile place = &comm;
  return *place;
}

void make_communicators(int rank, int size) {
  MPI::Intracomm half = MPI::COMM_WORLD.Split(rank % 2, rank);
  expect(half.Get_size() == (size + 1 - rank % 2) / 2);
  half.Free();
  MPI::Comm& clone = hidden(MPI::COMM_WORLD).Clone();
  expect(!hidden(clone).Is_inter() && hidden(clone).Get_topology() == MPI::UNDEFINED);
  clone.Free();
  delete &clone;

  const int extents[1] = {size};
  const bool periods[1] = {true};
  MPI::Cartcomm ring = MPI::COMM_WORLD.Create_cart(1, extents, periods, false);
  int source = -1;
  int target = -1;
  ring.Shift(0, 1, source, target);
  expect(target == (rank + 1) % size && ring.Get_dim() == 1);
  MPI::Cartcomm row = ring.Sub(periods);
  expect(row.Get_size() == size);
  row.Free();
  ring.Free();
}

void keep_attributes() {
  const int key = MPI::Comm::Create_keyval(copy_attribute, delete_attribute, nullptr);
  MPI::COMM_WORLD.Set_attr(key, &errors);
  MPI::Intracomm copy = MPI::COMM_WORLD.Dup();
  void* value = nullptr;
  expect(copy.Get_attr(key, &value) && value == &errors);
  copy.Free();
  MPI::COMM_WORLD.Delete_attr(key);
  int freed = key;
  MPI::Comm::Free_keyval(freed);
}

void make_an_error(int size) {
  MPI::Errhandler handler = MPI::Comm::Create_errhandler(count_error);
  MPI::COMM_WORLD.Set_errhandler(handler);
  MPI::COMM_WORLD.Send(&size, 1, MPI::INT, size, 0);
  MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_ARE_FATAL);
  handler.Free();
}

}  // namespace

int main(int argc, char** argv) {
  MPI::Init(argc, argv);
  const int rank = MPI::COMM_WORLD.Get_rank();
  const int size = MPI::COMM_WORLD.Get_size();
  const double begin = MPI::Wtime();
  pass_messages(rank, size);
  make_communicators(rank, size);
  keep_attributes();
  make_an_error(size);
  expect(MPI::Wtime() >= begin);
  MPI::COMM_WORLD.Barrier();
  if (rank == 0)
    std::cout << "cxx_bindings: copied " << copied << ", deleted " << deleted << ", told " << told << ", errors "
              << errors << std::endl;
  MPI::Finalize();
  return errors == 0 ? 0 : 1;
}
