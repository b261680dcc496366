# SPDX-License-Identifier: BSD-3-Clause
# test_report_faults.py - `cairn report` of folders in which something is missing or damaged, and files that cannot be written.

import json

import pytest

from cli_testing import *
from report_testing import *


def test_folder_that_does_not_exist(tmp_path):
    fails(tmp_path / "none", f"no report: '{tmp_path}/none': No such file or directory", TRY_FOLDER)


def test_file_in_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    fails(tmp_path / "file", f"no report: '{tmp_path}/file' is not a folder", TRY_FOLDER)


def test_an_empty_folder_has_no_results(tmp_path):
    fails(tmp_path, f"no report: '{tmp_path}' contains no results of a run", TRY_FOLDER)


def test_run_that_ended_before_its_results(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"))
    fails(folder, f"no report: '{folder}/profile.json' is missing: the run ended before the tool wrote it, could not write it, or is still running",
          TRY_TO_THE_END)


@pytest.mark.parametrize("ends, words, remedy", [
    (["MPI_Finalize without gathering"] * 2, "the ranks could not gather their results when MPI ended", "the warning of the run itself, which tells why"),
    (["MPI_Session_finalize without the other ranks"], "the ranks could not gather their results when MPI ended", "the warning of the run itself, which tells why"),
    (["MPI_Finalize without gathering", "SIGTERM"], "the run did not reach MPI_Finalize, or is still running", "a run that reaches MPI_Finalize"),
    (["exit without MPI_Finalize"], "the run did not reach MPI_Finalize, or is still running", "a run that reaches MPI_Finalize")], ids=["apart", "session", "one_dies", "exit"])
def test_ranks_that_left_parts_are_said_to_have_ended_as_the_parts_tell(ends, words, remedy, tmp_path):
    parts = {f"profile_rank-{rank}": profile_text(part={"rank": rank, "ended_by": end}) for rank, end in enumerate(ends)}
    result = report(made(tmp_path, run=run_text("profile"), **parts))
    ranks = f"{len(ends)} rank{'s' if len(ends) > 1 else ''}"
    assert (result.code, result.err) == (0, warning(f"'{tmp_path}/profile.json' is missing: {words}; the report shows what {ranks} left", remedy=remedy))


NOWHERE = {"tool": "profile", "instance": 1, "ranks": "0-3", "everywhere": True}
TRY_CHECK = "'cairn check' with this tool, which tells why"


def test_a_tool_that_no_rank_could_load_is_told_and_its_results_are_not_missed(tmp_path):
    gaps = [NOWHERE, {**NOWHERE, "tool": "/opt/mine.so"}, {**NOWHERE, "tool": "comm", "instance": 2}]
    run_json = run_text("profile", "/opt/mine.so", "comm", "comm", "vars", missing=gaps)
    (tmp_path / "comm").mkdir()
    result = report(made(tmp_path, **{"run": run_json, "comm/comm": json.dumps({"format": "cairn-comm 1", "program": "/app", "ranks": 4, "phases": []})}))
    missed = warning(f"'{tmp_path}/vars.json' is missing: the run ended before the tool wrote it, could not write it, or is still running", remedy=TRY_TO_THE_END)
    told = [warning(f"no rank had {name}: it could not be loaded, so there are no results of it", remedy=TRY_CHECK) for name in ("'profile'", "'mine.so'", "'comm' #2")]
    assert (result.code, result.err) == (0, missed + "".join(told))


def test_of_a_run_whose_only_tool_no_rank_could_load(tmp_path):
    fails(made(tmp_path, run=run_text("profile", missing=[NOWHERE])), "no report: no rank had 'profile': it could not be loaded, so there are no results of it", TRY_CHECK)


def test_run_without_a_tool_that_writes(tmp_path):
    folder = made(tmp_path / "run", run=run_text("libompitrace.so.40"))
    fails(folder, f"no report: no tool of the run in '{folder}' (libompitrace.so.40) writes results for it",
          "cairn run --tools profile")


def test_without_the_second_profile_there_is_a_report_of_the_first(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile", "profile"), profile=profile_text())
    result = report(folder)
    text = f"'{folder}/profile.2.json' is missing: the run ended before the tool wrote it, could not write it, or is still running"
    assert (result.code, result.err) == (0, warning(text, remedy=TRY_TO_THE_END))
    assert f"note: '{folder}" in report(folder, "--text", "-").out


@pytest.mark.parametrize("text, byte", [("", 1), ('{"format": "cairn-profile 1", "functions": [', 45), ('{"program": "\xff"}', None)])
def test_a_damaged_profile_is_an_error(tmp_path, text, byte):
    folder = made(tmp_path / "run", run=run_text("profile"), profile=text.encode("latin-1"))
    result = report(folder)
    assert (result.code, result.out) == (125, "")
    if byte:
        assert result.err == error(f"no report: '{folder}/profile.json' is damaged: not valid JSON from byte {byte} on",
                                   remedy=TRY_RUN_AGAIN)


def test_profile_that_is_no_object(tmp_path):
    folder = made(tmp_path / "run", profile="[]")
    fails(folder, f"no report: '{folder}/profile.json' is damaged: it contains no JSON object", TRY_RUN_AGAIN)


def test_profile_of_another_format(tmp_path):
    folder = made(tmp_path / "run", profile='{"format": "other 1"}')
    fails(folder, f"no report: '{folder}/profile.json' is not what its name says: its format is 'other 1', not 'cairn-profile 1'",
          TRY_RUN_AGAIN)


def test_profile_of_a_newer_format(tmp_path):
    folder = made(tmp_path / "run", profile=profile_text(format="cairn-profile 2"))
    fails(folder, f"no report: '{folder}/profile.json' has the format 'cairn-profile 2'; this cairn knows up to 'cairn-profile 1'",
          "the cairn that made the run, or a newer one")


def test_damaged_profile_does_not_hide_what_ranks_left(tmp_path):
    part = profile_text(part={"rank": 3, "ended_by": "SIGTERM"})
    result = report(made(tmp_path, **{"run": run_text("profile"), "profile": "{", "profile_rank-3": part}))
    assert result.code == 0
    assert f"'{tmp_path}/profile.json' is damaged: not valid JSON from byte 2 on" in result.err
    assert "(profile, rank 3)\n" in result.out and "SIGTERM" in result.out


def test_a_damaged_snapshot_does_not_hide_the_others(tmp_path):
    (tmp_path / "comm").mkdir()
    snapshot = {"format": "cairn-comm 1", "program": "/app", "ranks": 2, "rank": 0, "phases": []}
    result = report(made(tmp_path, **{"run": run_text("comm"), "comm/rank_0": json.dumps(snapshot), "comm/rank_1": "{"}))
    assert result.code == 0, result.err
    assert f"'{tmp_path}/comm/rank.1.json' is damaged: not valid JSON from byte 2 on" in result.err
    assert f"'{tmp_path}/comm' has snapshots of 1 rank, not the results of the whole run" in result.err


def test_damaged_run_json_does_not_hide_the_profile(tmp_path):
    folder = made(tmp_path / "run", run="{", profile=profile_text())
    result = report(folder)
    assert (result.code, result.err) == (0, warning(f"'{folder}/run.json' is damaged: not valid JSON from byte 2 on",
                                                    remedy=TRY_RUN_AGAIN))
    assert result.out.startswith("a on 1 rank\n")


@pytest.mark.parametrize("option", ["--text", "--json", "--html"])
def test_file_that_cannot_be_written(tmp_path, option):
    folder = made(tmp_path / "run", profile=profile_text())
    result = report(folder, option, tmp_path / "none" / "file")
    assert (result.code, result.err) == (125, error(f"'{tmp_path}/none/file' cannot be written: No such file or directory",
                                                    f"{option} {tmp_path}/none/file", "a folder in which you may create files"))
    result = report(folder, option, "/dev/full")
    assert (result.code, result.err) == (125, error("'/dev/full' cannot be written: No space left on device", f"{option} /dev/full", "a folder on a disk with space left"))


def test_csv_folder_that_cannot_be_made(tmp_path):
    folder = made(tmp_path / "run", profile=profile_text())
    (tmp_path / "file").write_text("")
    result = report(folder, "--csv", tmp_path / "file")
    assert (result.code, result.err) == (125, error(f"no CSV files in '{tmp_path}/file': Not a directory",
                                                    f"--csv {tmp_path}/file", "another folder"))


def test_runs_without_a_common_tool(tmp_path):
    a = made(tmp_path / "a", profile=profile_text())
    b = made(tmp_path / "b", profile_2=profile_text())
    result = report(a, b)
    assert (result.code, result.out, result.err) == (
        125, "", error("nothing to compare: no tool wrote results in both runs", remedy="two runs with the same tools"))


def test_a_folder_is_required():
    result = report()
    assert (result.code, result.out, result.err) == (125, "", error("folder is required", remedy="cairn report --help"))
