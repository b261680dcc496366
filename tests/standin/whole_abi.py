#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# whole_abi.py - the stand-in library with all functions of the standard ABI, so that `cairn add-mpi` can compile an engine for it
#
#   whole_abi.py FOLDER
#
# FOLDER gets mpi.h, which adds to the stand-in's own what the engine and the bundled tools use, libmpi_abi.so.1, and the compiler wrapper
# mpicc_abi. Functions that the stand-in does not have end with MPI_ERR_OTHER and do nothing.

import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "spec"))
import generate  # noqa: E402 (found through the line above)

HANDLES = ["Errhandler", "File", "Info", "Message", "Session", "Win"]
TOOL_HANDLES = ["enum", "cvar_handle", "pvar_handle", "pvar_session", "event_registration", "event_instance"]

CONSTANTS = {
    "MPI_Datatype": """AINT=0x201 COUNT=0x202 OFFSET=0x203 PACKED=0x207 SHORT=0x208 LONG_LONG=0x20b UNSIGNED_SHORT=0x20c UNSIGNED=0x20d
        UNSIGNED_LONG_LONG=0x20f C_FLOAT_COMPLEX=0x212 C_DOUBLE_COMPLEX=0x216 LOGICAL=0x218 REAL=0x21a COMPLEX=0x21b DOUBLE_COMPLEX=0x21d
        CHARACTER=0x21e LONG_DOUBLE=0x220 C_LONG_DOUBLE_COMPLEX=0x224 FLOAT_INT=0x228 DOUBLE_INT=0x229 LONG_INT=0x22a 2INT=0x22b SHORT_INT=0x22c
        LONG_DOUBLE_INT=0x22d C_BOOL=0x238 WCHAR=0x23c INT8_T=0x240 UINT8_T=0x241 SIGNED_CHAR=0x244 UNSIGNED_CHAR=0x245 INT16_T=0x248 UINT16_T=0x249 UINT32_T=0x251""",
    "MPI_Op": "PROD=0x24 BAND=0x28 BOR=0x29 BXOR=0x2a LAND=0x30 LOR=0x31 LXOR=0x32 MINLOC=0x38 MAXLOC=0x39",
    "MPI_Comm_copy_attr_function *": "COMM_NULL_COPY_FN=0 COMM_DUP_FN=1",
    "MPI_Comm_delete_attr_function *": "COMM_NULL_DELETE_FN=0",
    "MPI_Win_copy_attr_function *": "WIN_NULL_COPY_FN=0",
    "MPI_Win_delete_attr_function *": "WIN_NULL_DELETE_FN=0",
    "char **": "ARGV_NULL=0",
    "char ***": "ARGVS_NULL=0",
    "int *": "ERRCODES_IGNORE=0 WEIGHTS_EMPTY=11",
    "MPI_Status *": "STATUSES_IGNORE=0",
    "MPI_Group": "GROUP_EMPTY=0x109",
    "MPI_Win": "WIN_NULL=0x110",
    "MPI_File": "FILE_NULL=0x118",
    "MPI_Session": "SESSION_NULL=0x120",
    "MPI_Info": "INFO_NULL=0x130 INFO_ENV=0x131",
    "MPI_Errhandler": "ERRHANDLER_NULL=0x140 ERRORS_ARE_FATAL=0x141 ERRORS_RETURN=0x143",
    "MPI_T_enum": "T_ENUM_NULL=0",
    "MPI_T_cvar_handle": "T_CVAR_HANDLE_NULL=0",
    "MPI_T_pvar_handle": "T_PVAR_HANDLE_NULL=0 T_PVAR_ALL_HANDLES=1",
    "MPI_T_pvar_session": "T_PVAR_SESSION_NULL=0",
    "int": """KEYVAL_INVALID=0 MODE_CREATE=2 MODE_DELETE_ON_CLOSE=4 MODE_RDONLY=16 MODE_RDWR=32 MAX_OBJECT_NAME=128 MAX_ERROR_STRING=512
        IDENT=201 CONGRUENT=202 SIMILAR=203 UNEQUAL=204 LOCK_EXCLUSIVE=301 LOCK_SHARED=302 TAG_UB=501 IO=502 HOST=503 WTIME_IS_GLOBAL=504
        APPNUM=505 LASTUSEDCODE=506 UNIVERSE_SIZE=507 T_BIND_NO_OBJECT=1 T_BIND_MPI_COMM=2 T_BIND_MPI_DATATYPE=3 T_BIND_MPI_ERRHANDLER=4
        T_BIND_MPI_FILE=5 T_BIND_MPI_GROUP=6 T_BIND_MPI_OP=7 T_BIND_MPI_REQUEST=8 T_BIND_MPI_WIN=9 T_BIND_MPI_MESSAGE=10 T_BIND_MPI_INFO=11
        T_BIND_MPI_SESSION=12 T_ERR_CANNOT_INIT=1001 T_ERR_NOT_ACCESSIBLE=1002 T_ERR_NOT_INITIALIZED=1003 T_ERR_NOT_SUPPORTED=1004
        T_ERR_MEMORY=1005 T_ERR_INVALID=1006 T_ERR_INVALID_INDEX=1007 T_ERR_INVALID_ITEM=1008 T_ERR_INVALID_SESSION=1009
        T_ERR_INVALID_HANDLE=1010 T_ERR_INVALID_NAME=1011 T_ERR_OUT_OF_HANDLES=1012 T_ERR_OUT_OF_SESSIONS=1013 T_ERR_CVAR_SET_NOT_NOW=1014
        T_ERR_CVAR_SET_NEVER=1015 T_ERR_PVAR_NO_WRITE=1016 T_ERR_PVAR_NO_STARTSTOP=1017 T_ERR_PVAR_NO_ATOMIC=1018 T_PVAR_CLASS_STATE=1
        T_PVAR_CLASS_LEVEL=2 T_PVAR_CLASS_SIZE=3 T_PVAR_CLASS_PERCENTAGE=4 T_PVAR_CLASS_HIGHWATERMARK=5 T_PVAR_CLASS_LOWWATERMARK=6
        T_PVAR_CLASS_COUNTER=7 T_PVAR_CLASS_AGGREGATE=8 T_PVAR_CLASS_TIMER=9 T_PVAR_CLASS_GENERIC=10 T_SCOPE_CONSTANT=1 T_SCOPE_READONLY=2
        T_SCOPE_LOCAL=3 T_SCOPE_GROUP=4 T_SCOPE_GROUP_EQ=5 T_SCOPE_ALL=6 T_SCOPE_ALL_EQ=7 T_VERBOSITY_USER_BASIC=9 T_VERBOSITY_USER_DETAIL=10
        T_VERBOSITY_USER_ALL=12 T_VERBOSITY_TUNER_BASIC=17 T_VERBOSITY_TUNER_DETAIL=18 T_VERBOSITY_TUNER_ALL=20 T_VERBOSITY_MPIDEV_BASIC=33
        T_VERBOSITY_MPIDEV_DETAIL=34 T_VERBOSITY_MPIDEV_ALL=36""",
}

ENUMERATIONS = """typedef enum { MPI_T_CB_REQUIRE_NONE = 0, MPI_T_CB_REQUIRE_MPI_RESTRICTED = 3, MPI_T_CB_REQUIRE_THREAD_SAFE = 15,
  MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE = 63 } MPI_T_cb_safety;
typedef enum { MPI_T_SOURCE_ORDERED = 1, MPI_T_SOURCE_UNORDERED = 2 } MPI_T_source_order;
"""


def callbacks():
    """Types of functions that programs hand over."""
    for handle in ["Comm", "Type", "Win"]:
        c_type = "MPI_Datatype" if handle == "Type" else f"MPI_{handle}"
        yield f"typedef int MPI_{handle}_copy_attr_function({c_type}, int, void *, void *, void *, int *);"
        yield f"typedef int MPI_{handle}_delete_attr_function({c_type}, int, void *, void *);"
    for handle in ["Comm", "File", "Session", "Win"]:
        yield f"typedef void MPI_{handle}_errhandler_function(MPI_{handle} *, int *, ...);"
    yield "typedef void MPI_User_function_c(void *, void *, MPI_Count *, MPI_Datatype *);"
    yield "typedef int MPI_Grequest_query_function(void *, MPI_Status *);"
    yield "typedef int MPI_Grequest_free_function(void *);"
    yield "typedef int MPI_Grequest_cancel_function(void *, int);"
    yield "typedef int MPI_Datarep_extent_function(MPI_Datatype, MPI_Aint *, void *);"
    for ending, count in [("", "int"), ("_c", "MPI_Count")]:
        yield f"typedef int MPI_Datarep_conversion_function{ending}(void *, MPI_Datatype, {count}, void *, MPI_Offset, void *);"
    yield "typedef void MPI_T_event_cb_function(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void *);"
    yield "typedef void MPI_T_event_free_cb_function(MPI_T_event_registration, MPI_T_cb_safety, void *);"
    yield "typedef void MPI_T_event_dropped_cb_function(MPI_Count, MPI_T_event_registration, int, MPI_T_cb_safety, void *);"


def constants():
    for c_type, entries in CONSTANTS.items():
        for name, value in (entry.split("=") for entry in entries.split()):
            yield f"#define MPI_{name} {value}" if c_type == "int" else f"#define MPI_{name} (({c_type}){value})"


def is_in_abi(function):
    """Neither removed nor for Fortran, whose integers C need not know there."""
    return function.has_signature and function.since and not function.removed and not re.search(r"MPI_Fint|MPI_F08", prototype(function, ""))


def prototype(function, prefix):
    parameters = [parameter.declaration(function.large) for parameter in function.parameters] or ["void"]
    return f"{function.result_type} {prefix}{function.name}({', '.join(parameters + ['...'] * function.variadic)})"


def missing_functions():
    there = set(re.findall(r"^ALSO_AS_MPI.(\w+).;", (HERE / "library.c").read_text(), re.MULTILINE))
    functions = [function for function in generate.read_functions().values() if is_in_abi(function)]
    return [function for function in functions if function.name.removeprefix("MPI_") not in there]


def header(functions):
    lines = ["#pragma once", f'#include "{HERE}/mpi.h"', "#ifdef __cplusplus", 'extern "C" {', "#endif"]
    lines += [f"typedef struct MPI_ABI_{handle} *MPI_{handle};" for handle in HANDLES]
    lines += [f"typedef struct MPI_T_{handle}_t *MPI_T_{handle};" for handle in TOOL_HANDLES]
    lines += [ENUMERATIONS, *callbacks(), *constants()]
    lines += [prototype(function, prefix) + ";" for function in functions for prefix in ["", "P"]]
    return "\n".join([*lines, "#ifdef __cplusplus", "}", "#endif", ""])


def definition(function):
    result = "MPI_ERR_OTHER" if function.result_type == "int" else "0"
    return (f"{prototype(function, 'P')} {{ return {result}; }}\n"
            f"__typeof__(P{function.name}) {function.name} __attribute__((weak, alias(\"P{function.name}\")));\n")


def main(folder):
    folder.mkdir(exist_ok=True)
    functions = missing_functions()
    (folder / "mpi.h").write_text(header(functions))
    (folder / "rest.c").write_text("#include <mpi.h>\n" + "".join(map(definition, functions)))
    subprocess.run(["cc", "-shared", "-fPIC", "-D_GNU_SOURCE", "-Wl,-soname,libmpi_abi.so.1", f"-I{folder}", HERE / "library.c", folder / "rest.c",
                    "-o", folder / "libmpi_abi.so.1"], check=True)
    wrapper = folder / "mpicc_abi"
    wrapper.write_text(f'#!/bin/sh\nexec cc -I{folder} "$@" {folder}/libmpi_abi.so.1 -Wl,-rpath,{folder}\n')
    wrapper.chmod(0o755)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
