// SPDX-License-Identifier: BSD-3-Clause
// conversions.cc - handles and statuses between C and Fortran; also what Open MPI exports for its own Fortran bindings

#include "arguments.hpp"
#include "scenarios.hpp"

#ifdef OPEN_MPI
// What the spec only names, with the parameters that Fortran passes: addresses.
using Place = void*;
#define COPY_FUNCTION(name)                                                                      \
  extern "C" void conformance_##name(Place, Place, Place, Place value, Place copied, Place flag, \
                                     Place error) __asm__(#name);
#define DELETE_FUNCTION(name) \
  extern "C" void conformance_##name(Place, Place, Place, Place, Place error) __asm__(#name);
#define TIME_FUNCTION(name) extern "C" void conformance_##name(double* seconds) __asm__(#name);
#define ADDRESS_FUNCTION(name) \
  extern "C" void conformance_##name(MPI_Aint*, MPI_Aint*, MPI_Aint* result) __asm__(#name);
#define CONVERSION_FUNCTION(name) \
  extern "C" void conformance_##name(Place, Place, Place, Place, Place, Place, Place error) __asm__(#name);
#define FOR_FORTRAN_NAMES(copy, remove, time, address, conversion)                                                \
  copy(MPI_COMM_DUP_FN) copy(MPI_COMM_NULL_COPY_FN) copy(MPI_DUP_FN) copy(MPI_NULL_COPY_FN) copy(MPI_TYPE_DUP_FN) \
      copy(MPI_TYPE_NULL_COPY_FN) copy(MPI_WIN_DUP_FN) copy(MPI_WIN_NULL_COPY_FN) remove(MPI_COMM_NULL_DELETE_FN) \
          remove(MPI_NULL_DELETE_FN) remove(MPI_TYPE_NULL_DELETE_FN) remove(MPI_WIN_NULL_DELETE_FN)               \
              time(MPI_WTICK_F90) time(MPI_WTIME_F90) address(MPI_AINT_ADD_F90) address(MPI_AINT_DIFF_F90)        \
                  conversion(MPI_CONVERSION_FN_NULL)
FOR_FORTRAN_NAMES(COPY_FUNCTION, DELETE_FUNCTION, TIME_FUNCTION, ADDRESS_FUNCTION, CONVERSION_FUNCTION)
#endif

namespace conformance {
namespace {

/// A handle must come back as it went.
template <Function ToFortran, Function ToC, class Handle>
void there_and_back(Handle handle) {
  const MPI_Fint number = call<ToFortran>(handle);
  note(std::string(cairn::facts(ToC).name) + (call<ToC>(number) == handle ? " same" : " another"));
}

#define THERE_AND_BACK(kind, handle) there_and_back<Function::MPI_##kind##_c2f_, Function::MPI_##kind##_f2c_>(handle)

void statuses() {
  MPI_Fint fortran[sizeof(MPI_Status) / sizeof(MPI_Fint)] = {};
  MPI_Status status = {};
  MPI_Status back = {};
  status.MPI_SOURCE = 3;
  status.MPI_TAG = 4;
  CALL(MPI_Status_c2f, &status, fortran);
  CALL(MPI_Status_f2c, fortran, &back);
}

#ifdef OPEN_MPI
void handles() {
  THERE_AND_BACK(Comm, MPI_COMM_WORLD);
  THERE_AND_BACK(Type, MPI_DOUBLE);
  THERE_AND_BACK(Op, MPI_MAX);
  THERE_AND_BACK(Errhandler, MPI_ERRORS_RETURN);
  THERE_AND_BACK(Request, MPI_REQUEST_NULL);
  THERE_AND_BACK(Message, MPI_MESSAGE_NULL);
  THERE_AND_BACK(Group, MPI_GROUP_EMPTY);
  THERE_AND_BACK(Info, MPI_INFO_NULL);
  THERE_AND_BACK(Win, MPI_WIN_NULL);
}

/// Layers cannot wrap these, so each is counted by hand.
struct FortranCalls {
  MPI_Fint handle = 0;
  MPI_Fint flag = -1;
  MPI_Fint error = -1;
  MPI_Aint value = 21;
  MPI_Aint copied = 0;

  void note_result(const char* name) {
    note(std::string(name) + " " + std::to_string(flag) + " " + std::to_string(error) + " " + std::to_string(copied));
    flag = error = -1;
    copied = 0;
  }
  void copy(const char* name, decltype(conformance_MPI_DUP_FN)* function) {
    count_call(name);
    function(&handle, &handle, &value, &value, &copied, &flag, &error);
    note_result(name);
  }
  void remove(const char* name, decltype(conformance_MPI_NULL_DELETE_FN)* function) {
    count_call(name);
    function(&handle, &handle, &value, &value, &error);
    note_result(name);
  }
  void convert(const char* name, decltype(conformance_MPI_CONVERSION_FN_NULL)* function) {
    count_call(name);
    function(&value, &handle, &handle, &value, &value, &value, &error);
    note_result(name);
  }
  void address(const char* name, decltype(conformance_MPI_AINT_ADD_F90)* function) {
    count_call(name);
    function(&value, &value, &copied);
    note_result(name);
  }
  void time(const char* name, decltype(conformance_MPI_WTIME_F90)* function) {
    double seconds = 0;
    count_call(name);
    function(&seconds);
    note(std::string(name) + (seconds > 0 ? " a time" : " no time"));
  }
};

void fortran_names() {
  FortranCalls calls;
#define COPY_CALL(name) calls.copy(#name, conformance_##name);
#define DELETE_CALL(name) calls.remove(#name, conformance_##name);
#define TIME_CALL(name) calls.time(#name, conformance_##name);
#define ADDRESS_CALL(name) calls.address(#name, conformance_##name);
#define CONVERSION_CALL(name) calls.convert(#name, conformance_##name);
  FOR_FORTRAN_NAMES(COPY_CALL, DELETE_CALL, TIME_CALL, ADDRESS_CALL, CONVERSION_CALL)
}
#else
void handles() {}  // macros in mpi.h
void fortran_names() {}
#endif

}  // namespace

void conversions() {
  handles();
  THERE_AND_BACK(File, MPI_FILE_NULL);
  statuses();
  fortran_names();
}

}  // namespace conformance
