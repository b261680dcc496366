# SPDX-License-Identifier: BSD-3-Clause
# test_overview_page.py - the first page of a report and the pages by question, used by mouse in headless Chromium.

import json

import pytest

import browser
from cairn_testing import CAIRN, run

pytestmark = pytest.mark.skipif(browser.PROGRAM is None, reason="no chromium")
HOSTILE = "</script><img src=x>"
NARROW, WIDE = 380, 1300


def place(function, line):
    return {"function": function, "file": "/src/b.c", "line": line, "caller": HOSTILE, "object": "app", "offset": line}


def waits(ranks):
    """Rank 1 makes the others wait a quarter of the run."""
    strips = min(ranks, 64)
    late = {"kind": "work", "ranks": "1", "from": place("MPI_Send", 3), "to": place("MPI_Barrier", 9), "region": "", "cost_s": 25 * ranks, "share": 1,
            "own_s": 50, "elsewhere_s": 20, "times": 30, "symptoms": [{"kind": "wait_at_barrier", **place("MPI_Barrier", 9), "cost_s": 25 * ranks}],
            "predicted_run_s": 80, "error_s": 1}
    return {"format": "cairn-waits 1", "program": "/bin/app", "ranks": ranks, "run_s": 100, "replayed_s": 100,
            "time_s": {"work": 50 * ranks, "waiting": 25 * ranks, "transfer": 20 * ranks, "start": 5 * ranks},
            "by_rank": [[rank, 50 + rank / ranks, 25, 20, 5, 25 * ranks if rank == 1 else 0] for rank in range(ranks)],
            "waits": [{"kind": "wait_at_barrier", **place("MPI_Barrier", 9), "communicator": "MPI_COMM_WORLD", "region": "", "time_s": 25 * ranks,
                       "count": 30, "max_s": 40, "max_rank": 0, "ranks": f"0-{ranks - 1}"}],
            "pairs": [[rank, 1, 25, 30] for rank in range(min(ranks, 10_000)) if rank != 1], "causes": [late],
            "critical_path": {"length_s": 100, "work_s": 90, "communication_s": 10, "imbalance_s": 25,
                              "pieces": [{"kind": "work", "from": late["from"], "to": late["to"], "region": "", "time_s": 90, "imbalance_s": 25, "ranks": "1"}]},
            "what_if": [{"change": "perfect_balance", "predicted_run_s": 80, "error_s": 1}],
            "efficiency": {"parallel": 0.5, "load_balance": 0.8, "communication": 0.625, "serialisation": 0.7, "transfer": 0.9, "node_balance": 1, "balance_in_nodes": 1},
            "timeline": {"bin_s": 25, "strips": [{"ranks": f"{row}", "start_s": 5, "work": [40, 50, 60, 50], "waiting": [0, 50, 20, 25] if row != 1 else [0, 0, 0, 0],
                                                  "path": [0, 0, 0, 0] if row != 1 else [100, 100, 100, 90]} for row in range(strips)]}}


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    with browser.Browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


def opened(page, folder, *others, html=None):
    """The page of a run, or of two."""
    html = html or folder / "report.html"
    assert run(CAIRN, "report", folder, *others, "--html", html).code == 0
    page.open(html)
    return page


def run_folder(path, **files):
    path.mkdir()
    for name, content in files.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    return path


def tabs(page):
    return page.value("[...document.querySelectorAll('[role=tab]')].map((tab) => tab.textContent)")


def shown(page):
    """The panel that is in view."""
    return page.value("document.querySelector('[role=tabpanel]:not([hidden])').id")


def text(page, selector):
    return page.value(f"document.querySelector({selector!r}).innerText")


def fits(page, folder, width):
    page.picture(folder / "page.png", width, 900)
    return page.value("document.documentElement.scrollWidth") <= width


def test_a_finding_leads_to_its_evidence_and_a_strip_to_its_rank(one_browser, tmp_path):
    page = opened(one_browser, run_folder(tmp_path / "run", waits=waits(4)))
    assert tabs(page) == ["Overview", "Where does time go?", "Who waits for whom?", "What to change", "Each rank"]
    assert shown(page) == "panel-overview" and text(page, "h1") == "app on 4 ranks"
    assert "50.0 %" in text(page, ".efficiency") and "unknown" not in text(page, ".efficiency")
    assert text(page, ".ranked h3").startswith("Work that is uneven") and "measured" in text(page, ".ranked h3")
    x, y = page.place("document.querySelector('.strips svg')")
    page.mouse("mouseMoved", x + 3, y - 10)
    assert text(page, ".words") == "rank 1, 50.0 s to 75.0 s: 60 % work, 40 % transfer; the critical path is here"
    page.click("document.querySelector('.evidence-link')")
    assert shown(page) == "panel-waiting"
    assert page.value("document.querySelectorAll('tr.evidence').length") == 1
    page.click("document.getElementById('tab-overview')")
    x, y = page.place("document.querySelector('.strips svg')")
    page.mouse("mouseMoved", x, y - 10)
    page.mouse("mousePressed", x, y - 10, 1)
    page.mouse("mouseReleased", x, y - 10)
    assert shown(page) == "panel-ranks"
    assert page.value("document.querySelector('.rank-view input').value") == "1"
    assert "Makes wait: rank 0 25.0 s, rank 2 25.0 s, rank 3 25.0 s" in text(page, ".rank-view")
    page.click("document.querySelector('.rank-view [aria-label=\"next rank\"]')")
    assert "Waits for: rank 1 25.0 s" in text(page, ".rank-view")
    assert page.problems == [] and not page.value("document.querySelector('main img')")


def test_pages_fit_narrow_and_wide_and_none_is_empty(one_browser, tmp_path):
    amounts = {"calls": 4, "bytes_sent": 0, "time_s": {"total": 1, "mean": 1, "min": 1, "max": 1}, "imbalance": 0}
    profile = {"format": "cairn-profile 1", "program": "/bin/a", "ranks": 1, "run_time_s": amounts["time_s"], "mpi_time_s": amounts["time_s"],
               "functions": [{"name": "MPI_Barrier", **amounts}], "callsites": []}
    comm = {"format": "cairn-comm 1", "program": "/bin/app", "ranks": 2, "nodes": [{"name": "n", "ranks": "0-1"}], "communicators": [],
            "phases": [{"name": "", "p2p": [[0, 1, 10, 1000, [[2048, 10]]]]}]}
    for number, files in enumerate(({"waits": waits(3)}, {"profile": profile}, {"waits": waits(10_000)})):
        page = opened(one_browser, run_folder(tmp_path / str(number), **files))
        check_pages(page, tmp_path)
    (tmp_path / "comm" / "comm").mkdir(parents=True)
    (tmp_path / "comm" / "comm" / "comm.json").write_text(json.dumps(comm))
    check_pages(opened(one_browser, tmp_path / "comm"), tmp_path)


def check_pages(page, folder):
    keys = page.value("[...document.querySelectorAll('[role=tabpanel]')].map((panel) => panel.id.slice(6))")
    for key in keys:
        page.value(f"document.getElementById('tab-{key}') && document.getElementById('tab-{key}').click()")
        assert page.value(f"document.getElementById('panel-{key}').innerText.trim().length") > 20, key
        assert fits(page, folder, NARROW) and fits(page, folder, WIDE), key
        assert page.value("document.documentElement.scrollHeight") < 8000, key
        assert page.value("[...document.querySelectorAll('.card')].every((card) => card.innerText.trim() !== '' || card.closest('[hidden]'))"), key
    assert page.problems == []


def test_two_runs_have_the_same_first_page(one_browser, tmp_path):
    mended = waits(4)
    mended["causes"] = []
    page = opened(one_browser, run_folder(tmp_path / "a", waits=waits(4)), run_folder(tmp_path / "b", waits=mended), html=tmp_path / "both.html")
    assert page.value("document.querySelectorAll('.strips').length") == 2
    assert "50.0 % \u2192 50.0 %" in text(page, ".efficiency")
    assert "25.0 s in A, not found in B" in text(page, ".ranked")
    assert "work, A" in page.value("document.querySelector('.rank-view').textContent")
    check_pages(page, tmp_path)
