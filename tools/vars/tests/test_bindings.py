# SPDX-License-Identifier: BSD-3-Clause
# test_bindings.py - performance variables bound to every kind of object: what libraries get wrong, and that `vars` keeps off it.

import re
import shutil

from cairn_testing import *

# What bindings.c finds on Debian's libraries: {variables whose names begin so: the objects}. `vars` and the tool `policy` read
# none of it (tools/shared/mpi_t.hpp). Those that crash at once are in test_inventory.py.
DEFECTS = {
    "openmpi": {"osc_rdma_": {"shared window"},
                "pml_ob1_": {"inter with fewer remote ranks", "dup of inter with fewer remote ranks"}},
    "mpich": {},
}


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed")
def test_what_libraries_get_wrong_is_what_is_known(mpi, tmp_path):
    if mpi.id == "openmpi":
        checked, names = ("valgrind", "-q", "--log-file=/dev/null"), ("pml_", "osc_", "mpool_", "coll_")
    else:
        checked, names = (), ()  # it has no performance variable, and takes a minute to say so under valgrind
    result = run(*mpi.mpirun(3), *checked, mpi.program("vars/bindings"), *names, cwd=tmp_path, timeout=280)
    found = {}
    for variable, bound_to in re.findall(r"^(\w+), (.*): (?:SIG|reads)", result.out, re.MULTILINE):
        found.setdefault(re.match(r"[a-z]+_[a-z0-9]+_", variable)[0], set()).add(bound_to)
    assert found == DEFECTS[mpi.id]


def test_inter_communicators_are_left_alone_where_the_library_crashes(mpi, tmp_path):
    result = run_stacked(mpi, 5, ["vars=budget:0:table:off"], mpi.program("vars/objects"), "inter", out=tmp_path)
    said = result.out.replace("\n", "")  # launchers may put the ends of lines elsewhere
    assert (result.code, said, result.err) == (0, "done" * 5, "")
    left_out = {one["why"]: one["variables"] for one in json.loads((tmp_path / "vars.json").read_text())["left_out"]}
    if mpi.id == "openmpi":
        assert left_out["Open MPI crashes where an inter-communicator has fewer remote than local processes"] == [
            "pml_ob1_unexpected_msgq_length", "pml_ob1_posted_recvq_length"]
        assert left_out["Open MPI reads beyond windows that another component made, such as shared ones"] == [
            "osc_rdma_put_retry_count", "osc_rdma_get_retry_count"]


def test_variables_of_a_layer_that_starts_later_are_read(mpi, tmp_path):
    """`comm` outside of `vars`: when `vars` starts, `comm` does not know any communicator yet."""
    result = run_stacked(mpi, 2, ["comm=table:off", "vars=budget:0:table:off:names:comm_*+*monitoring*"], mpi.program("ring_c"),
                         out=tmp_path)
    assert (result.code, result.err) == (0, "")
    data = json.loads((tmp_path / "vars.json").read_text())
    tools = {one["name"]: one for one in data["variables"] if one["of"] == "tool"}
    assert len(tools) == 34 and all(one["handles"] > 0 for one in tools.values())
    left_out = [name for one in data["left_out"] for name in one["variables"] if not name.startswith("index")]
    assert left_out == ["pml_monitoring_flush"]
    # What `comm` calls while its variables are read is none of the program's.
    assert (data["calls_missed"], data.get("calls_nested", 0)) == (0, 0)


def test_calls_in_callbacks_are_in_the_reading_of_the_call_around_them(mpi, tmp_path):
    result = run_stacked(mpi, 1, ["vars=budget:0", mpi.tool("vars/known")], mpi.program("vars/callbacks"), out=tmp_path)
    assert (result.code, result.out) == (0, "done\n")
    data = json.loads((tmp_path / "vars.json").read_text())
    functions = {one["name"]: (one["calls"], one["read"]) for one in data["functions"]}
    assert (functions["MPI_Comm_rank"], data["calls_nested"], data["calls_missed"]) == ((3, 0), 3, 0)
    assert "  3 calls of callbacks are in the readings of the calls around them\n" in result.err
    # Calls that were left by a jump are not read to their end, those after them are: from the same place or from further down the
    # stack, and by another thread when the one that has left is over.
    assert (functions["MPI_Send"], functions["MPI_Comm_size"], functions["MPI_Comm_compare"], functions["MPI_Comm_test_inter"]) == (
        (3, 0), (5, 5), (5, 5), (5, 5))
