# SPDX-License-Identifier: BSD-3-Clause
# test_standin.py - a library whose MPI_T has everything (standin/standin.h): seen by a program, by `vars`, by `cairn vars`; and
# what they do where a function of it answers with an error.

from cairn_testing import *

EXPECTED = pathlib.Path(__file__).parent / "expected"


def walk(mpi, *words, **env):
    return run_stacked(mpi, 1, [mpi.tool("vars/standin")], mpi.program("vars/walk"), *words, **env)


@pytest.mark.parametrize("what", ["walk", "pools", "events"])
def test_a_program_finds_what_the_standard_says(mpi, what):
    if what == "events" and mpi.id == "openmpi":
        pytest.skip("Open MPI 4.1.4 has no events")
    result = walk(mpi, *([] if what == "walk" else [what]))
    assert (result.out, result.err, result.code) == ((EXPECTED / f"{what}.txt").read_text(), "", 0)


def test_errors_come_where_they_are_wanted(mpi):
    lines = walk(mpi, STANDIN_MPI_T_ERRORS="MPI_T_cvar_write:5,MPI_T_category_get_num").out.splitlines()
    assert lines[5] == "standin_readonly: 2, writing it: MPI_T_ERR_INVALID"
    assert lines[6] == "standin_group: 3, writing it: MPI_SUCCESS"


def test_variables_come_as_late_as_is_wanted(mpi):
    assert "28 performance variables, then 28" in walk(mpi, STANDIN_MPI_T_LATE=2).out


# ---- the tool `vars`


def run_vars(mpi, folder, program, *words, options="", **env):
    result = run_stacked(mpi, 1, [f"vars=budget:0:table:off{options}", mpi.tool("vars/standin")], mpi.program(program), *words,
                         out=folder, **env)
    path = folder / "vars.json"
    return result, json.loads(path.read_text()) if path.exists() else None


def totals(data):
    """{(variable, function): the sum of all changes}"""
    found = {}
    for one in data["changes"]:
        key = one["variable"], one["function"]
        found[key] = found.get(key, 0) + one.get("total", 0)
    return found


def test_windows_and_files_move_theirs(mpi, tmp_path):
    result, data = run_vars(mpi, tmp_path, "vars/objects", tmp_path / "file", options=":names:standin_of_*")
    assert (result.code, result.err) == (0, "")
    assert {key: value for key, value in totals(data).items() if "comm" not in key[0]} == {
        ("standin_of_window", "MPI_Win_fence"): 3 * 11, ("standin_of_file", "MPI_File_write"): 3 * 11}


def test_what_is_freed_past_all_tools_is_not_read_afterwards(mpi, tmp_path):
    """By PMPI_Comm_free and PMPI_Win_free. Reading would be an error of the stand-in's."""
    result, data = run_vars(mpi, tmp_path, "vars/objects", "unseen", options=":names:standin_of_comm+standin_of_window")
    assert (result.code, result.out, result.err) == (0, "done\n", "")
    assert data["left_out"] == []
    assert totals(data)["standin_of_window", "MPI_Win_fence"] == 3 * 11
    assert {one["name"]: one["handles"] for one in data["variables"]} == {"standin_of_comm": 2 + 3, "standin_of_window": 3}


def test_pools_are_followed_element_by_element(mpi, tmp_path):
    result, data = run_vars(mpi, tmp_path, "vars/walk", "pools", options=":names:mv2_*")
    assert (result.code, result.err) == (0, "")
    rises = totals(data)
    assert rises["mv2_vbuf_max_use_array", "MPI_Isend"] == 3 + 70 + 10
    memory = {one["function"]: (one["min"], one["max"]) for one in data["changes"] if one["variable"] == "mv2_total_vbuf_memory"}
    assert memory["MPI_Isend"][1] == 64 * (256 + 1024 + 16384) + 80 * 4096
    assert [one["name"] for one in data["variables"]] == ["mv2_total_vbuf_memory", "mv2_vbuf_allocated_array", "mv2_vbuf_max_use_array"]


def test_objects_of_other_kinds_are_left_out_and_listed(mpi, tmp_path):
    _, data = run_vars(mpi, tmp_path, "vars/calls", options=":names:standin_of_*")
    assert [(one["why"], one["variables"]) for one in data["left_out"]] == [
        ("it is bound to objects that are not followed: datatypes, requests, messages",
         [f"standin_of_{kind}" for kind in ["datatype", "request", "message"]])]


def test_error_handlers_groups_operations_and_infos_move_theirs(mpi, tmp_path):
    """Those that the program makes, by number, and those of the standard, which nobody frees."""
    kinds = {"errhandler": ("MPI_Comm_set_errhandler", "error handler", "MPI_ERRORS_RETURN"), "group": ("MPI_Group_size", "group", None),
             "op": ("MPI_Reduce_local", "operation", "MPI_SUM"), "info": ("MPI_Info_set", "info", None)}
    result, data = run_vars(mpi, tmp_path, "vars/objects", "kinds", options=":split:on:names:" + "+".join(f"standin_of_{kind}" for kind in kinds))
    assert (result.code, result.out, result.err, data["left_out"]) == (0, "done\n", "", [])
    assert totals(data) == {(f"standin_of_{kind}", function): (4 if own else 3) * 11 for kind, (function, _, own) in kinds.items()}
    for kind, (_, word, own) in kinds.items():
        found = {(one["object"]["name"], one["element"]): one["total"] for one in data["parts"] if one["variable"] == f"standin_of_{kind}"}
        moved = {f"{word} 1": 2, f"{word} 2": 1, **({own: 1} if own else {})}
        assert found == {(name, element): times * each for name, times in moved.items() for element, each in enumerate([1, 10])}


@pytest.mark.parametrize("function", ["MPI_T_init_thread", "MPI_T_pvar_session_create", "MPI_T_pvar_get_num"])
def test_vars_says_once_that_nothing_can_be_read(mpi, function, tmp_path):
    result, data = run_vars(mpi, tmp_path, "vars/calls", STANDIN_MPI_T_ERRORS=function)
    assert (result.code, result.out, data["variables"]) == (0, "done\n", [])
    assert result.err.splitlines()[0] == "cairn: warning: tool 'vars': no variable can be read: MPI_T answers MPI_T_ERR_INVALID"
    assert len(result.err.splitlines()) == 2


@pytest.mark.parametrize("function, why, which", [
    ("MPI_T_pvar_get_info", "MPI_T_pvar_get_info answers MPI_T_ERR_INVALID", "index 6"),
    ("MPI_T_pvar_handle_alloc", "MPI_T_pvar_handle_alloc answers MPI_T_ERR_INVALID", "standin_counter"),
    ("MPI_T_pvar_start", "MPI_T_pvar_start or _read answers MPI_T_ERR_INVALID", "standin_counter"),
    ("MPI_T_pvar_read", "MPI_T_pvar_start or _read answers MPI_T_ERR_INVALID", "standin_counter"),
], ids=lambda value: value if value.startswith("MPI_T") and " " not in value else "")
def test_vars_leaves_out_what_answers_with_an_error(mpi, function, why, which, tmp_path):
    result, data = run_vars(mpi, tmp_path, "vars/calls", STANDIN_MPI_T_ERRORS=f"{function}:6")
    assert (result.code, result.out, result.err) == (0, "done\n", "")
    assert {one["why"]: one["variables"] for one in data["left_out"]}[why] == [which]
    assert totals(data).get(("standin_counter", "MPI_Barrier")) is None
    assert totals(data)["standin_aggregate", "MPI_Barrier"] == 9 * 6


def test_vars_leaves_out_what_has_no_elements(mpi, tmp_path):
    """Which is no error of MPI_T's."""
    result, data = run_vars(mpi, tmp_path, "vars/calls", STANDIN_MPI_T_EMPTY=6)
    assert (result.code, result.out, result.err) == (0, "done\n", "")
    left_out = {one["why"]: one["variables"] for one in data["left_out"]}
    assert left_out["it has no elements"] == ["standin_counter"] and not any("error code" in why for why in left_out)
    assert totals(data).get(("standin_counter", "MPI_Barrier")) is None
    assert totals(data)["standin_aggregate", "MPI_Barrier"] == 9 * 6


@pytest.mark.parametrize("function", ["MPI_T_pvar_handle_free", "MPI_T_pvar_session_free", "MPI_T_enum_get_info", "MPI_T_enum_get_item"])
def test_vars_does_without(mpi, function, tmp_path):
    result, data = run_vars(mpi, tmp_path, "vars/calls", STANDIN_MPI_T_ERRORS=function)
    assert (result.code, result.out, result.err) == (0, "done\n", "")
    assert totals(data)["standin_counter", "MPI_Barrier"] == 9 * 3


# ---- `cairn vars`


def listed(mpi, **env):
    result = run(*mpi.mpirun(1), CAIRN, "vars", "--json", "-", "--tools", mpi.tool("vars/standin"), **env)
    assert (result.code, result.err) == (0, "")
    return json.loads(result.out)


def by_name(entries):
    return {one["name"]: one for one in entries}


def test_cairn_vars_lists_all_of_it(mpi):
    data = listed(mpi)
    performance, control = by_name(data["performance_variables"]), by_name(data["control_variables"])
    classes = ["state", "level", "size", "percentage", "high", "low", "counter", "aggregate", "timer", "generic"]
    assert [performance[f"standin_{name}"]["class"].replace("watermark", "") for name in classes] == classes
    assert performance["mv2_vbuf_allocated_array"]["value"] == [64] * 4
    assert performance["standin_of_window"]["binding"] == "window"
    scopes = ["constant", "readonly", "group", "group_eq", "all", "all_eq"]
    assert [control[f"standin_{name}"]["scope"] for name in scopes] == scopes
    assert (control["standin_title"]["value"], control["standin_all_eq"]["value"]) == ("stand-in", 6.5)
    assert by_name(data["enumerations"])["colour"]["items"][2] == {"name": "blue", "value": 10}
    assert by_name(data["categories"])["standin"]["categories"] == ["standin_classes", "standin_bindings", "standin_pools"]
    assert [one["name"] for one in data["events"]] == (["standin_barrier"] if mpi.id == "mpich" else [])
    assert data["defects"] == []


@pytest.mark.parametrize("function", [
    "MPI_T_cvar_get_info:3", "MPI_T_cvar_handle_alloc:3", "MPI_T_cvar_read:3", "MPI_T_pvar_get_info:6", "MPI_T_pvar_session_create",
    "MPI_T_pvar_handle_alloc:6", "MPI_T_pvar_start:6", "MPI_T_pvar_read:6", "MPI_T_pvar_readreset:6", "MPI_T_category_get_info:1",
    "MPI_T_category_get_cvars:1", "MPI_T_category_get_pvars:1", "MPI_T_category_get_categories:3",
    "MPI_T_cvar_get_num", "MPI_T_pvar_get_num", "MPI_T_category_get_num"])
def test_cairn_vars_tells_an_error_where_it_belongs(mpi, function):
    data = listed(mpi, STANDIN_MPI_T_ERRORS=function)
    name = function.split(":")[0]
    read = sum(one["binding"] in ("none", "communicator") for one in data["performance_variables"])
    told = [problem for problem in [one["problem"] for one in data["defects"]] +
            [one.get("defect") for part in ["control_variables", "performance_variables", "categories"] for one in data[part]]
            if problem == f"{name} answers MPI_T_ERR_INVALID"]
    assert len(told) == (read if name == "MPI_T_pvar_session_create" else 1)


@pytest.mark.parametrize("function", ["MPI_T_enum_get_info", "MPI_T_enum_get_item"])
def test_cairn_vars_does_without_the_names_of_values(mpi, function):
    data = listed(mpi, STANDIN_MPI_T_ERRORS=function)
    assert data["defects"] == [{"kind": "enumeration of a variable", "problem": "it has no items", "indices": [11, 0]}]
