# SPDX-License-Identifier: BSD-3-Clause
# test_events.py - the tool `vars` counts events of MPI_T (MPI 4) as it reads counters. The stand-in tells one of each MPI_Barrier.

from cairn_testing import *

RANKS = 2


@pytest.fixture
def run_vars(mpi, tmp_path):
    if mpi.id == "openmpi":
        pytest.skip("Open MPI 4.1.4 has no events")

    def run_it(options="", **env):
        result = run_stacked(mpi, RANKS, [f"vars=budget:0:table:off{options}", mpi.tool("vars/standin")], mpi.program("vars/calls"),
                             out=tmp_path, **env)
        assert (result.code, result.out, result.err) == (0, "done\n", "")
        return json.loads((tmp_path / "vars.json").read_text())

    return run_it


def test_events_are_counted_by_function_and_region(run_vars):
    data = run_vars(":classes:event")
    assert [(one["name"], one["class"], one["binding"], one["in_calls"], one["elsewhere"]) for one in data["variables"]] == [
        ("standin_barrier", "event", "communicator", RANKS * 9, 0)]
    assert {(one["region"], one["function"]): (one["changed"], one["total"], one["most"]) for one in data["changes"]} == {
        ("", "MPI_Barrier"): (RANKS * 6, RANKS * 6, 1), ("solve", "MPI_Barrier"): (RANKS * 2, RANKS * 2, 1),
        ("MPI_Pcontrol(3)", "MPI_Barrier"): (RANKS, RANKS, 1)}


def test_events_are_told_apart_by_object(run_vars):
    parts = run_vars(":classes:event:split:on")["parts"]
    assert {(one["object"]["name"], one["object"]["processes"]): one["total"] for one in parts} == {
        ("MPI_COMM_WORLD", "0-1"): RANKS * 7, ("", "0-1"): RANKS * 2}


def test_events_are_chosen_by_name_and_class(run_vars):
    assert run_vars(":names:*_barrier:classes:counter+timer")["variables"] == []


@pytest.mark.parametrize("function, why, which", [
    ("MPI_T_event_get_info", "MPI_T_event_get_info answers MPI_T_ERR_INVALID", "event 0"),
    ("MPI_T_event_handle_alloc", "MPI_T_event_handle_alloc or _register_callback answers MPI_T_ERR_INVALID", "standin_barrier"),
    ("MPI_T_event_register_callback", "MPI_T_event_handle_alloc or _register_callback answers MPI_T_ERR_INVALID", "standin_barrier"),
], ids=lambda value: value if " " not in value else "")
def test_events_that_answer_with_an_error_are_left_out(run_vars, function, why, which):
    data = run_vars(":names:standin_barrier+standin_counter", STANDIN_MPI_T_ERRORS=function)
    assert data["left_out"] == [{"why": why, "variables": [which]}]
    assert next(one["in_calls"] for one in data["variables"] if one["name"] == "standin_counter") == RANKS * 9 * 3


@pytest.mark.parametrize("function", ["MPI_T_event_get_num", "MPI_T_event_handle_free"])
def test_vars_does_without(run_vars, function):
    data = run_vars(":names:standin_counter", STANDIN_MPI_T_ERRORS=function)
    assert [one["in_calls"] for one in data["variables"]] == [RANKS * 9 * 3]
