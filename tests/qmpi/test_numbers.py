# SPDX-License-Identifier: BSD-3-Clause
# test_numbers.py - the numbers that QMPI tools are compiled with never change.

import hashlib

from cairn_testing import *

FROZEN = {"qmpi_numbers.txt": (737, "791ce934fa35bf49"), "thesis_functions.txt": (360, "c5f294a9d69b24a5")}


def names(file):
    return [line for line in (SOURCE / "spec" / file).read_text().splitlines() if line and not line.startswith("#")]


@pytest.mark.parametrize("file", FROZEN)
def test_functions_keep_their_numbers(file):
    count, digest = FROZEN[file]
    assert hashlib.sha256("\n".join(names(file)[:count]).encode()).hexdigest()[:16] == digest


def test_the_thesis_has_360_functions_in_alphabetical_order():
    functions = names("thesis_functions.txt")
    assert len(functions) == 360 and functions == sorted(functions, key=str.lower)
    assert [functions.index(f"MPI_{name}") for name in ("Abort", "Ibsend", "Igatherv", "Improbe", "Imrecv", "Init", "Wtime")] == [
        0, 180, 183, 184, 185, 200, 359]


def test_header_has_a_type_for_each_function_of_the_mpi(mpi, tmp_path):
    """Those of the standard without Fortran conversions; on MPICH its own header decides."""
    source = tmp_path / "types.c"
    source.write_text('#include <mpi.h>\n#include "qmpi.h"\nQMPI_Send_t *a; QMPI_Wtime_t *b; QMPI_Pcontrol_t *c;\n'
                      "int numbers[] = {MPI_SEND_T, MPI_WTIME_T, MPI_PCONTROL_T, MPI_LAST_FUNC_T};\n")
    for compiler in ([f"mpicc.{mpi.id}", "-std=c11"], [f"mpicxx.{mpi.id}", "-xc++", "-std=c++17", "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]):
        built = run(*compiler, "-Wall", "-Wextra", "-Werror", "-I", SOURCE / "include", "-c", "-o", tmp_path / "types.o", source)
        assert (built.code, built.err) == (0, "")
