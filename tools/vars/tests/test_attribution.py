# SPDX-License-Identifier: BSD-3-Clause
# test_attribution.py - the tool `vars`: known changes of variables of every class, and to which calls they are said to belong.

import functools
import tempfile

from cairn_testing import *

OPTIONS = "budget:0:table:off"
RANKS = 2


@pytest.fixture(params=["known", "standin"], ids=["variables of a tool", "variables of a library"])
def source(request):
    """`known` offers its variables on the bus; `standin` is all of MPI_T (standin/standin.h). They move alike."""
    return request.param


def run_vars(mpi, folder, options, *program_words, source="known", known=""):
    return run_stacked(mpi, RANKS, [f"vars={options}", mpi.tool(f"vars/{source}") + known], mpi.program("vars/calls"),
                       *program_words, out=folder)


@functools.cache
def results(mpi, options=OPTIONS, *program_words, source="known", known=""):
    with tempfile.TemporaryDirectory() as folder:
        result = run_vars(mpi, folder, options, *program_words, source=source, known=known)
        assert (result.code, result.err) == (0, "")
        return json.loads((pathlib.Path(folder) / "vars.json").read_text())


def changes(mpi, source, name, *keys, options=OPTIONS):
    """{(region, function): the values of these keys}"""
    return {(one["region"], one["function"]): tuple(one[key] for key in keys)
            for one in results(mpi, options, source=source)["changes"] if one["variable"] == f"{source}_{name}"}


def variable(mpi, source, name, options=OPTIONS):
    return next(one for one in results(mpi, options, source=source)["variables"] if one["name"] == f"{source}_{name}")


# Of both ranks: barriers outside of regions (four on MPI_COMM_WORLD, two on copies of it), in a region, at a level.
OUTSIDE, SOLVE, LEVEL = ("", "MPI_Barrier"), ("solve", "MPI_Barrier"), ("MPI_Pcontrol(3)", "MPI_Barrier")


@pytest.mark.parametrize("name, each", [("counter", 3), ("aggregate", 6), ("timer", 0.25), ("of_comm", 11)])
def test_sums_by_the_difference_per_function_and_region(mpi, source, name, each):
    assert changes(mpi, source, name, "read", "changed", "total", "most") == {
        OUTSIDE: (12, 12, 12 * each, each), SOLVE: (4, 4, 4 * each, each), LEVEL: (2, 2, 2 * each, each)}
    assert (variable(mpi, source, name)["in_calls"], variable(mpi, source, name)["elsewhere"]) == (18 * each, 0)


def test_levels_by_least_mean_and_most(mpi, source):
    assert changes(mpi, source, "level", "read", "min", "mean", "max") == {
        OUTSIDE: (12, 1, 3, 5), SOLVE: (4, 1, 2, 3), LEVEL: (2, 5, 5, 5)}


def test_percentages_by_least_mean_and_most(mpi, source):
    assert changes(mpi, source, "percentage", "min", "max") == {OUTSIDE: (0.1, 0.5), SOLVE: (0.1, 0.3), LEVEL: (0.5, 0.5)}


def test_watermarks_by_the_number_and_sum_of_moves(mpi, source):
    assert changes(mpi, source, "high", "read", "changed", "total") == {OUTSIDE: (12, 2, 10)}
    assert changes(mpi, source, "low", "read", "changed", "total") == {OUTSIDE: (12, 12, 24), SOLVE: (4, 4, 8), LEVEL: (2, 2, 4)}


def values(mpi, source, name, place):
    found, = changes(mpi, source, name, "values")[place]
    assert all(one["time_s"] > 0 for one in found)
    return {one.get("name", one["value"]): one["calls"] for one in found}


def test_states_by_the_time_in_each(mpi, source):
    assert values(mpi, source, "state", OUTSIDE) == {"idle": 6, "busy": 6}
    assert values(mpi, source, "state", LEVEL) == {"idle": 2}


def test_sizes_by_the_time_in_each(mpi, source):
    assert values(mpi, source, "size", SOLVE) == {140: 2, 150: 2}
    assert changes(mpi, source, "size", "min", "max")[SOLVE] == (150, 160)


def test_a_counter_that_comes_round_goes_on(mpi, source):
    assert changes(mpi, source, "around", "changed", "total") == {("", "MPI_Allreduce"): (12, 12 * 2**30)}
    assert "resets" not in variable(mpi, source, "around")


def test_a_counter_that_is_reset_begins_at_zero(mpi, source):
    assert changes(mpi, source, "restarts", "changed", "total") == {("", "MPI_Allreduce"): (8, 40)}
    assert variable(mpi, source, "restarts")["resets"] == 4


def test_generic_variables_only_by_their_last_value(mpi, source):
    assert changes(mpi, source, "generic") == {}
    assert variable(mpi, source, "generic")["value"] == {"mean": 9, "min": 9, "max": 9}


def test_what_did_not_change_is_left_out_unless_asked_for(mpi, source):
    assert changes(mpi, source, "still") == {}
    assert changes(mpi, source, "still", "read", "total", options=OPTIONS + ":all:on")[OUTSIDE] == (12, 0)


def test_variables_that_come_at_run_time_are_found(mpi, source):
    assert changes(mpi, source, "late", "total") == {("", "MPI_Comm_size"): (12,)}


def test_new_variables_are_looked_for_every_so_many_calls(mpi, source):
    # without new objects the variable is found at the first look after it came, `refresh` calls later at most
    assert changes(mpi, source, "late", "total", options=OPTIONS + ":refresh:1:names:*_late") == {
        ("", "MPI_Comm_size"): (12,)}


def test_variables_that_become_unreadable_are_let_go(mpi):
    left_out = {one["why"]: one["variables"] for one in results(mpi)["left_out"]}
    assert left_out["no longer: MPI_T_pvar_read answers MPI_T_ERR_INVALID"] == ["known_fading"]


def test_handles_come_and_go_with_communicators(mpi, source):
    # MPI_COMM_WORLD, MPI_COMM_SELF, two copies of the one and one of the other, on each rank
    assert variable(mpi, source, "of_comm")["handles"] == 5 * RANKS


def objects(mpi, folder, ranks, argument):
    """vars.json of the program `objects`, by the name of the variable."""
    result = run_stacked(mpi, ranks, [f"vars={OPTIONS}:names:offers_*", mpi.tool("offers")], mpi.program("vars/objects"),
                         argument, out=folder)
    assert (result.code, result.err) == (0, "")
    data = json.loads((folder / "vars.json").read_text())
    return data, {one["name"]: one for one in data["variables"]}


def test_handles_come_and_go_with_windows_and_files(mpi, tmp_path):
    _, variables = objects(mpi, tmp_path, RANKS, tmp_path / "file")
    handles = {name: variables[f"offers_bound_{name}"]["handles"] for name in ["comm", "win", "file"]}
    assert handles == {"comm": 2 * RANKS, "win": 3 * RANKS, "file": 3 * RANKS}


def test_what_threads_do_is_all_there(mpi, tmp_path):
    """Of calls on several threads at once one is read; what the others do is in it, or elsewhere."""
    data, variables = objects(mpi, tmp_path, 1, "threads")
    barriers = 4 * (200 + 10)
    assert variables["offers_counter"]["in_calls"] + variables["offers_counter"]["elsewhere"] == barriers
    assert data["calls_read"] + data["calls_missed"] == data["calls"] == barriers + 2 * 4 * (10 + 1)


def test_every_call_is_counted_and_read_without_a_budget(mpi):
    functions = {one["name"]: (one["calls"], one["read"]) for one in results(mpi)["functions"]}
    assert functions["MPI_Barrier"] == (18, 18)
    assert functions["MPI_Comm_size"] == (12, 12)
    assert (results(mpi)["every"], results(mpi)["calls_missed"]) == (1, 0)


@pytest.mark.parametrize("option, expected", [
    ("names:known_counter+*_ti*", {"known_counter", "known_timer"}),
    ("names:known_*:classes:timer+aggregate", {"known_timer", "known_aggregate", "known_of_comm"}),
    ("names:known_*:classes:counter:verbosity:user_all", {"known_around", "known_restarts", "known_still", "known_late"}),
], ids=["names", "classes", "verbosity"])
def test_variables_are_chosen(mpi, option, expected):
    assert {one["name"] for one in results(mpi, f"{OPTIONS}:{option}")["variables"]} == expected


@pytest.mark.parametrize("option, known", [("verbosity:much", "user_basic, user_detail"), ("classes:counters", "state, level")])
def test_wrong_words_are_told(mpi, option, known, tmp_path):
    result = run_vars(mpi, tmp_path, option)
    name, word = option.split(":")
    assert f"option '{name}' cannot be '{word}'; it knows {known}" in result.err
    assert result.out == "done\n"


def test_call_sites_are_named(mpi):
    sites = [one["site"] for one in results(mpi, OPTIONS + ":sites:on")["changes"] if one["variable"] == "known_late"]
    assert [(site["file"].split("/")[-1], site["caller"]) for site in sites] == [("calls.c", "sizes")]
    assert sites[0]["line"] > 0


def test_reading_that_costs_too_much_is_done_less_often(mpi):
    """Reading takes 0.4 ms around calls of some ns: a budget of 2 percent allows hardly any."""
    data = results(mpi, "table:off", "many", known="=slow:1")
    assert data["budget_percent"] == 2
    assert data["calls"] == 4000 * RANKS
    assert data["calls_read"] < data["calls"] / 100
    assert data["every"] > 1


def test_the_table_shows_what_happened(mpi, tmp_path):
    result = run_vars(mpi, tmp_path, "budget:0:names:known_counter+known_high")
    lines = [" ".join(line.split()) for line in result.err.splitlines()]
    assert lines[0].startswith("cairn vars: calls on 2 ranks, 2 of 2 variables changed; 66 of 66 calls read (100.0 %)")
    assert "known_counter counter MPI_Barrier solve 4 4 +12, at most 3 in a call" in lines
    assert "known_high highwatermark MPI_Barrier 12 2 rose by 10" in lines
    assert (tmp_path / "report.txt").read_text() == result.err + "\n"


def test_cairn_report_shows_it(mpi, tmp_path):
    assert run_vars(mpi, tmp_path, OPTIONS).code == 0
    section, = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"]
    rows = section["tables"]["changes"]["rows"]
    assert section["facts"]["calls_read"] == 66
    assert [row["total"] for row in rows if row["variable"] == "known_counter" and row.get("region") == "solve"] == [12]
    assert any("idle" in row.get("times", "") for row in rows)


def test_the_librarys_own_variables_are_read(mpi):
    names = {one["name"] for one in results(mpi)["variables"] if not one["name"].startswith("known_")}
    assert names == ({"mpool_hugepage_bytes_allocated", "pml_ob1_unexpected_msgq_length", "pml_ob1_posted_recvq_length"}
                     if mpi.id == "openmpi" else set())


def test_the_program_runs_as_it_does_alone(mpi, tmp_path):
    bare = run(*mpi.mpirun(RANKS), mpi.program("vars/calls"))
    under = run_vars(mpi, tmp_path, OPTIONS)
    assert (under.code, under.out, under.err) == (bare.code, bare.out, bare.err)
