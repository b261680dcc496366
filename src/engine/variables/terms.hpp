// SPDX-License-Identifier: BSD-3-Clause
// terms.hpp - the words of cairn/variables.h in the terms of this MPI, whose numbers are its own.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>

#include "cairn/variables.h"

namespace cairn::engine {

struct Type {
  const char* name;
  MPI_Datatype type;
  std::size_t size;
};

/// By cairn_type. Made when asked for, as the handles of some MPIs are addresses that the loader fills in.
inline std::array<Type, 7> types() {
  return {{{"int", MPI_INT, sizeof(int)},
           {"unsigned", MPI_UNSIGNED, sizeof(unsigned)},
           {"unsigned long", MPI_UNSIGNED_LONG, sizeof(unsigned long)},
           {"unsigned long long", MPI_UNSIGNED_LONG_LONG, sizeof(unsigned long long)},
           {"MPI_Count", MPI_COUNT, sizeof(MPI_Count)},
           {"char", MPI_CHAR, sizeof(char)},
           {"double", MPI_DOUBLE, sizeof(double)}}};
}

constexpr unsigned type_bit(cairn_type type) { return 1U << static_cast<unsigned>(type); }

/// What the standard calls non-negative numbers.
inline constexpr unsigned whole =
    type_bit(CAIRN_UNSIGNED) | type_bit(CAIRN_UNSIGNED_LONG) | type_bit(CAIRN_UNSIGNED_LONG_LONG);

struct Class {
  const char* name;
  int number;
  unsigned types;  // a bit for each cairn_type that is allowed
  bool adds_up;    // a total, of which a handle shows what came while it was started
};

/// By cairn_class.
inline constexpr std::array<Class, 10> classes = {{
    {"state", MPI_T_PVAR_CLASS_STATE, type_bit(CAIRN_INT), false},
    {"level", MPI_T_PVAR_CLASS_LEVEL, whole | type_bit(CAIRN_DOUBLE), false},
    {"size", MPI_T_PVAR_CLASS_SIZE, whole | type_bit(CAIRN_DOUBLE), false},
    {"percentage", MPI_T_PVAR_CLASS_PERCENTAGE, type_bit(CAIRN_DOUBLE), false},
    {"highwatermark", MPI_T_PVAR_CLASS_HIGHWATERMARK, whole | type_bit(CAIRN_DOUBLE), false},
    {"lowwatermark", MPI_T_PVAR_CLASS_LOWWATERMARK, whole | type_bit(CAIRN_DOUBLE), false},
    {"counter", MPI_T_PVAR_CLASS_COUNTER, whole, true},
    {"aggregate", MPI_T_PVAR_CLASS_AGGREGATE, whole | type_bit(CAIRN_DOUBLE), true},
    {"timer", MPI_T_PVAR_CLASS_TIMER, whole | type_bit(CAIRN_DOUBLE), true},
    {"generic", MPI_T_PVAR_CLASS_GENERIC, ~0U, false},
}};

inline constexpr int not_in_this_mpi = -1;

/// By cairn_binding.
inline constexpr std::array<int, 12> bindings = {
    MPI_T_BIND_NO_OBJECT,   MPI_T_BIND_MPI_COMM,    MPI_T_BIND_MPI_DATATYPE, MPI_T_BIND_MPI_ERRHANDLER,
    MPI_T_BIND_MPI_FILE,    MPI_T_BIND_MPI_GROUP,   MPI_T_BIND_MPI_OP,       MPI_T_BIND_MPI_REQUEST,
    MPI_T_BIND_MPI_WIN,     MPI_T_BIND_MPI_MESSAGE, MPI_T_BIND_MPI_INFO,
#ifdef CAIRN_HAS_BIND_SESSION
    MPI_T_BIND_MPI_SESSION,
#else
    not_in_this_mpi,
#endif
};

/// By cairn_scope.
inline constexpr std::array<int, 7> scopes = {
    MPI_T_SCOPE_CONSTANT, MPI_T_SCOPE_READONLY, MPI_T_SCOPE_LOCAL,  MPI_T_SCOPE_GROUP,
    MPI_T_SCOPE_GROUP_EQ, MPI_T_SCOPE_ALL,      MPI_T_SCOPE_ALL_EQ,
};

/// By cairn_verbosity.
inline constexpr std::array<int, 9> verbosities = {
    MPI_T_VERBOSITY_USER_BASIC,   MPI_T_VERBOSITY_USER_DETAIL,   MPI_T_VERBOSITY_USER_ALL,
    MPI_T_VERBOSITY_TUNER_BASIC,  MPI_T_VERBOSITY_TUNER_DETAIL,  MPI_T_VERBOSITY_TUNER_ALL,
    MPI_T_VERBOSITY_MPIDEV_BASIC, MPI_T_VERBOSITY_MPIDEV_DETAIL, MPI_T_VERBOSITY_MPIDEV_ALL,
};

}  // namespace cairn::engine
