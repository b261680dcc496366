# SPDX-License-Identifier: BSD-3-Clause
# test_ends.py - the tool `vars`: runs that die, communicators that are made later, a first pass, its own variables on the bus.

from cairn_testing import *


def run_vars(mpi, ranks, folder, program, *words, options="", run=run, **env):
    return run_stacked(mpi, ranks, [f"vars=budget:0:table:off{options}", mpi.tool("vars/standin")], mpi.program(program), *words,
                       out=folder, run=run, **env)


def total(data, name, function):
    return sum(one["total"] for one in data["changes"] if (one["variable"], one["function"]) == (f"standin_{name}", function))


@pytest.mark.parametrize("way, end", [("fault", "SIGSEGV"), ("abort", "SIGABRT"), ("terminate", "SIGTERM"), ("inside", None)])
def test_a_rank_that_dies_leaves_its_part(mpi, way, end, tmp_path):
    run_vars(mpi, 1, tmp_path, "killed", way, run=run_with_last_words)
    part = json.loads((tmp_path / "vars.rank-0.json").read_text())
    assert (part["part"]["rank"], part["ranks"]) == (0, 1)
    assert end is None or part["part"]["ended_by"] == end
    assert total(part, "counter", "MPI_Barrier") == 3
    assert next(one["value"]["mean"] for one in part["variables"] if one["name"] == "standin_counter") == 3
    assert not (tmp_path / "vars.json").exists()


def test_a_part_of_a_run_has_objects_and_elements(mpi, tmp_path):
    run_vars(mpi, 1, tmp_path, "killed", "terminate", options=":names:standin_of_comm:split:on", run=run_with_last_words)
    part = json.loads((tmp_path / "vars.rank-0.json").read_text())
    assert {(one["object"]["name"], one["element"]): one["total"] for one in part["parts"]} == {
        ("MPI_COMM_WORLD", 0): 1, ("MPI_COMM_WORLD", 1): 10}


def test_MPI_Abort_leaves_a_part(mpi, tmp_path):
    run_vars(mpi, 1, tmp_path, "abort", run=run_with_last_words)
    part = json.loads((tmp_path / "vars.rank-0.json").read_text())
    assert part["part"]["ended_by"] == "MPI_Abort"


def test_cairn_report_reads_parts(mpi, tmp_path):
    run_vars(mpi, 1, tmp_path, "killed", "terminate", run=run_with_last_words)
    section, = json.loads(run(CAIRN, "report", tmp_path, "--json", "-").out)["sections"]
    assert section["part"] == "rank 0"
    assert any(row["variable"] == "standin_counter" and row["total"] == 3 for row in section["tables"]["changes"]["rows"])


def test_communicators_of_MPI_Comm_idup_are_followed(mpi, tmp_path):
    result = run_vars(mpi, 2, tmp_path, "vars/objects", "idup", options=":names:standin_of_comm")
    assert (result.code, result.err) == (0, "")
    data = json.loads((tmp_path / "vars.json").read_text())
    assert total(data, "of_comm", "MPI_Barrier") == 2 * 3 * 11
    assert data["variables"][0]["handles"] == 2 * 3


def test_a_first_pass_keeps_what_moves(mpi, tmp_path):
    assert run_vars(mpi, 2, tmp_path, "vars/calls", options=":pass:16", STANDIN_MPI_T_LATE=1).code == 0
    data = json.loads((tmp_path / "vars.json").read_text())
    left_out = {one["why"]: one["variables"] for one in data["left_out"]}
    assert left_out["did not move in the first 16 calls that were read"] == [
        "standin_still", "standin_fading", "mv2_vbuf_allocated_array", "mv2_vbuf_max_use_array", "mv2_total_vbuf_memory",
        *(f"standin_of_{kind}" for kind in ("errhandler", "group", "op", "info"))]  # of the standard's
    assert total(data, "counter", "MPI_Barrier") == 2 * 9 * 3
    assert total(data, "of_comm", "MPI_Barrier") == 2 * 9 * 11
    assert total(data, "late", "MPI_Comm_size") == 2 * 6


def test_its_statistics_are_variables_and_are_not_read_by_itself(mpi):
    result = run(*mpi.mpirun(1), CAIRN, "vars", "--json", "-", "--tools", "vars", "vars_*")
    assert (result.code, result.err) == (0, "")
    classes = {one["name"]: one["class"] for one in json.loads(result.out)["performance_variables"]}
    assert classes == {"vars_calls_read": "counter", "vars_calls_missed": "counter", "vars_samples": "counter",
                       "vars_reading_time": "timer", "vars_every": "level"}


def test_other_instances_are_not_read(mpi, tmp_path):
    result = run_stacked(mpi, 1, ["vars=all:on", "vars=all:on", mpi.tool("vars/known")], mpi.program("vars/calls"), out=tmp_path)
    assert result.code == 0
    for name in ["vars.json", "vars.2.json"]:
        names = [one["name"] for one in json.loads((tmp_path / name).read_text())["variables"]]
        assert "known_counter" in names and not any(one.startswith("vars") for one in names)


def vars_sections(folder, **env):
    told = json.loads(run(CAIRN, "report", folder, "--json", "-", **env).out)
    return [section for section in told["sections"] if section["tool"] == "vars"]


def rows_of(section, table, *columns):
    return {tuple(row.get(column) for column in columns) for row in section["tables"][table]["rows"]}


@pytest.mark.parametrize("options", ["", ":sites:on"])
def test_what_calls_did_outlives_SIGKILL(mpi, tmp_path, options):
    told = {}
    for way, run_it in (("kill", run), ("none", run)):
        run_stacked(mpi, 1, [f"vars=budget:0:table:off:all:off{options}", "where", mpi.tool("vars/standin")], mpi.program("killed"), way,
                    out=tmp_path / way, run=run_it, CAIRN_PAGES=tmp_path / f"pages-{way}")
        told[way], = vars_sections(tmp_path / way, CAIRN_PAGES=tmp_path / f"pages-{way}")
    killed, whole = told["kill"], told["none"]
    assert (killed["file"], killed["part"], killed["lines"][0]["figure"]) == ("pages", "rank 0", "SIGKILL")
    columns = ("variable", "class", "function", "region", "place", "read", "changed", "total", "most", "min", "mean", "max")
    expected = {row for row in rows_of(whole, "changes", *columns) if row[2] != "MPI_Finalize"}
    assert rows_of(killed, "changes", *columns) == expected and len(expected) > 3
    sums = {row for row in rows_of(whole, "variables", "name", "class", "in_calls") if row[2]}
    assert sums <= rows_of(killed, "variables", "name", "class", "in_calls")
