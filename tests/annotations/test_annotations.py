# SPDX-License-Identifier: BSD-3-Clause
# test_annotations.py - regions marked for Caliper, TAU, NVTX and Kokkos are Cairn's; who marks them for a library still reaches it.

from cairn_testing import *

HEARD = {
    "solve": 1, "solve/file:part": 1, "solve/smooth": 1, "solve/level=1": 1, "solve/level=2": 1, "solve/tolerance=0.5": 1,
    "tau": 1, "kokkos/axpy": 1, "kokkos/dot": 1, "nvtx/inner": 1, "nvtx/named": 1, "solver=cg/level=3": 1, "loop/iteration": 4,
}


def barriers(out):
    """How often MPI_Barrier was called in each region; once at each visit but in "solve", where one is after the others."""
    found = {}
    for region in json.loads((out / "profile.json").read_text())["regions"]:
        calls = sum(function["calls"] for function in region["functions"] if function["name"] == "MPI_Barrier")
        if region["region"] and calls:
            assert region["visits"] == calls
            found[region["region"]] = calls
    return found


def under_profile(mpi, program, out, **more):
    return run(*mpi.mpirun(1), CAIRN, "run", "--tools", "profile=table:off", "--out", out, mpi.program(f"annotations/{program}"), **more)


def test_regions_of_all_kinds_are_heard_where_no_library_does(mpi, tmp_path):
    result = under_profile(mpi, "silent", tmp_path)
    assert (result.code, result.out, result.err) == (0, "", "")
    assert barriers(tmp_path) == HEARD


def test_a_library_that_is_there_is_called_as_without_cairn(mpi, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/loud"))
    assert bare.code == 0 and "caliper: region=solve\ncaliper: region=file/part\ncaliper: end file/part\n" in bare.out
    assert run(*mpi.mpirun(1), CAIRN, "run", mpi.program("annotations/loud")).out == bare.out
    result = under_profile(mpi, "loud", tmp_path)
    assert (result.code, result.out, result.err) == (0, bare.out, "")
    assert barriers(tmp_path) == {**HEARD, "steps/iteration": 3}


def test_tools_that_the_user_has_set_for_kokkos_and_nvtx_stay(mpi, tmp_path):
    result = run(CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path, "sh", "-c", "echo $KOKKOS_TOOLS_LIBS $NVTX_INJECTION64_PATH",
                 KOKKOS_TOOLS_LIBS="/mine.so", NVTX_INJECTION64_PATH="/other.so")
    assert result.out == "/mine.so /other.so\n"
    assert run(CAIRN, "run", "--tools", "", "sh", "-c", "echo $KOKKOS_TOOLS_LIBS").out == "\n"


def test_regions_switch_layers_by_any_value_of_a_key(mpi, tmp_path):
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", "profile=table:off@region:level=*", "--out", tmp_path, mpi.program("annotations/silent"))
    assert result.code == 0
    functions = {one["name"]: one["calls"] for one in json.loads((tmp_path / "profile.json").read_text())["functions"]}
    assert functions["MPI_Barrier"] == 3
