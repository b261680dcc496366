# SPDX-License-Identifier: BSD-3-Clause
# test_report_page.py - the report page in headless Chromium: what it draws of known data.
#
# The data hold names that try to break out of the page. The browser's own log must stay free of messages of the page.

import json
import pathlib
import re
import shutil
import subprocess

import pytest

from cairn_testing import CAIRN, SOURCE, run

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium")
HOSTILE = "</script><img src=x onerror=\"console.log('broken out')\">"


def amounts(total, ranks=4):
    return {"calls": 8, "bytes_sent": 64, "imbalance": 0.5, "ranks": ranks, "slowest_rank": 1,
            "time_s": {"total": total, "mean": total / ranks, "min": 0, "max": total},
            "calls_by_time_s": [[1e-6, 4], [4e-6, 4]], "calls_by_bytes_sent": [[1, 2], [16, 6]]}


def profile(names, **more):
    functions = [{"name": name, **amounts(len(names) - number)} for number, name in enumerate(names)]
    sites = [{"function": function["name"], "file": "/src/a.c", "line": line, "caller": HOSTILE, **function}
             for line, function in enumerate(functions, 1)]
    return {"format": "cairn-profile 1", "program": "/bin/" + HOSTILE, "ranks": 4,
            "run_time_s": {"total": 100, "mean": 25, "min": 25, "max": 25},
            "mpi_time_s": {"total": 10, "mean": 2.5, "min": 2, "max": 3}, "functions": functions, "callsites": sites, **more}


def folder_with(path, *profiles):
    path.mkdir()
    for number, content in enumerate(profiles, 1):
        (path / ("profile.json" if number == 1 else f"profile.{number}.json")).write_text(json.dumps(content))
    return path


def shown(page, tmp_path):
    """The page's elements once its script has run."""
    done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--dump-dom",
                           f"--user-data-dir={tmp_path}/browser", page.resolve().as_uri()],
                          capture_output=True, text=True, timeout=60)
    assert "CONSOLE" not in done.stderr, done.stderr
    return re.sub(r"<(script|style).*?</\1>", "", done.stdout, flags=re.DOTALL)


def test_page_of_a_run(tmp_path):
    names = ["MPI_Wait", "MPI_Send", HOSTILE]
    by_rank = profile(names)
    for function, times in zip(by_rank["functions"], ([1, 2, 3, 4], [0, 0, 0, 16], [5, 6, 7, 8])):
        function["time_s"]["by_rank"] = times
    folder = folder_with(tmp_path / "run", profile(names), by_rank)
    assert run(CAIRN, "report", folder).code == 0
    page = shown(folder / "report.html", tmp_path)
    assert "<img" not in page and "&lt;img" in page
    assert re.findall(r'id="tab-(\w+)"', page) == re.findall(r'id="panel-(\w+)"', page) == ["overview", "time", "ranks"]
    bars_of_both = 2 * 2 * len(names)  # by function and by call site
    ranges_of_the_first = len(names)
    assert page.count('<li class="bar"') == bars_of_both + ranges_of_the_first
    shades = re.findall(r'class="cell" style="background-color:rgb\(var\(--hot\) / ([\d.]+)%\)"', page)
    assert [float(shade) for shade in shades] == [4 + 96 * time / 16 for time in (1, 2, 3, 4, 0, 0, 0, 16, 5, 6, 7, 8)]  # of the second
    assert page.count("<rect") == 2 * 2 * 2  # two histograms of two bins each
    assert page.count("<table>") == 4 + 2  # and what ranks differ in: run time, time in MPI
    assert page.count("<tr>") == 4 * (1 + len(names)) + 2 * (1 + 2)


def test_page_of_a_comparison(tmp_path):
    a = folder_with(tmp_path / "a", profile(["MPI_Wait", "MPI_Send"]))
    b = folder_with(tmp_path / "b", profile(["MPI_Wait", "MPI_Recv", "MPI_Send"]))
    page = tmp_path / "changes.html"
    assert run(CAIRN, "report", a, b, "--html", page).code == 0
    page = shown(page, tmp_path)
    assert page.count('<i class="more"') + page.count('<i class="less"') == 2 + 4  # of 3 functions, one is as it was
    assert page.count("<table>") == 2 + 1


def test_pages_ask_for_nothing_from_elsewhere():
    """The live page asks where it comes from."""
    for file in filter(pathlib.Path.is_file, (SOURCE / "web").iterdir()):
        text = re.sub(r"fetch\([`\"]api/", "", file.read_text().replace("http://www.w3.org/2000/svg", ""))
        if file.name in ("live.js", "controls.js"):
            text = re.sub(r"fetch\((path, |`\$\{path\}\?)", "", text)
        assert all(path.startswith("api/") for path in re.findall(r"(?<![.\w])(?:get|change)\([`\"]([^`\"]*)", text)), file.name
        assert not re.search(r"https?:|@import|url\(|fetch\(|XMLHttpRequest|WebSocket|innerHTML|document\.write", text), file.name


def test_page_of_a_matrix(tmp_path):
    flows = [[rank, (rank + 1) % 4, 10, 1000 * (rank + 1), [[2048, 10]]] for rank in range(4)]
    data = {"format": "cairn-comm 1", "program": "/bin/" + HOSTILE, "ranks": 4, "nodes": [{"name": HOSTILE, "ranks": "0-3"}],
            "communicators": [{"name": HOSTILE, "members": "0-3", "remote": "", "number": 1}],
            "phases": [{"name": HOSTILE, "p2p": flows, "coll_shared": [[0, "to_all", 2, 1, 8, [[16, 1]]]],
                        "collectives": [[0, 2, 1, 24, 0, 0, 0, 0]]}]}
    (tmp_path / "run" / "comm").mkdir(parents=True)
    (tmp_path / "run" / "comm" / "comm.json").write_text(json.dumps(data))
    assert run(CAIRN, "report", tmp_path / "run").code == 0
    page = shown(tmp_path / "run" / "report.html", tmp_path)
    assert "<img" not in page and "&lt;img" in page
    cells = page[page.index('<g class="cells"'):]
    assert cells[:cells.index("</g>")].count("<rect") == 4 + 2  # what rank 2 gives to all meets its own message once


def test_page_of_values_over_time(tmp_path):
    """Two variables, of which one is shown; its values have a gap, so its line and its band are in two pieces."""
    def variable(name, points):
        return {"name": name, "class": "level", "sampled": {"samples": 4, "min": 0, "mean": 2, "max": 5, "last": 5},
                "series": {"step_s": 0.5, "points": points}}

    folder = tmp_path / "run"
    folder.mkdir()
    (folder / "vars.json").write_text(json.dumps(
        {"format": "cairn-vars 1", "program": "/bin/app", "ranks": 2, "calls": 8, "calls_read": 0,
         "variables": [variable(HOSTILE, [[0, 0, 0], [1, 2, 3], None, [5, 5, 5]]), variable("flat", [[-7, -7, -7]])]}))
    assert run(CAIRN, "report", folder).code == 0
    page = shown(folder / "report.html", tmp_path)
    assert "<img" not in page
    assert page.count("<option") == 2
    assert page.count('class="band"') == page.count('class="mean"') == 2
    assert "of 500 ms each and all ranks" in page
