# SPDX-License-Identifier: BSD-3-Clause
# test_parts.py - the tool `vars` with split:on: which object's variable, and which element of an array, calls have moved.

from cairn_testing import *

RANKS = 2


def run_vars(mpi, ranks, folder, program, *words, options=""):
    result = run_stacked(mpi, ranks, [f"vars=budget:0:split:on{options}", mpi.tool("vars/standin")], mpi.program(f"vars/{program}"),
                         *words, out=folder)
    assert (result.code, result.out) == (0, "done\n")
    return result, json.loads((folder / "vars.json").read_text())


def parts(data, variable, *keys):
    """{(name of the object, element): the values of these keys}"""
    return {(one.get("object", {}).get("name"), one.get("element")): tuple(one[key] for key in keys)
            for one in data["parts"] if one["variable"] == variable}


def test_communicators_are_told_apart_by_name_and_processes(mpi, tmp_path):
    _, data = run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file", options=":names:standin_of_comm")
    found = {(one["object"]["name"], one["object"]["processes"], one["objects"], one["element"]): one["total"] for one in data["parts"]}
    barriers = {("MPI_COMM_WORLD", "0-1", RANKS): RANKS * 3, ("MPI_COMM_SELF", "0", 1): 1, ("MPI_COMM_SELF", "1", 1): 1,
                ("copy", "0-1", RANKS * 2): RANKS * 2 * 3, ("", "0-1", RANKS * 3): RANKS * 3 * 3, ("reversed", "1,0", RANKS): RANKS * 4}
    assert found == {(*who, element): each * count for who, count in barriers.items() for element, each in enumerate([1, 10])}
    assert {one["object"]["kind"] for one in data["parts"]} == {"communicator"}


def test_windows_are_told_apart_by_name_or_number(mpi, tmp_path):
    _, data = run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file", options=":names:standin_of_window")
    fences = {"window 1": 1, "halo": 2, "window 3": 3}
    assert parts(data, "standin_of_window", "objects", "total", "most") == {
        (name, element): (RANKS, RANKS * count * each, each) for name, count in fences.items() for element, each in enumerate([1, 10])}


def test_files_are_told_apart_by_path(mpi, tmp_path):
    _, data = run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file", options=":names:standin_of_file")
    assert parts(data, "standin_of_file", "objects", "changed", "total") == {
        (str(tmp_path / "file"), 0): (RANKS * 2, RANKS * 2, RANKS * 2), (str(tmp_path / "file"), 1): (RANKS * 2, RANKS * 2, RANKS * 20)}


def test_parts_sum_to_what_their_calls_did(mpi, tmp_path):
    _, data = run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file")
    for variable in data["variables"]:
        if variable["name"] in ("standin_of_comm", "standin_of_window", "standin_of_file", "standin_aggregate"):
            own = [one for one in data["parts"] if one["variable"] == variable["name"]]
            assert sum(one["total"] for one in own) == variable["in_calls"] > 0
            assert sum(one["elsewhere"] for one in own) == variable["elsewhere"]


def test_arrays_are_told_apart_by_element(mpi, tmp_path):
    _, data = run_vars(mpi, RANKS, tmp_path, "calls", options=":names:standin_*")
    assert parts(data, "standin_aggregate", "changed", "total", "most") == {
        (None, 0): (RANKS * 9, RANKS * 9 * 2, 2), (None, 1): (RANKS * 9, RANKS * 9 * 4, 4)}
    events = {"standin_barrier"} if mpi.id == "mpich" else set()
    assert {one["variable"] for one in data["parts"]} == {"standin_aggregate", "standin_of_comm"} | events


def test_levels_and_watermarks_have_their_own_figures_for_each_element(mpi, tmp_path):
    result = run_stacked(mpi, 1, ["vars=budget:0:split:on:all:on:names:mv2_*", mpi.tool("vars/standin")], mpi.program("vars/walk"),
                         "pools", out=tmp_path)
    assert result.code == 0
    data = json.loads((tmp_path / "vars.json").read_text())
    assert parts(data, "mv2_vbuf_max_use_array", "total") == {(None, 0): (3,), (None, 1): (0,), (None, 2): (70,), (None, 3): (10,)}
    assert parts(data, "mv2_vbuf_allocated_array", "min", "max")[None, 0] == (8, 64)
    assert parts(data, "mv2_vbuf_allocated_array", "max")[None, 2] == (80,)


def test_what_threads_do_is_all_there(mpi, tmp_path):
    _, data = run_vars(mpi, 1, tmp_path, "objects", "threads", options=":names:standin_of_comm")
    barriers = 4 * (200 + 10)
    found = {(one["object"]["name"], one["objects"], one["element"]): one["total"] + one["elsewhere"] for one in data["parts"]}
    assert found == {("", 4 + 4 * 10, 0): barriers, ("", 4 + 4 * 10, 1): 10 * barriers}


def test_nothing_is_told_apart_unless_asked_for(mpi, tmp_path):
    run_stacked(mpi, 1, ["vars=table:off", mpi.tool("vars/standin")], mpi.program("vars/calls"), out=tmp_path)
    assert "parts" not in json.loads((tmp_path / "vars.json").read_text())


def test_what_there_is_no_room_for_is_counted(mpi, tmp_path):
    """10,000 names and MPI_COMM_WORLD and MPI_COMM_SELF, with two elements each; 20,000 are kept."""
    result, data = run_vars(mpi, 1, tmp_path, "parts", "many", options=":names:standin_of_comm:all:on")
    assert (len(data["parts"]), data["parts_left_out"]) == (20000, 4)
    assert "  4 objects and elements are beyond those that are told apart\n" in result.err


def test_the_table_shows_what_changed_most(mpi, tmp_path):
    result, _ = run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file", options=":names:standin_of_comm+standin_aggregate")
    lines = [" ".join(line.split()) for line in result.err.splitlines()]
    rows = lines[lines.index("variable class object element read changed what") + 1:]
    assert [row.replace("standin_", "") for row in rows] == [
        "aggregate aggregate 1 118 46 +184, at most 4 in a call", "aggregate aggregate 0 118 46 +92, at most 2 in a call",
        "of_comm aggregate of 0-1 1 18 18 +180, at most 10 in a call", "of_comm aggregate copy of 0-1 1 16 12 +120, at most 10 in a call",
        "of_comm aggregate reversed of 1,0 1 10 8 +80, at most 10 in a call", "9 more objects and elements in the file"]


def test_cairn_report_shows_it(mpi, tmp_path):
    run_vars(mpi, RANKS, tmp_path, "parts", tmp_path / "file", options=":names:standin_of_window")
    section, = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"]
    rows = section["tables"]["parts"]["rows"]
    assert (rows[0]["object_name"], rows[0]["element"], rows[0]["total"]) == ("window 3", 1, RANKS * 30)
