# SPDX-License-Identifier: BSD-3-Clause
# test_runs.py - `cairn report A B C…`: runs side by side, and conditions on them.

import csv
import json

import pytest

from cli_testing import *
from report_testing import *


def with_shares(folder, *shares):
    """Runs of 2 s, of which these parts are in MPI."""
    return [made(folder / f"run{at}", run=run_text("profile"),
                 profile=profile_text(mpi_time_s={key: 2 * share for key in ("total", "mean", "min", "max")},
                                      start_time_s={key: 0 for key in ("total", "mean", "min", "max")}))
            for at, share in enumerate(shares, 1)]


def test_many_runs_are_rows_of_a_table(tmp_path):
    runs = with_shares(tmp_path, 0.5, 0.25, 0.75)
    done = report(*runs)
    assert (done.code, done.err) == (0, "")
    rows = [line.split() for line in done.out.splitlines()]
    assert rows[-3:] == [[f"run{at}", "1", "2.00", "s", share, "%"] for at, share in enumerate(("50.0", "25.0", "75.0"), 1)]
    report(*runs, "--csv", tmp_path / "csv")
    with open(tmp_path / "csv/runs.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert [(row["folder"], row["mpi_share"], row["mpi"], row["tools"]) for row in table] == [
        (str(run), share, "Some MPI 1", "profile") for run, share in zip(runs, ("0.5", "0.25", "0.75"))]


def test_labels_are_columns(tmp_path):
    runs = with_shares(tmp_path, 0.5, 0.25, 0.75)
    for folder, labels in zip(runs, ({"commit": "1a2b"}, {"case": "a, b", "commit": "3c4d"}, None)):
        facts = json.loads((folder / "run.json").read_text())
        (folder / "run.json").write_text(json.dumps({**facts, "labels": labels} if labels else facts))
    shown = report(*runs).out.splitlines()
    assert shown[-4].split()[-2:] == ["commit", "case"]
    assert [line.split("%")[1].split() for line in shown[-3:]] == [["1a2b"], ["3c4d", "a,", "b"], []]
    report(*runs, "--csv", tmp_path / "csv")
    with open(tmp_path / "csv/runs.csv", newline="") as file:
        assert [(row["label.commit"], row["label.case"]) for row in csv.DictReader(file)] == [("1a2b", ""), ("3c4d", "a, b"), ("", "")]
    assert "  labels   case=a, b, commit=3c4d\n" in report(runs[1]).out


@pytest.mark.parametrize("condition, code, says", [
    ("mpi_share > 1.1 * baseline", 1, ["'{2}': mpi_share 0.75, baseline.mpi_share 0.5"]),
    ("run.mpi_share >= baseline.mpi_share / 2", 1, ["'{1}': mpi_share 0.25, baseline.mpi_share 0.5", "'{2}': mpi_share 0.75, baseline.mpi_share 0.5"]),
    ("mpi_share > 80 % or time > 2.5 s", 0, []),
])
def test_runs_are_held_to_a_condition(condition, code, says, tmp_path):
    runs = with_shares(tmp_path, 0.5, 0.25, 0.75)
    done = report(*runs, "--fail-if", condition, "--json", tmp_path / "out.json")
    assert (done.code, done.out) == (code, "")
    assert done.err == "".join(error(line.format(*runs), asked=f"--fail-if '{condition}'") for line in says)


def test_a_single_run_is_held_to_numbers(tmp_path):
    (one,) = with_shares(tmp_path, 0.5)
    assert report(one, "--fail-if", "mpi_share > 20 %", "--text", tmp_path / "text").code == 1
    assert report(one, "--fail-if", "mpi_share > 0.6", "--text", tmp_path / "text").code == 0


@pytest.mark.parametrize("condition, wrong, remedy", [
    ("mpi_shre > 3", ", column 1: 'mpi_shre' is not a figure of a run", "mpi_share"),
    ("mpi_share >", ", column 12: a value expected, but the line ends", None),
    ("mpi_share > 20 % ranks", ", column 18: the end of the condition expected, but found 'ranks'", None),
    ("mpi_share > ranks * baseline", ": which figure of the baseline is meant?", "baseline.FIGURE, such as baseline.mpi_share"),
    ("mpi_share > baseline", ": there is no baseline", "two runs, the baseline first"),
    ("late_time > 1", ": '{0}' does not tell 'late_time'", "a run with the tool that 'cairn advise --fields' names for it"),
])
def test_conditions_that_cannot_be_checked_are_refused(condition, wrong, remedy, tmp_path):
    (one,) = with_shares(tmp_path, 0.5)
    done = report(one, "--fail-if", condition, "--text", tmp_path / "text")
    assert (done.code, done.err) == (125, error(f"condition '{condition}'" + wrong.format(one), asked=f"--fail-if '{condition}'", remedy=remedy))


def test_a_run_without_results_is_left_out_of_the_table(tmp_path):
    runs = with_shares(tmp_path, 0.5, 0.25)
    died = made(tmp_path / "died", run=run_text("profile", labels={"case": "large"}), **{"profile_rank-1": profile_text()})
    damaged = made(tmp_path / "damaged", run=run_text("profile"), profile="{")
    done = report(runs[0], died, damaged, runs[1])
    assert (done.code, done.err) == (0, warning(f"left out of the table: '{died}' has no results of profile, waits, comm or vars",
                                                remedy="cairn run --tools profile,waits,comm PROGRAM")
                                     + warning(f"left out of the table: '{damaged}/profile.json' is damaged: not valid JSON from byte 2 on",
                                               remedy=TRY_RUN_AGAIN))
    assert done.out.startswith("2 runs\n") and [line.split()[0] for line in done.out.splitlines()[-2:]] == ["run1", "run2"]
    assert "case" not in done.out
    done = report(died, died, damaged)
    assert (done.code, done.out, done.err) == (125, "", error(f"no report: '{died}' has no results of profile, waits, comm or vars",
                                                              remedy="cairn run --tools profile,waits,comm PROGRAM"))
    done = report(*runs, tmp_path / "nowhere")
    assert (done.code, done.out) == (125, "")


def test_bytes_in_the_table_say_that_they_are_of_point_to_point_messages(tmp_path):
    [folder] = with_shares(tmp_path, 0.5)
    (folder / "comm").mkdir()
    (folder / "comm/comm.json").write_text(json.dumps({
        "format": "cairn-comm 1", "program": "/bin/a", "ranks": 2, "nodes": [{"name": "n1", "ranks": "0"}, {"name": "n2", "ranks": "1"}],
        "communicators": [], "phases": [{"name": "", "p2p": [[0, 1, 1, 100, []]], "coll": [[0, 1, 1, 1000, []]]}]}))
    done = report(folder, folder, folder, "--json", "-")
    table = json.loads(done.out)["sections"][0]["tables"]["runs"]
    assert {column["key"]: column["title"] for column in table["columns"] if "bytes" in column["key"]} == {
        "bytes_within": "point-to-point bytes within nodes", "bytes_between": "point-to-point bytes between nodes"}
    assert [(row["bytes_within"], row["bytes_between"]) for row in table["rows"]] == [(0, 100)] * 3
    facts = json.loads(report(folder, "--json", "-").out)["sections"][-1]["facts"]
    assert facts["between_nodes_bytes"] == 1100
