# SPDX-License-Identifier: BSD-3-Clause
# test_report_other_runs.py - `cairn report` of folders with files of another run, and of ranks without a tool.

import json

import pytest

from cli_testing import *
from report_testing import *

RUN, OTHER = "00000000000000aa", "00000000000000bb"
TRY_OWN_FOLDER = "a folder of its own for each run"


def run_of(identity, *tools, **more):
    return json.dumps({**json.loads(run_text(*tools)), "run": identity, **more})


def left_out(path):
    return f"'{path}' belongs to another run ({OTHER}) than run.json: left out"


def test_a_file_of_another_run_is_left_out(tmp_path):
    folder = made(tmp_path / "run", run=run_of(RUN, "profile", "profile"), profile=profile_text(run=OTHER), profile_2=profile_text(run=RUN))
    result = report(folder, "--json", "-")
    assert (result.code, result.err) == (0, warning(left_out(f"{folder}/profile.json"), remedy=TRY_OWN_FOLDER))
    [section] = [section for section in json.loads(result.out)["sections"] if section["tool"] == "profile"]
    assert section["instance"] == 2
    assert "run" not in section["facts"]


def test_a_folder_with_files_of_another_run_alone(tmp_path):
    folder = made(tmp_path / "run", run=run_of(RUN, "profile"), profile=profile_text(run=OTHER))
    fails(folder, f"no report: {left_out(f'{folder}/profile.json')}", TRY_OWN_FOLDER)
    result = run(CAIRN, "advise", folder)
    assert (result.code, result.out) == (125, "")
    assert result.err == error(f"no advice: {left_out(f'{folder}/profile.json')}", remedy=TRY_OWN_FOLDER)


def test_advice_leaves_out_a_file_of_another_run(tmp_path):
    folder = made(tmp_path / "run", run=run_of(RUN, "profile", "vars"), profile=profile_text(run=RUN),
                  vars=json.dumps({"format": "cairn-vars 1", "run": OTHER, "changes": [], "variables": []}))
    result = run(CAIRN, "advise", folder, "--json", "-")
    assert (result.code, result.err) == (0, warning(left_out(f"{folder}/vars.json"), remedy=TRY_OWN_FOLDER))
    assert json.loads(result.out)["tools"] == ["profile"]


@pytest.mark.parametrize("of_run, of_file", [(RUN, {}), (None, {"run": OTHER})], ids=["older file", "older run.json"])
def test_a_file_of_unknown_run_is_taken(tmp_path, of_run, of_file):
    folder = made(tmp_path / "run", run=run_of(of_run, "profile"), profile=profile_text(**of_file))
    assert (report(folder).code, report(folder).err) == (0, "")


def test_a_part_of_another_run_is_left_out(tmp_path):
    part = {"rank": 1, "ended_by": "SIGTERM"}
    result = report(made(tmp_path, **{"run": run_of(RUN, "profile"), "profile_rank-0": profile_text(run=OTHER, part=part),
                                      "profile_rank-1": profile_text(run=RUN, part=part)}))
    assert result.code == 0
    assert left_out(f"{tmp_path}/profile.rank-0.json") in result.err
    assert "(profile, rank 1)\n" in result.out and "(profile, rank 0)\n" not in result.out


def test_a_snapshot_of_another_run_is_left_out(tmp_path):
    (tmp_path / "comm").mkdir()
    snapshots = [{"format": "cairn-comm 1", "run": identity, "program": "/app", "ranks": 2, "rank": rank, "phases": []}
                 for rank, identity in enumerate((RUN, OTHER))]
    result = report(made(tmp_path, **{"run": run_of(RUN, "comm"), "comm/rank_0": json.dumps(snapshots[0]),
                                      "comm/rank_1": json.dumps(snapshots[1])}))
    assert result.code == 0, result.err
    assert left_out(f"{tmp_path}/comm/rank.1.json") in result.err
    assert f"'{tmp_path}/comm' has snapshots of 1 rank, not the results of the whole run" in result.err


def test_matrices_of_another_run_are_refused(tmp_path):
    comm = {"format": "cairn-comm 1", "run": OTHER, "program": "/app", "ranks": 2, "phases": []}
    folder = made(tmp_path, run=run_of(RUN, "profile", "comm"), profile=profile_text(run=RUN))
    (folder / "comm").mkdir()
    (folder / "comm/comm.json").write_text(json.dumps(comm))
    (folder / "comm/inner.0.prof").write_text("I\t0\t1\t800 bytes\t4 msgs sent\n")
    result = report(folder, "--mat", tmp_path / "flows")
    assert (result.code, result.err) == (125, "".join(told(left_out(f"{folder}/comm/comm.json"), remedy=TRY_OWN_FOLDER)
                                                      for told in (warning, error)))
    assert report(folder).code == 0
    assert not list(folder.glob("comm/*.mtx")) and not list(tmp_path.glob("flows*"))
    (folder / "comm/comm.json").write_text(json.dumps({**comm, "run": RUN}))
    assert report(folder).code == 0
    assert len(list(folder.glob("comm/inner.*.mtx"))) == 2


def test_two_runs_compared_have_two_identities(tmp_path):
    folders = [made(tmp_path / identity, run=run_of(identity, "profile"), profile=profile_text(run=identity)) for identity in (RUN, OTHER)]
    result = report(*folders)
    assert (result.code, result.err) == (0, "")


def test_ranks_without_a_tool_are_named(tmp_path):
    missing = [{"ranks": "3"}, {"tool": "/lib/profile", "instance": 2, "ranks": "0-1"}]
    folder = made(tmp_path / "run", run=run_of(RUN, "profile", missing=missing), profile=profile_text())
    result = report(folder)
    assert (result.code, result.err) == (0, (
        warning("rank 3 ran without Cairn: results are those of the other ranks", remedy="'cairn run' in every part of the job")
        + warning("ranks 0-1 had no 'profile' #2: its results are those of the other ranks",
                  remedy="the same tools in every part of the job")))
