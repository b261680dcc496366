# SPDX-License-Identifier: BSD-3-Clause
# test_add_abi.py - an installation for one MPI gets the engine and the tools for the standard ABI.

import sys

from add_mpi_testing import *


def test_the_standard_abi_is_added_with_all_tools(prefix, tmp_path, tmp_path_factory):
    """The stand-in library, with the functions that it lacks as such that fail: one process, which talks to itself."""
    library = tmp_path / "abi"
    assert run(sys.executable, SOURCE / "tests/standin/whole_abi.py", library).code == 0
    done = add(prefix, library / "mpicc_abi", **compiled_fast(tmp_path_factory.getbasetemp()))
    assert (done.code, done.err) == (0, "")
    assert done.out.endswith(f"can run under all tools: '{prefix}/lib/cairn/engine-abi.so'\n")
    names = {name.replace("-openmpi.so", "-abi.so").replace("openmpi/", "abi/") for name in files_for(prefix, OPENMPI)}
    assert {path.relative_to(prefix / "lib/cairn").as_posix() for path in abi_files(prefix)} == names
    program = BUILD / "tests/standin/program"
    bare = run(program)
    stacked = run(prefix / "bin/cairn", "run", "--tools", "profile=table:off", "--out", tmp_path / "out", "--", program, LD_LIBRARY_PATH=library)
    assert (stacked.code, stacked.out, stacked.err) == (bare.code, bare.out, "")
    assert read_profile(tmp_path / "out")["MPI_Sendrecv"]["calls"] == 1


def abi_files(prefix):
    lib = prefix / "lib/cairn"
    return [path for path in [*lib.glob("*-abi.so"), *(lib / "abi").rglob("*")] if path.is_file()]
