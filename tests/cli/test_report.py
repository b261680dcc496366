# SPDX-License-Identifier: BSD-3-Clause
# test_report.py - `cairn report`: what is said of real runs, every form of it, and what changed between two.

import csv
import io
import json
import os

import pytest

from cairn_testing import read_profile, run_stacked
from cli_testing import *
from report_testing import *

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


def test_a_real_run_has_its_findings_before_the_tables(real):
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
        "callsites.2.csv", "callsites.csv", "communicators.2.csv", "communicators.csv", "efficiency.csv", "functions.2.csv", "functions.csv",
        "over_ranks.2.csv", "over_ranks.csv"]
    text = (tmp_path / "tables" / "functions.csv").read_bytes()
    assert text.count(b"\n") == text.count(b"\r\n")
    rows = list(csv.DictReader(io.StringIO(text.decode(), newline=""), strict=True))
    assert {row["name"]: int(row["calls"]) for row in rows} == {
        name: function["calls"] for name, function in read_profile(real[0]).items()}


@pytest.mark.parametrize("mpi", MPIS, ids=lambda mpi: mpi.id)
def test_no_table_of_one_tool_takes_the_file_of_another(mpi, tmp_path):
    tools = [QUIET, "comm=table:off:inner:on", "vars=table:off", "waits=table:off", "trace", "where", "policy"]
    assert run_stacked(mpi, 2, tools, mpi.program("ring_c"), out=tmp_path / "run").code == 0
    done = report(tmp_path / "run", "--csv", tmp_path / "tables", "--json", "-")
    assert done.code == 0 and "policy.json" not in done.err  # which is owed where there was a policy
    names = [name for section in json.loads(done.out)["sections"] for name, table in section["tables"].items() if table["columns"]]
    files = {path.name for path in (tmp_path / "tables").iterdir()} - {"efficiency.csv"}
    assert files == {f"{name}.csv" for name in names} and len(files) == len(names)
    assert (tmp_path / "tables/communicators.csv").read_text().startswith("name,processes,")
    assert (tmp_path / "tables/comm_communicators.csv").read_text().startswith("name,members,")


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


def test_ranks_are_those_of_the_run_and_not_of_a_tool(tmp_path):
    places = [{"node": "n1", "processors": "", "ranks": "0,2"}]
    for name, ranks, missing in ("a", 3, []), ("b", 2, [{"ranks": "1", "tool": "profile", "instance": 1}]), ("c", 2, [{"ranks": "3"}]):
        of_all = [{"node": "n1", "processors": "", "ranks": "0-2"}] if name != "c" else places
        made(tmp_path / name, run=run_text("profile", places=of_all, missing=missing), profile=profile_text(ranks=ranks))
    assert report(tmp_path / "b").out.startswith("a on 3 ranks\n") and report(tmp_path / "c").out.startswith("a on 4 ranks\n")
    assert "different numbers of ranks" not in report(tmp_path / "a", tmp_path / "b").err
    assert "different numbers of ranks: 3 and 4" in report(tmp_path / "a", tmp_path / "c").err
