# SPDX-License-Identifier: BSD-3-Clause
# test_matrix_page.py - the heat map and the chart over time of the tool `comm`, used by mouse in headless Chromium.

import json

import pytest

import browser
from cairn_testing import CAIRN, run

pytestmark = pytest.mark.skipif(browser.PROGRAM is None, reason="no chromium")
RANKS = 8


def comm_json():
    """A ring, in which each rank sends more than the one before; one put; something of every kind over time."""
    ring = [[rank, (rank + 1) % RANKS, 10, 1000 * (rank + 1), [[2048, 10]]] for rank in range(RANKS)]
    return {"format": "cairn-comm 1", "program": "/bin/app", "ranks": RANKS,
            "nodes": [{"name": "even", "ranks": "0-6:2"}, {"name": "odd", "ranks": "1-7:2"}],
            "communicators": [],
            "moments": [[1, 1.0, RANKS, 30, 30000, 0, 0, 0, 0], [2, 2.0, RANKS, 10, 2000, 1, 500, 0, 0], ["end", 4.0, RANKS, 40, 4000, 0, 0, 0, 0]],
            "phases": [{"name": "", "p2p": ring}, {"name": "solve", "osc_put": [[2, 5, 1, 500, [[512, 1]]]]}]}


@pytest.fixture
def page(tmp_path):
    (tmp_path / "run" / "comm").mkdir(parents=True)
    (tmp_path / "run" / "comm" / "comm.json").write_text(json.dumps(comm_json()))
    assert run(CAIRN, "report", tmp_path / "run").code == 0
    with browser.Browser(tmp_path) as page:
        page.open(tmp_path / "run" / "report.html")
        page.click("document.getElementById('tab-messages')")
        yield page
        assert page.problems == []


def cells(page):
    return page.value("document.querySelectorAll('.matrix-chart .cells rect').length")


def names(page):
    """Of the columns in view."""
    return page.value("[...document.querySelectorAll('.matrix-chart svg text[text-anchor=middle]')].map((one) => one.textContent)")


def status(page):
    return page.value("document.querySelector('.matrix-chart [role=status]').textContent")


def button(text):
    return f"[...document.querySelectorAll('.matrix-chart button')].find((one) => one.textContent === '{text}')"


def cell(number):
    return f"document.querySelectorAll('.matrix-chart .cells rect')[{number}]"


def test_kinds_and_phases_are_chosen(page):
    assert cells(page) == RANKS + 1
    page.choose("kind", "one-sided")
    assert cells(page) == 1
    page.choose("phase", "outside of regions")
    assert cells(page) == 0
    page.choose("kind", "")
    assert cells(page) == RANKS


def test_ranks_are_ordered(page):
    assert names(page) == [str(rank) for rank in range(RANKS)]
    page.choose("order", "by node")
    assert names(page) == ["0", "2", "4", "6", "1", "3", "5", "7"]
    page.choose("order", "most bytes first")
    assert names(page)[:2] == ["7", "6"]  # what a rank sends and gets
    page.choose("order", "partners close together")
    assert sorted(names(page)) == [str(rank) for rank in range(RANKS)]
    assert cells(page) == RANKS + 1


def test_a_cell_is_read_by_pointing_at_it(page):
    page.mouse("mouseMoved", *page.place(cell(0)))
    assert status(page) == "rank 0 to rank 1: 1.00 kB"
    page.choose("measure", "0")
    page.mouse("mouseMoved", *page.place(cell(0)))
    assert status(page) == "rank 0 to rank 1: 10"


def test_parts_are_seen_larger_by_button_and_by_drawing(page):
    page.click(button("nearer"))
    assert names(page) == ["2", "3", "4", "5"]
    page.click(button("whole"))
    assert names(page) == [str(rank) for rank in range(RANKS)]
    page.draw(cell(0), cell(2))  # row 0, column 1 to row 2, column 3
    assert names(page) == ["1", "2", "3"]
    assert cells(page) == 3  # the messages of ranks 0, 1, 2


def test_pictures_are_saved(page, tmp_path):
    page.ask("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved"), eventsEnabled=True)
    for kind, begin in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        page.click(button(kind))
        file = tmp_path / "saved" / f"matrix.{kind.lower()}"
        page.wait_for_download()
        assert file.read_bytes().startswith(begin)


def test_traffic_over_time_is_a_line_for_each_kind(page):
    chart = "document.querySelector('.rates-chart')"
    assert page.value(f"{chart}.querySelectorAll('.steps').length") == 2  # there are no collective calls
    titles = page.value(f"[...{chart}.querySelectorAll('.part title')].map((one) => one.textContent)")
    assert titles == ["up to snapshot 1, 0.00 s to 1.00 s: point-to-point 30.0 kB in 30 messages",
                      "up to snapshot 2, 1.00 s to 2.00 s: point-to-point 2.00 kB in 10 messages, one-sided 500 B in 1 message",
                      "after the last snapshot, 2.00 s to 4.00 s: point-to-point 4.00 kB in 40 messages"]
    most = f"{chart}.querySelector('svg').getAttribute('aria-label')"
    assert page.value(most) == "bytes over time, at most 30.0 kB each second"
    page.choose("over time", "messages")
    assert page.value(most) == "messages over time, at most 30 each second"
