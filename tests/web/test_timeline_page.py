# SPDX-License-Identifier: BSD-3-Clause
# test_timeline_page.py - ranks over time in the report page, used by mouse and keys in headless Chromium.

import re

import pytest

import browser
from cairn_testing import CAIRN, run
from trace_testing import call, write_trace

pytestmark = pytest.mark.skipif(browser.PROGRAM is None, reason="no chromium")
RANKS, STEPS = 4, 25
STEP = 100_000  # nanoseconds
CHART = "document.querySelector('.timeline-chart')"
CANVAS = f"{CHART}.querySelector('canvas')"


def ring(rank):
    """Each step: a message to the next rank, which takes 5 us, then the one from the rank before, waited for twice as long by each rank; at last a sum."""
    calls = []
    for step in range(STEPS):
        begin = 1000 + step * STEP
        calls.append(call("MPI_Send", begin + 10_000, begin + 15_000, peer=(rank + 1) % RANKS, tag=step, size=1000))
        calls.append(call("MPI_Recv", begin + 20_000, begin + 30_000 + 10_000 * rank, peer=-1, tag=-1, size=2000, received=((rank - 1) % RANKS, step, 1000)))
    calls.append(call("MPI_Allreduce", 1000 + STEPS * STEP, 1000 + STEPS * STEP + 500_000, size=8, number_on=1))
    return calls


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    for rank in range(RANKS):
        write_trace(folder, rank, RANKS, [ring(rank)])
    result = run(CAIRN, "report", folder)
    assert (result.code, result.err) == (0, "")
    assert re.search(r"^app on 4 ranks\n(.|\n)*\n +204  calls are in the trace\n", result.out), result.out
    return folder / "report.html"


@pytest.fixture(scope="module")
def one_browser(tmp_path_factory):
    with browser.Browser(tmp_path_factory.mktemp("browser")) as one:
        yield one


@pytest.fixture
def page(report, one_browser):
    one_browser.open(report)
    show(one_browser)
    yield one_browser
    assert one_browser.problems == []


def show(page):
    page.click("[...document.querySelectorAll('[role=tab]')].find((tab) => tab.textContent === 'Each rank')")
    page.value(f"{CHART}.scrollIntoView()")


def at(page, rank, ns):
    """Where a moment of a rank is on the screen, while all ranks are in view."""
    left, top, width, height = page.value(f"(() => {{ const box = {CANVAS}.getBoundingClientRect(); return [box.x, box.y, box.width, box.height]; }})()")
    first, last = 11_000, 1000 + STEPS * STEP + 500_000
    if link := re.match(r"#time=(\d+)-(\d+)", page.value("location.hash")):
        first, last = 11_000 + int(link[1]), 11_000 + int(link[2])
    return left + 56 + (width - 56) * (ns - first) / (last - first), top + 4 + (height - 26) * (rank + 0.5) / RANKS


def text(page, part):
    return page.value(f"{CHART}.querySelector({part!r}).innerText")


def pointed(page, rank, ns):
    page.mouse("mouseMoved", *at(page, rank, ns))
    return text(page, "[role=status]")


def press(page, x, y):
    page.mouse("mousePressed", x, y, 1)
    page.mouse("mouseReleased", x, y)


def button(name):
    return f"{CHART}.querySelector('button[aria-label=\"{name}\"]')"


def test_a_call_is_read_by_pointing_at_it_and_kept_by_a_click_with_its_messages(page):
    assert "204 calls, all of them on this page." in page.value(f"{CHART}.innerText")
    assert pointed(page, 2, 1000 + 300_000 + 40_000) == "rank 2, 310.000 µs: MPI_Recv(from anyone, any tag, 2000 bytes, MPI_COMM_WORLD; received 1000 bytes from 1, tag 3), 30.0 µs"
    assert pointed(page, 2, 1000 + 300_000 + 70_000).endswith("µs: outside of MPI")
    press(page, *at(page, 2, 1000 + 300_000 + 40_000))
    assert text(page, ".timeline-chosen").splitlines() == [
        "rank 2, 310.000 µs: MPI_Recv(from anyone, any tag, 2000 bytes, MPI_COMM_WORLD; received 1000 bytes from 1, tag 3), 30.0 µs",
        "message of 1.00 kB, tag 3, from rank 1 to rank 2, 40.0 µs"]


def colour(page, rank, ns):
    x, y = at(page, rank, ns)
    return tuple(page.value(f"(() => {{ const box = {CANVAS}.getBoundingClientRect(); "
                            f"return [...{CANVAS}.getContext('2d').getImageData({x} - box.x, {y} - box.y, 1, 1).data.slice(0, 3)]; }})()"))


def test_functions_have_colours_and_waiting_one(page):
    colours = [colour(page, 3, ns) for ns in (1000 + STEPS * STEP + 250_000, 1000 + 40_000, 1000 + 90_000)]
    assert len(set(colours)) == 3 and colours[:2] == [(0xd9, 0x82, 0x2b), (0x2f, 0x6f, 0xb4)]  # most time is in MPI_Recv
    assert text(page, ".legend").split("\n")[:2] == ["MPI_Recv 2.50 ms", "MPI_Allreduce 2.00 ms"]
    page.choose("colours", "waiting")
    assert colour(page, 3, 1000 + STEPS * STEP + 250_000) == colour(page, 3, 1000 + 40_000) != colours[2]


def test_a_part_is_seen_larger_by_drawing_and_moved_by_keys(page):
    page.mouse("mousePressed", *at(page, 1, 1000 + 500_000), 1)
    page.mouse("mouseMoved", *at(page, 1, 1000 + 600_000), 1)
    page.mouse("mouseReleased", *at(page, 1, 1000 + 600_000))

    def view():
        return [int(number) for number in re.fullmatch(r"#time=(\d+)-(\d+)&rows=(\d+)-(\d+)", page.value("location.hash")).groups()]

    first, last, *rows = view()
    assert rows == [0, RANKS] and abs(first - 490_000) < 4000 and abs(last - 590_000) < 4000  # since the first call; a pixel is 2.3 us
    assert pointed(page, 0, 1000 + 500_000 + 25_000).startswith("rank 0, 510.000 µs: MPI_Recv(")
    press_key(page, "ArrowRight")
    assert abs(view()[0] - first - (last - first) / 4) < 2
    page.click(button("farther"))
    assert abs((view()[1] - view()[0]) - 2 * (last - first)) < 4
    page.click(button("whole"))
    assert view()[:2] == [0, STEPS * STEP + 500_000 - 10_000]
    page.mouse("mousePressed", *at(page, 1, 1000 + 500_000), 1)
    page.mouse("mouseReleased", *at(page, 2, 1000 + 600_000))
    assert view()[2:] == [1, 3]


def press_key(page, key):
    page.value(f"{CANVAS}.dispatchEvent(new KeyboardEvent('keydown', {{key: {key!r}}}))")


def test_calls_are_found_and_the_link_leads_to_one(page, report):
    search = f"{CHART}.querySelector('input[type=search]')"
    page.value(f"{search}.value = 'recv tag 7'; {search}.dispatchEvent(new Event('input'))")
    assert f"{2 * RANKS} calls" in text(page, ".controls")
    page.click(button("next call found"))
    page.click(button("next call found"))
    assert text(page, ".timeline-chosen").startswith("rank 1, 710.000 µs: MPI_Recv(from anyone, any tag, 2000 bytes, MPI_COMM_WORLD; received 1000 bytes from 0, tag 7), 20.0 µs")
    link = page.value("location.hash")
    page.open_address(report.resolve().as_uri() + link)  # opens the tab too
    assert text(page, ".timeline-chosen").startswith("rank 1, 710.000 µs: MPI_Recv(")
    assert page.value("location.hash") == link


def test_messages_are_drawn_on_demand(page):
    between = at(page, 0, 1000 + 16_000)[0], (at(page, 0, 0)[1] + at(page, 1, 0)[1]) / 2  # on no call's row: only lines can be there

    def inked():
        """Points between the first two ranks that are not as dark as the ground."""
        return page.value(f"(() => {{ const box = {CANVAS}.getBoundingClientRect(); const y = {between[1]} - box.y; "
                          f"const line = {CANVAS}.getContext('2d').getImageData(57, y, box.width - 60, 1).data; const seen = new Set(); "
                          "for (let i = 0; i < line.length; i += 4) seen.add(line.slice(i, i + 3).join()); return seen.size; })()")

    before = inked()
    page.click(f"{CHART}.querySelector('input[aria-label=messages]')")
    assert inked() > before


def test_of_more_calls_than_fit_the_longest_are_there_and_of_the_others_their_share(one_browser, tmp_path):
    calls = []
    for i in range(30):
        calls.append([call("MPI_Send", 1000 * n, 1000 * n + 100, peer=-2, tag=1, size=1) for n in range(10_000 * i + 1, 10_000 * (i + 1))]
                     + [call("MPI_Allreduce", 10_000_000 * (i + 1) + 200, 10_000_000 * (i + 1) + 900, size=8, number_on=i + 1)])
    write_trace(tmp_path, 0, 1, calls)
    assert run(CAIRN, "report", tmp_path).code == 0
    assert (tmp_path / "report.html").stat().st_size < 300_000
    page = one_browser
    page.open(tmp_path / "report.html")
    show(page)
    assert ("30 of 300,000 calls are on this page: those of 102 ns or more. Of the others, it shows which share of each interval they take; 'cairn report DIR --between SECONDS' shows all calls of an interval.") in page.value(f"{CHART}.innerText")
    x, y, width = page.value(f"(() => {{ const box = {CANVAS}.getBoundingClientRect(); return [box.x, box.y, box.width]; }})()")
    page.mouse("mouseMoved", x + 56 + (width - 56) / 2.1, y + 20)
    assert re.search(r": \d+\.\d % of 36\.6 µs in MPI, most of it in MPI_Send$", text(page, "[role=status]"))
    for part, why, remedy in (("1.5", "'1.5' is not a part of the time", "seconds since the start, as 1.25-1.5"), ("2-1", "'2-1' is not a part of the time", "seconds since the start, as 1.25-1.5"),
                              ("5-", "no part of a trace is shown: there is no trace, no call in that time, or no page",
                               "one run that has a trace, and no option but --html")):
        result = run(CAIRN, "report", tmp_path, "--between", part)
        assert (result.code, result.err) == (125, f"cairn: error: {why}\ncairn:   asked for by: --between {part}\ncairn:   try: {remedy}\n")
    assert run(CAIRN, "report", tmp_path, "--between", "0.1-0.1001").code == 0
    page.open(tmp_path / "report.html")
    show(page)
    assert "101 calls, all of them on this page." in page.value(f"{CHART}.innerText")
    assert page.problems == []
