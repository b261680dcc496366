# SPDX-License-Identifier: BSD-3-Clause
# test_report.py - `cairn report`: what is said of real runs, every form of it, and of folders in which something is wrong.

import csv
import io
import json
import os

import pytest

from cairn_testing import read_profile, run_stacked
from cli_testing import *
from report_testing import *

TRY_FOLDER = "the folder that 'cairn run' wrote: that of --out, or cairn-PROGRAM-DATE-TIME"
TRY_RUN_AGAIN = "running the program again with 'cairn run'"
QUIET = "profile=table:off"


@pytest.fixture(scope="module", params=MPIS, ids=lambda mpi: mpi.id)
def real(request, tmp_path_factory):
    """The folder of a real run, and of another on more ranks."""
    folders = []
    for ranks in (2, 3):
        folder = tmp_path_factory.mktemp("run")
        result = run_stacked(request.param, ranks, [QUIET, QUIET], request.param.program("ring_c"), out=folder)
        assert result.code == 0
        folders.append(folder)
    return folders


def advice_of(folder):
    return json.loads(run(CAIRN, "advise", folder, "--json", "-").out)["findings"]


def fails(folder, text, remedy):
    result = report(folder)
    assert (result.code, result.out, result.err) == (125, "", error(text, remedy=remedy))


# ---- what is shown


def test_summary_of_a_small_run(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"), profile=profile_text())
    result = report(folder)
    assert (result.code, result.err) == (0, "")
    assert result.out == f"""\
a on 1 rank
  program  /bin/a
  MPI      Some MPI 1
  started  now
  host     here
  tools    profile
  folder   {folder}

findings
  none that costs 2 % of the run

Where does time go? (profile)
    50.0 %  of the run is spent in MPI
              1.00 s of 2.00 s on the average rank. That is a lot; the lines below show where.
    50.0 %  MPI_Barrier at a.c:7 work
              4 calls of 250 ms. All ranks take part: early ones wait for the last.

everything, with charts: {folder}/report.html
"""
    assert sorted(path.name for path in folder.iterdir()) == ["profile.json", "report.html", "run.json"]


def test_real_run(real):
    result = report(real[0])
    assert (result.code, result.err) == (0, "")
    lines = result.out.splitlines()
    assert lines[0] == "ring_c on 2 ranks"
    assert lines.index("findings") < lines.index("Where does time go? (profile)") < lines.index("Where does time go? (profile #2)")
    assert sum(line.endswith("of the run is spent in MPI") for line in lines) == 2


def test_folder_that_cannot_be_written_still_has_a_summary(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"), profile=profile_text())
    (folder / "report.html").mkdir()
    result = report(folder)
    assert result.code == 0
    assert result.out.startswith("a on 1 rank\n")
    assert result.err == warning(f"'{folder}/report.html' cannot be written: Is a directory",
                                 remedy=f"cairn report {folder} --html FILE")


def test_efficiency_of_ranks_that_start_at_different_times(tmp_path):
    over = lambda mean, most: {"total": 2 * mean, "mean": mean, "min": 2 * mean - most, "max": most}
    folder = made(tmp_path / "run", run=run_text("profile"), profile=profile_text(
        ranks=2, threads=1, run_time_s=over(1.75, 2), start_time_s=over(0.6, 1.1), own_time_s=over(1.1, 1.5), mpi_time_s=over(0.65, 1.2)))
    efficiency = json.loads(report(folder, "--json", "-").out)["efficiency"]
    assert efficiency["load_balance"] == pytest.approx(1.1 / 1.5)
    assert (efficiency["parallel_efficiency"], efficiency["communication_efficiency"]) == (pytest.approx(1.1 / 1.5), 1)


def test_json_has_the_runs_facts(real):
    result = report(real[0], "--json", "-")
    assert (result.code, result.err) == (0, "")
    data = json.loads(result.out)
    assert (data["format"], data["title"], data["warnings"]) == ("cairn-report 2", "ring_c on 2 ranks", [])
    assert data["findings"] == [{**one, "table": found["table"]} for one, found in zip(advice_of(real[0]), data["findings"])]
    assert data["efficiency"]["parallel_efficiency"] == pytest.approx(data["efficiency"]["load_balance"] * data["efficiency"]["communication_efficiency"])
    assert data["efficiency"]["transfer_efficiency"] is None  # what a profile alone cannot tell
    assert [(section["tool"], section["instance"]) for section in data["sections"]] == [("profile", 1), ("profile", 2)]
    for number, section in enumerate(data["sections"], 1):
        assert section["facts"]["ranks"] == 2
        rows = {row["name"]: row for row in section["tables"]["functions"]["rows"]}
        measured = read_profile(real[0], number)
        assert {name: row["calls"] for name, row in rows.items()} == {name: f["calls"] for name, f in measured.items()}
        assert {name: row["time_total_s"] for name, row in rows.items()} == {name: f["time_s"]["total"] for name, f in measured.items()}
        keys = {column["key"] for column in section["tables"]["functions"]["columns"]}
        assert all(set(row) <= keys for row in rows.values())


def test_csv_is_rfc_4180(real, tmp_path):
    assert report(real[0], "--csv", tmp_path / "tables").code == 0
    assert sorted(path.name for path in (tmp_path / "tables").iterdir()) == [
        "callsites.2.csv", "callsites.csv", "communicators.2.csv", "communicators.csv", "efficiency.csv", "functions.2.csv", "functions.csv"]
    text = (tmp_path / "tables" / "functions.csv").read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n")
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))
    assert {row["name"]: int(row["calls"]) for row in rows} == {
        name: function["calls"] for name, function in read_profile(real[0]).items()}


def test_csv_quotes_what_needs_it(tmp_path):
    sites = json.loads(profile_text())["callsites"]
    sites[0]["caller"] = 'f<a, "b">\n'
    folder = made(tmp_path / "run", profile=profile_text(callsites=sites))
    assert report(folder, "--csv", tmp_path / "tables").code == 0
    [row] = csv.DictReader(io.StringIO((tmp_path / "tables" / "callsites.csv").read_bytes().decode(), newline=""), strict=True)
    assert row["caller"] == 'f<a, "b">\n'


def test_text_has_every_row(real):
    text = report(real[0], "--text", "-").out
    for name in read_profile(real[0]):
        assert f"\n  {name} " in text


def test_only_what_is_asked_for_is_written(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"), profile=profile_text())
    result = report(folder, "--text", tmp_path / "t", "--json", tmp_path / "j", "--html", tmp_path / "h")
    assert (result.code, result.out, result.err) == (0, "", "")
    assert sorted(path.name for path in folder.iterdir()) == ["profile.json", "run.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["h", "j", "run", "t"]


def test_tables_that_nobody_knows_yet_are_shown(tmp_path):
    phases = [{"name": "solve", "calls": 3, "waiting_s": {"total": 0.25}}]
    folder = made(tmp_path / "run", profile=profile_text(phases=phases, waiting={"time_s": 1}))
    section = json.loads(report(folder, "--json", "-").out)["sections"][0]
    assert section["tables"]["phases"]["rows"] == [{"name": "solve", "calls": 3, "waiting_total_s": 0.25}]
    assert section["tables"]["phases"]["columns"][2]["kind"] == "seconds"


def test_values_of_another_kind_than_expected_do_no_harm(tmp_path):
    folder = made(tmp_path / "run", profile=profile_text(ranks="many", functions=[3, {"name": 5, "calls": None}], callsites={}))
    assert report(folder).code == 0


# ---- hostile names

HOSTILE = "</script><script>alert('1')</script><img src=x onerror=\"alert(2)\">&amp;\x1b[31m"


def test_names_cannot_end_the_pages_data_or_steer_the_terminal(tmp_path):
    profile = json.loads(profile_text())
    profile["functions"][0]["name"] = profile["callsites"][0]["caller"] = HOSTILE
    folder = made(tmp_path / "run", run=run_text(HOSTILE), profile=json.dumps(profile))
    result = report(folder)
    assert (result.code, result.err) == (0, "")
    assert "\x1b" not in result.out
    page = (folder / "report.html").read_text()
    assert "<img" not in page and page.count("<script") == page.count("</script>") == 2
    data = page.split('id="data">', 1)[1].split("</script>", 1)[0]
    assert json.loads(data)["sections"][0]["tables"]["functions"]["rows"][0]["name"] == HOSTILE


def test_folder_whose_name_is_no_utf8(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"), profile=profile_text())
    odd = os.fsencode(tmp_path) + b"/odd\xff"
    os.rename(folder, odd)
    assert report(os.fsdecode(odd)).code == 0
    with open(odd + b"/report.html", encoding="utf-8") as page:
        assert "odd\N{REPLACEMENT CHARACTER}" in page.read()


# ---- two runs


def test_comparison_of_real_runs(real):
    result = report(*real)
    assert result.code == 0
    assert result.err == warning("the runs are on different numbers of ranks: 2 and 3. Times are those of an average rank, "
                                 "calls and bytes of all")
    assert result.out.startswith("A: ring_c on 2 ranks, B: ring_c on 3 ranks\n")
    data = json.loads(report(*real, "--json", "-").out)
    before, after = (read_profile(folder) for folder in real)
    rows = {row["name"]: row for row in data["sections"][0]["tables"]["functions"]["rows"]}
    assert set(rows) == set(before) | set(after)
    for name, row in rows.items():
        assert (row["calls_a"], row["calls_b"]) == (before[name]["calls"], after[name]["calls"])
        assert row["calls_change"] == row["calls_b"] - row["calls_a"]
        assert row["time_mean_s_change"] == row["time_mean_s_b"] - row["time_mean_s_a"]
    changes = [abs(row["time_mean_s_change"]) for row in data["sections"][0]["tables"]["functions"]["rows"]]
    assert changes == sorted(changes, reverse=True)
    assert not (real[0] / "report.html").exists() or '"title":"A: ' not in (real[0] / "report.html").read_text()


def test_comparison_matches_sites_and_says_what_is_in_one_only(tmp_path):
    profile = json.loads(profile_text())
    [site] = profile["callsites"]
    moved = {**site, "line": 8}
    slower = {**site, "file": "/elsewhere/a.c", "time_s": {"total": 2, "mean": 2, "min": 2, "max": 2}}
    a = made(tmp_path / "a", profile=json.dumps({**profile, "callsites": [site, site]}))
    b = made(tmp_path / "b", profile=json.dumps({**profile, "callsites": [slower, moved]}))
    [section] = json.loads(report(a, b, "--json", "-").out)["sections"]
    rows = {row["place"]: row for row in section["tables"]["callsites"]["rows"]}
    assert (rows["a.c:7 work"]["in"], rows["a.c:8 work"]["in"]) == ("both", "B")
    assert (rows["a.c:7 work"]["time_mean_s_a"], rows["a.c:7 work"]["time_mean_s_b"]) == (2, 2)
    assert rows["a.c:7 work"]["calls_change"] == -4
    assert "         1  of 'Call sites' only in B\n              MPI_Barrier, a.c:8 work\n" in report(a, b).out


def test_comparison_with_itself_changes_nothing(real):
    result = report(real[0], real[0])
    assert (result.code, result.err) == (0, "")
    assert "only in" not in result.out and "MPI_" not in result.out


def test_comparison_of_different_programs_is_said(tmp_path):
    a = made(tmp_path / "a", run=run_text("profile"), profile=profile_text())
    b = made(tmp_path / "b", run=run_text("profile").replace("/bin/a", "/bin/b"), profile=profile_text())
    result = report(a, b)
    assert (result.code, result.err) == (0, warning("the runs are of different programs: 'a' and 'b'"))


# ---- what is wrong


def test_folder_that_does_not_exist(tmp_path):
    fails(tmp_path / "none", f"no report: '{tmp_path}/none': No such file or directory", TRY_FOLDER)


def test_file_in_place_of_a_folder(tmp_path):
    (tmp_path / "file").write_text("")
    fails(tmp_path / "file", f"no report: '{tmp_path}/file' is not a folder", TRY_FOLDER)


def test_empty_folder(tmp_path):
    fails(tmp_path, f"no report: '{tmp_path}' contains no results of a run", TRY_FOLDER)


def test_run_that_ended_before_its_results(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile"))
    fails(folder, f"no report: '{folder}/profile.json' is missing: the run ended before the tool wrote it, or is still running",
          "a run that reaches MPI_Finalize")


def test_run_without_a_tool_that_writes(tmp_path):
    folder = made(tmp_path / "run", run=run_text("libompitrace.so.40"))
    fails(folder, f"no report: no tool of the run in '{folder}' (libompitrace.so.40) writes results for it",
          "cairn run --tools profile")


def test_second_profile_missing(tmp_path):
    folder = made(tmp_path / "run", run=run_text("profile", "profile"), profile=profile_text())
    result = report(folder)
    text = f"'{folder}/profile.2.json' is missing: the run ended before the tool wrote it, or is still running"
    assert (result.code, result.err) == (0, warning(text, remedy="a run that reaches MPI_Finalize"))
    assert f"note: '{folder}" in report(folder, "--text", "-").out


@pytest.mark.parametrize("text, byte", [("", 1), ('{"format": "cairn-profile 1", "functions": [', 45), ('{"program": "\xff"}', None)])
def test_damaged_profile(tmp_path, text, byte):
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


# ---- files of another run, ranks without a tool


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
