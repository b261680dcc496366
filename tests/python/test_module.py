# SPDX-License-Identifier: BSD-3-Clause
# test_module.py - the Python module `cairn`: its data frames have the figures of the files, and the notebook runs.

import importlib
import json
import sys

from cairn_testing import *

OPENMPI = MPIS[0]
HEAT = BUILD / "examples/openmpi/heat3d"


@pytest.fixture(scope="session")
def cairn(tmp_path_factory):
    """The module, installed by pip from the tree."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(SOURCE / "python", folder / "source")
    done = run(sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--target",
               folder / "packages", folder / "source")
    assert done.code == 0, done.err
    os.environ["CAIRN"] = CAIRN
    sys.path.insert(0, str(folder / "packages"))
    return importlib.import_module("cairn")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("run") / "out"
    done = run(*OPENMPI.mpirun(2), CAIRN, "run", "--tools", "profile=table:off,comm=table:off,vars=table:off", "--out", out, OPENMPI.program("ring_c"))
    assert done.code == 0, done.err
    return out


def test_tables_have_the_figures_of_the_files(cairn, folder):
    one = cairn.open(folder)
    profile = read_profile(folder)
    assert one.ranks == 2 and one.title == "ring_c on 2 ranks" and one.info["MPI"] == "Open MPI 4.1.4" and one.warnings == []
    assert dict(zip(one.functions["name"], one.functions["calls"])) == {name: entry["calls"] for name, entry in profile.items()}
    assert one.functions["time_mean_s"].dtype == float and one.functions["bytes_sent"].dtype == int
    assert one.callsites["calls"].sum() == one.functions["calls"].sum()
    assert one.over_ranks("run_time_s") == json.loads((folder / "profile.json").read_text())["run_time_s"]
    assert ("comm", 1, "pairs") in one.tables() and one.regions.empty and one.table("comm", "pairs", instance=2).empty
    assert set(one.lines["tool"]) >= {"profile", "comm"} and list(one.findings["cost_s"]) == sorted(one.findings["cost_s"], reverse=True)
    assert 0 < one.efficiency["parallel_efficiency"] <= one.efficiency["load_balance"] <= 1 and "coll_monitoring_a2a_count" in set(one.table("vars", "variables")["name"])


def test_the_matrix_is_that_of_comm(cairn, folder):
    matrix = cairn.open(folder).matrix()
    lines = [line.split() for line in (folder / "comm/total.bytes.mtx").read_text().splitlines() if not line.startswith("%")][1:]
    assert lines and {(int(row) - 1, int(column) - 1): int(value) for row, column, value in lines} == {
        (row, column): matrix.loc[row, column] for row in (0, 1) for column in (0, 1) if matrix.loc[row, column]}
    assert cairn.open(folder).matrix("p2p_messages").loc[0, 1] == 10


def test_a_tool_that_some_ranks_lack_takes_none_of_the_others_results(cairn, tmp_path):
    """The matrix has all ranks, the mean is over those with `profile`."""
    with_comm, with_both = ([CAIRN, "run", "--tools", f"{tools}comm=table:off", "--out", tmp_path / "out", OPENMPI.program("ring_c")] for tools in ("", "profile=table:off,"))
    done = run(*OPENMPI.launcher, "-n", "2", *with_both, ":", "-n", "2", *with_comm, ":", "-n", "1", OPENMPI.program("ring_c"))
    assert done.code == 0, done.err
    one = cairn.open(tmp_path / "out")
    assert (one.ranks, one.profiled_ranks) == (5, 2)
    matrix = one.matrix("p2p_messages")
    assert matrix.shape == (5, 5) and [matrix.loc[rank, rank + 1] for rank in range(4)] == [10, 10, 10, 10]
    assert one.hatchet()[0]["metrics"]["calls"] == 2
    shutil.rmtree(tmp_path / "out/comm")  # without comm.json, run.json still knows the rank without Cairn
    assert cairn.open(tmp_path / "out").ranks == 5
    study = cairn.compare([one], scaling="weak")
    assert study["ranks"][0] == 5 and study["computation_scalability"][0] == 1


def test_what_cannot_be_read_is_the_commands_message(cairn, tmp_path):
    with pytest.raises(cairn.Error, match="no report: '.*/none': No such file or directory\ncairn:   try: "):
        cairn.open(tmp_path / "none")


def test_types_are_as_they_are_written(tmp_path):
    """pandas has none in Debian 12."""
    if shutil.which("mypy") is None:
        pytest.skip("not installed: mypy")
    told = run("mypy", "--strict", "--ignore-missing-imports", "--cache-dir", tmp_path, SOURCE / "python/cairn")
    assert (told.code, told.out) == (0, "Success: no issues found in 2 source files\n")


def test_a_run_without_profile_has_empty_tables(cairn, tmp_path):
    done = run(*OPENMPI.mpirun(2), CAIRN, "run", "--tools", "comm=table:off", "--out", tmp_path / "out", OPENMPI.program("ring_c"))
    assert done.code == 0, done.err
    one = cairn.open(tmp_path / "out")
    assert one.ranks == 2 and one.functions.empty and one.over_ranks("run_time_s") is None and "run_s" not in cairn.compare([one])


def test_hatchets_and_extra_ps_formats(cairn, folder, tmp_path):
    one = cairn.open(folder)
    (root,) = one.hatchet()
    callers = {child["frame"]["name"]: child for child in root["children"]}
    (sends,) = [leaf for leaf in callers["pass_token"]["children"] if leaf["frame"]["name"] == "MPI_Send"]
    assert sends["metrics"]["calls"] == 20 and root["frame"]["name"] == "ring_c"
    inclusive = root["metrics"]["time"] + sum(child["metrics"]["time (inc)"] for child in root["children"])
    assert abs(inclusive - root["metrics"]["time (inc)"]) < 0.01 * inclusive
    cairn.write_extrap([one, one], tmp_path / "all.jsonl", [{"p": 2, "size": 1}, {"p": 4, "size": 1}])
    lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    assert {"params": {"p": 4, "size": 1}, "callpath": "ring_c->MPI_Send", "metric": "time",
            "value": read_profile(folder)["MPI_Send"]["time_s"]["mean"]} in lines
    with pytest.raises(ValueError, match="2 runs, but parameters of 1"):
        cairn.write_extrap([one, one], tmp_path / "all.jsonl", [{"p": 2}])


def test_the_notebook_of_eight_runs(cairn, tmp_path, monkeypatch):
    for ranks in range(1, 9):
        done = run(*OPENMPI.mpirun(ranks), CAIRN, "run", "--tools", "profile=table:off", "--out", tmp_path / f"scaling/{ranks}", HEAT, "--size", "48",
                   "--steps", "20", "--quiet")
        assert done.code == 0, done.err
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in json.loads((SOURCE / "docs/scaling.ipynb").read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)  # as Jupyter would, without it
    study = names["study"]
    assert list(study["ranks"]) == list(range(1, 9)) and study["speedup"][0] == 1 and study["computation_scalability"][0] == 1
    product = study["load_balance"] * study["communication_efficiency"]
    assert ((study["parallel_efficiency"] - product).abs() < 1e-9).all() and study["parallel_efficiency"].between(0, 1.001).all()
    assert list(names["by_function"].columns) == list(range(1, 9)) and len(names["sites"]) > 3
    assert {json.loads(line)["params"]["p"] for line in (tmp_path / "scaling.jsonl").read_text().splitlines()} == set(range(1, 9))
