# SPDX-License-Identifier: BSD-3-Clause
# test_annotations.py - regions marked for Caliper, TAU, NVTX and Kokkos are Cairn's; who marks them for a library still reaches it.

from cairn_testing import *

HEARD = {
    "solve": 1, "solve/file:part": 1, "solve/smooth": 1, "solve/level=1": 1, "solve/level=2": 1, "solve/level=2/below/level=3": 1, "solve/tolerance=0.5": 1,
    "tau": 1, "timer": 2, "dynamic": 2, "phase": 1, "kokkos/axpy": 1, "kokkos/dot": 1, "nvtx/inner": 1, "nvtx/named": 1, "solver=cg/level=3": 1, "loop/iteration": 4,
}


def barriers(out, check_visits=True):
    """How often MPI_Barrier was called in each region; once at each visit but in "solve", where one is after the others."""
    found = {}
    for region in json.loads((out / "profile.json").read_text())["regions"]:
        calls = sum(function["calls"] for function in region["functions"] if function["name"] == "MPI_Barrier")
        if calls and (region["region"] or not check_visits):
            assert not check_visits or region["visits"] == calls
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


def test_kokkos_is_told_by_the_variable_that_it_looks_at(mpi, tmp_path):
    library = f"{BUILD}/lib/cairn/libcairn-annotations.so"
    for program, told in (("old_kokkos", library), ("new_kokkos", f"{library}, none")):
        done = run(CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / program, mpi.program(f"annotations/{program}"))
        assert done.out == told + "\n"
        assert run(CAIRN, "run", "--tools", "", mpi.program(f"annotations/{program}")).out.strip() in ("none", "none, none")
    done = run(CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / "set", mpi.program("annotations/old_kokkos"), KOKKOS_PROFILE_LIBRARY="/mine.so")
    assert done.out == "/mine.so\n"
    (tmp_path / "loop").symlink_to("loop")  # a folder in which nothing can be looked up
    done = run(CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / "loops", mpi.program("annotations/old_kokkos"),
               LD_LIBRARY_PATH=f"{tmp_path}/loop:{os.environ.get('LD_LIBRARY_PATH', '')}")
    assert (done.code, done.out) == (0, library + "\n")


def test_regions_switch_layers_by_any_value_of_a_key(mpi, tmp_path):
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", "profile=table:off@region:level=*", "--out", tmp_path, mpi.program("annotations/silent"))
    assert result.code == 0
    functions = {one["name"]: one["calls"] for one in json.loads((tmp_path / "profile.json").read_text())["functions"]}
    assert functions["MPI_Barrier"] == 4


def test_classes_for_cxx_are_heard_and_called_as_without_cairn(mpi, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/marked"))
    assert bare.code == 0 and "begin a key of more than fifteen characters of type 2\n" in bare.out
    result = under_profile(mpi, "marked", tmp_path)
    assert (result.code, result.out, result.err) == (0, bare.out, "")
    regions = {one["region"]: one["visits"] for one in json.loads((tmp_path / "profile.json").read_text())["regions"]}
    assert barriers(tmp_path, check_visits=False) == {
        "": 3, "smooth": 1, "smooth/in a scope": 1, "ended/iteration": 3, "left": 1,
        "phase.of.run=start": 1, "a key of more than fifteen characters=8": 1, "factor=1.5": 1, "flag=true": 1,
        "level=1": 1, "level=1/solve/level=2": 1, "level=1/solve": 1, "level=a:b/inner": 1,
        "introduction/initialization": 1, "introduction/main loop/iteration": 4}
    assert regions["ended"] == 1 and regions["a key of more than fifteen characters=7"] == 1
    assert not {"main", "early"} & {name.split("/")[0] for name in regions}


def test_a_library_that_is_not_there_is_not_there_with_cairn_either(mpi, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/asks"))
    assert bare.out == "linked: not there, not there\nby name: not there, not there\n"
    assert run(*mpi.mpirun(1), CAIRN, "run", mpi.program("annotations/asks")).out == bare.out
    result = under_profile(mpi, "asks", tmp_path)
    assert (result.code, result.out, result.err) == (0, bare.out, "")


def test_a_library_that_is_there_is_found_by_those_who_ask(mpi, tmp_path):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/asks_linked"))
    assert bare.out == "linked: there, there\nby name: there, there\n"
    result = under_profile(mpi, "asks_linked", tmp_path)
    assert (result.code, result.out, result.err) == (0, bare.out, "")


def test_a_library_that_a_plugin_brings_for_itself_is_called_and_heard(mpi, tmp_path):
    plugin = mpi.folder / "annotations/plugin.so"
    bare = run(*mpi.mpirun(1), mpi.program("annotations/asks"), plugin, plugin)
    assert bare.out.count("caliper: region=of the plugin\ncaliper: end of the plugin\nafterwards: not there\n") == 2
    assert run(*mpi.mpirun(1), CAIRN, "run", mpi.program("annotations/asks"), plugin, plugin).out == bare.out
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path, mpi.program("annotations/asks"), plugin, plugin)
    assert (result.code, result.out, result.err) == (0, bare.out, "")
    assert barriers(tmp_path) == {"of the plugin": 2}


@pytest.mark.parametrize("choice", [[], ["own"]], ids=["its library's", "its own"])
def test_pointers_lead_where_the_program_has_set_them(mpi, tmp_path, choice):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/pointers"), *choice)
    assert bare.code == 0 and "pointed" in bare.out and ("own begin" in bare.out) == bool(choice)
    result = run(*mpi.mpirun(1), CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path, mpi.program("annotations/pointers"), *choice)
    assert (result.code, result.out, result.err) == (0, bare.out, "")
    if choice: assert "pointed" not in (tmp_path / "profile.json").read_text()
    else: assert barriers(tmp_path) == {"pointed": 1}


@pytest.mark.parametrize("program", ["cairn_first", "cairn_last"])
def test_a_program_linked_with_cairn_reaches_its_library_in_either_order(mpi, tmp_path, program):
    bare = run(*mpi.mpirun(1), mpi.program("annotations/loud"))
    assert run(*mpi.mpirun(1), mpi.program(f"annotations/{program}")).out == bare.out
    result = under_profile(mpi, program, tmp_path)
    assert (result.code, result.out, result.err) == (0, bare.out, "")
    assert barriers(tmp_path) == {**HEARD, "steps/iteration": 3}


def test_several_tools_hear_the_same_regions_in_either_order(mpi, tmp_path):
    for tools in ("profile=table:off,profile=table:off,comm=table:off", "comm=table:off,profile=table:off"):
        out = tmp_path / tools.split("=")[0]
        assert run(*mpi.mpirun(1), CAIRN, "run", "--tools", tools, "--out", out, mpi.program("annotations/silent")).code == 0
        assert barriers(out) == HEARD


TOLD_IN_FORTRAN = """begin solve
begin solver=cg
begin level=-3
end solver=
begin cells=8000000000
end cells=
begin name=
end name=
end solve
begin time steps
begin iteration 1
end iteration
begin iteration 2
end iteration
begin iteration 5000000000
end iteration
begin iteration 5000000001
end iteration
end time steps
"""


def test_attributes_and_iterations_in_fortran(mpi, tmp_path):
    program = mpi.program("annotations_fortran")
    bare = run(*mpi.mpirun(2), program)
    assert (bare.code, bare.out, bare.err) == (0, "", "")
    assert run(*mpi.mpirun(1), CAIRN, "run", "--tools", mpi.folder / "annotations/heard.so", program).err == TOLD_IN_FORTRAN
    assert run(*mpi.mpirun(2), CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path, program).code == 0
    assert barriers(tmp_path) == {"solve/solver=cg": 2, "solve/solver=cg/level=-3": 2, "solve/cells=8000000000": 2, "time steps/iteration": 8}


def test_the_number_of_an_iteration_reaches_layers(mpi):
    told = run(*mpi.mpirun(1), CAIRN, "run", "--tools", mpi.folder / "annotations/heard.so", mpi.program("annotations/silent")).err
    assert "begin loop\nbegin iteration 0\nend iteration\nbegin iteration 1\nend iteration\nbegin iteration 2\n" in told
