# SPDX-License-Identifier: BSD-3-Clause
# test_inventory.py - `cairn vars`: lists of both MPIs, choosing, comparing, what libraries get wrong, wrong command lines.

import functools

from cairn_testing import *


def cairn_vars(mpi, *words, ranks=1):
    return run(*mpi.mpirun(ranks), CAIRN, "vars", *words)


@functools.cache
def listed(mpi, *words):
    """The list as {part: {name: entry}}, and what is no part as it is."""
    result = cairn_vars(mpi, "--json", "-", *words)
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    return {key: {one["name"]: one for one in value} if isinstance(value, list) and key != "defects" else value
            for key, value in data.items()}


def test_the_list_says_which_mpi_was_asked_and_when(mpi):
    assert listed(mpi)["format"] == "cairn-variables 1"
    assert mpi.version in listed(mpi)["mpi"]
    assert (listed(mpi)["after_init"], listed(mpi, "--before-init")["after_init"]) == (True, False)


def test_a_control_variable_is_described_with_its_value(mpi):
    name, expected = {
        "openmpi": ("mpi_yield_when_idle", {"type": "bool", "scope": "readonly", "binding": "none", "count": 1, "value": True}),
        "mpich": ("MPIR_CVAR_BCAST_MIN_PROCS", {"type": "int", "scope": "all_eq", "binding": "none", "count": 1, "value": 8}),
    }[mpi.id]
    entry = listed(mpi)["control_variables"][name]
    assert {key: entry[key] for key in expected} == expected
    assert entry["verbosity"] and entry["description"]


def test_every_control_variable_has_a_value_or_a_reason(mpi):
    for entry in listed(mpi)["control_variables"].values():
        assert ("value" in entry) != ("defect" in entry), entry


def test_what_libraries_get_wrong_is_told_and_not_tripped_over(mpi):
    performance = listed(mpi)["performance_variables"]
    crashing = {name for name, entry in performance.items() if entry.get("defect") == "reading it crashes (SIGSEGV)"}
    defects = {(one["kind"], one["problem"]): len(one["indices"]) for one in listed(mpi)["defects"]}
    if mpi.id == "mpich":
        assert (performance, defects) == ({}, {})
        return
    assert len(crashing) == 13 and all(name.startswith("mtl_psm2_") for name in crashing)
    assert performance["pml_ob1_unexpected_msgq_length"]["binding"] == "communicator"
    assert performance["pml_ob1_unexpected_msgq_length"]["value"] == 0
    assert defects[("performance variable", "MPI_T_pvar_get_info answers MPI_T_ERR_INVALID")] == 28
    assert defects[("control variable", "MPI_T_cvar_get_info answers MPI_T_ERR_INVALID_INDEX")] == 92


def test_categories_name_their_members(mpi):
    category, member = {"openmpi": ("ompi_mpi", "mpi_yield_when_idle"),
                        "mpich": ("COLLECTIVE", "MPIR_CVAR_BCAST_MIN_PROCS")}[mpi.id]
    assert member in listed(mpi)["categories"][category]["control_variables"]


def test_variables_of_tools_are_listed_with_the_librarys(mpi):
    tool = mpi.tool("vars/known")
    with_tool = listed(mpi, "--tools", tool)
    assert with_tool["tools"] == tool
    assert with_tool["performance_variables"]["known_percentage"]["class"] == "percentage"
    assert with_tool["performance_variables"]["known_size"]["value"] == 100
    assert with_tool["performance_variables"]["known_state"]["enumeration"] == "phase"
    assert with_tool["enumerations"]["phase"]["items"] == [{"name": "idle", "value": 0}, {"name": "busy", "value": 1}]
    assert set(listed(mpi)["control_variables"]) < set(with_tool["control_variables"])


def test_tools_leave_no_results_behind(mpi, tmp_path):
    result = run(*mpi.mpirun(1), CAIRN, "vars", "--tools", mpi.tool("vars/known"), "known_c*", cwd=tmp_path)
    assert result.code == 0, result.err
    assert list(tmp_path.iterdir()) == []


def test_patterns_choose_by_name_whatever_the_case(mpi):
    chosen = listed(mpi, "mpir_cvar_bcast_*", "MPI_yield*")["control_variables"]
    assert chosen and all(name.startswith(("MPIR_CVAR_BCAST_", "mpi_yield")) for name in chosen)


def test_the_table_has_a_line_for_each(mpi):
    name = {"openmpi": "mpi_yield_when_idle", "mpich": "MPIR_CVAR_BCAST_MIN_PROCS"}[mpi.id]
    lines = cairn_vars(mpi, name).out.splitlines()
    assert lines[0].endswith(", after MPI_Init")
    assert lines[2] == "control variables: 1"
    assert lines[3].split() == ["name", "value", "type", "scope", "binding", "verbosity", "description"]
    assert lines[4].split()[:3] == [name, *{"openmpi": ["true", "bool"], "mpich": ["8", "int"]}[mpi.id]]


def test_a_name_that_nothing_has_is_said(mpi):
    assert "\nnothing with this name\n" in cairn_vars(mpi, "no_such_thing").out


def test_one_rank_speaks_for_all(mpi):
    result = cairn_vars(mpi, "no_such_thing", ranks=2)
    assert (result.code, result.out.count("after MPI_Init")) == (0, 1)


def test_the_programs_mpi_is_asked(mpi):
    result = run(CAIRN, "vars", "--json", "-", "no_such_thing", "--", mpi.program("vars/calls"))
    assert mpi.version in json.loads(result.out)["mpi"]


def saved(mpi, path, *words):
    result = cairn_vars(mpi, "--json", path, *words)
    assert (result.code, result.out) == (0, "")
    return path


def test_two_lists_are_compared(mpi, tmp_path):
    bare, stacked = saved(mpi, tmp_path / "a"), saved(mpi, tmp_path / "b", "--tools", mpi.tool("vars/known"))
    result = run(CAIRN, "vars", "known_*", "--diff", bare, "--from", stacked, "--json", "-")
    difference = json.loads(result.out)
    assert (difference["only_a"], difference["changed"]) == ([], [])
    assert {"kind": "performance_variables", "name": "known_counter"} in difference["only_b"]
    text = run(CAIRN, "vars", "--diff", bare, "--from", stacked).out
    assert "\nonly in B: " in text and "performance_variables  known_counter\n" in text


def test_changed_values_are_told(mpi, tmp_path):
    before = saved(mpi, tmp_path / "a")
    data = json.loads(before.read_text())
    data["control_variables"][3]["value"] = "other"
    (tmp_path / "b").write_text(json.dumps(data))
    difference = json.loads(run(CAIRN, "vars", "--diff", before, "--from", tmp_path / "b", "--json", "-").out)
    assert [one["name"] for one in difference["changed"]] == [data["control_variables"][3]["name"]]
    assert difference["changed"][0]["changes"]["value"][1] == "other"
    assert run(CAIRN, "vars", "--diff", before, "--from", before).out.endswith("\nno difference\n")


def test_a_saved_list_is_compared_with_the_library(mpi, tmp_path):
    before = saved(mpi, tmp_path / "a", "--before-init")
    result = cairn_vars(mpi, "--diff", before)
    assert result.out.splitlines()[0].endswith("before MPI_Init") and result.out.splitlines()[1].endswith("after MPI_Init")
    assert ("no difference" in result.out) == (mpi.id == "mpich")  # Open MPI drops components in MPI_Init


@pytest.mark.parametrize("words, text, remedy", [
    (["--mpi", "nothing"], "no MPI library 'nothing' can be queried: '{lists}' is missing", "--mpi openmpi, --mpi mpich or --mpi abi"),
    (["--", "true"], "'/usr/bin/true' is not linked with an MPI library", "saying which: --mpi openmpi, --mpi mpich or --mpi abi"),
    ([], "more than one MPI library could be queried: openmpi and mpich", "--mpi openmpi"),
    (["--from", "/dev/null"], "'/dev/null' is not a list of variables", "cairn vars --json FILE"),
], ids=["no such MPI", "no MPI in the program", "several MPIs", "no list"])
def test_wrong_command_lines_are_errors(words, text, remedy):
    result = run(CAIRN, "vars", *words)
    text = text.format(lists=BUILD / "lib/cairn/nothing/vars-lists")
    assert (result.code, result.out, result.err) == (125, "", f"cairn: error: {text}\ncairn:   try: {remedy}\n")


NO_VARIABLES = "this MPI library has no performance variables; MPICH has them where it was configured with --enable-mpit-pvars=all"


def test_a_library_without_performance_variables_is_told_of(mpi, tmp_path):
    """Debian's MPICH: by the list, by the tool, whose variables of tools are there all the same, and by the report."""
    listed = run(*mpi.mpirun(1), CAIRN, "vars", "--tools", "profile").out
    result = run_stacked(mpi, 1, ["vars=calls:off:every:1s", "profile=table:off"], mpi.program("vars/calls"), out=tmp_path)
    report = run(CAIRN, "report", tmp_path).out
    assert result.code == 0 and "of 3 variables" in result.err or mpi.id == "openmpi"
    for text in (listed, result.err, report):
        assert (NO_VARIABLES in " ".join(text.split())) == (mpi.id == "mpich")
    assert NO_VARIABLES not in run(*mpi.mpirun(1), CAIRN, "vars", "MPIR_CVAR_BCAST_MIN_PROCS", "mpi_yield_when_idle").out
