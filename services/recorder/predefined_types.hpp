// SPDX-License-Identifier: BSD-3-Clause
// predefined_types.hpp - the datatypes that MPI has from the start, of C, C++ and Fortran
#pragma once

#include <mpi.h>

namespace recorder {

/// In the same order in all processes. Those that a library or processor does not have are MPI_DATATYPE_NULL, or, among
/// the last ones, without a name in mpi.h.
inline const MPI_Datatype predefined_types[] = {
    MPI_CHAR,
    MPI_SIGNED_CHAR,
    MPI_UNSIGNED_CHAR,
    MPI_BYTE,
    MPI_PACKED,
    MPI_WCHAR,
    MPI_SHORT,
    MPI_UNSIGNED_SHORT,
    MPI_INT,
    MPI_UNSIGNED,
    MPI_LONG,
    MPI_UNSIGNED_LONG,
    MPI_LONG_LONG,
    MPI_UNSIGNED_LONG_LONG,
    MPI_FLOAT,
    MPI_DOUBLE,
    MPI_LONG_DOUBLE,
    MPI_C_BOOL,
    MPI_INT8_T,
    MPI_INT16_T,
    MPI_INT32_T,
    MPI_INT64_T,
    MPI_UINT8_T,
    MPI_UINT16_T,
    MPI_UINT32_T,
    MPI_UINT64_T,
    MPI_C_FLOAT_COMPLEX,
    MPI_C_DOUBLE_COMPLEX,
    MPI_C_LONG_DOUBLE_COMPLEX,
    MPI_AINT,
    MPI_OFFSET,
    MPI_COUNT,
    MPI_FLOAT_INT,
    MPI_DOUBLE_INT,
    MPI_LONG_INT,
    MPI_SHORT_INT,
    MPI_LONG_DOUBLE_INT,
    MPI_2INT,
    MPI_CHARACTER,
    MPI_LOGICAL,
    MPI_INTEGER,
    MPI_REAL,
    MPI_DOUBLE_PRECISION,
    MPI_COMPLEX,
    MPI_DOUBLE_COMPLEX,
#ifdef MPI_CXX_BOOL
    MPI_CXX_BOOL,
#endif
#ifdef MPI_CXX_FLOAT_COMPLEX
    MPI_CXX_FLOAT_COMPLEX,
#endif
#ifdef MPI_CXX_DOUBLE_COMPLEX
    MPI_CXX_DOUBLE_COMPLEX,
#endif
#ifdef MPI_CXX_LONG_DOUBLE_COMPLEX
    MPI_CXX_LONG_DOUBLE_COMPLEX,
#endif
#ifdef MPI_2INTEGER
    MPI_2INTEGER,
#endif
#ifdef MPI_2REAL
    MPI_2REAL,
#endif
#ifdef MPI_2DOUBLE_PRECISION
    MPI_2DOUBLE_PRECISION,
#endif
#ifdef MPI_INTEGER1
    MPI_INTEGER1,
#endif
#ifdef MPI_INTEGER2
    MPI_INTEGER2,
#endif
#ifdef MPI_INTEGER4
    MPI_INTEGER4,
#endif
#ifdef MPI_INTEGER8
    MPI_INTEGER8,
#endif
#ifdef MPI_INTEGER16
    MPI_INTEGER16,
#endif
#ifdef MPI_REAL2
    MPI_REAL2,
#endif
#ifdef MPI_REAL4
    MPI_REAL4,
#endif
#ifdef MPI_REAL8
    MPI_REAL8,
#endif
#ifdef MPI_REAL16
    MPI_REAL16,
#endif
#ifdef MPI_COMPLEX4
    MPI_COMPLEX4,
#endif
#ifdef MPI_COMPLEX8
    MPI_COMPLEX8,
#endif
#ifdef MPI_COMPLEX16
    MPI_COMPLEX16,
#endif
#ifdef MPI_COMPLEX32
    MPI_COMPLEX32,
#endif
#ifdef MPI_LOGICAL1
    MPI_LOGICAL1,
#endif
#ifdef MPI_LOGICAL2
    MPI_LOGICAL2,
#endif
#ifdef MPI_LOGICAL4
    MPI_LOGICAL4,
#endif
#ifdef MPI_LOGICAL8
    MPI_LOGICAL8,
#endif
#ifdef MPI_LOGICAL16
    MPI_LOGICAL16,
#endif
};

}  // namespace recorder
