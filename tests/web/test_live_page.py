# SPDX-License-Identifier: BSD-3-Clause
# test_live_page.py - the live page in headless Chromium beside a running job: figures move, pause holds them, the end is shown.
#
# It leaves pictures of the page in the build folder, tests/live-*.png; docs/live.png is one of them.

import json
import re
import shutil
import time

from browser import PROGRAM, Browser
from cairn_testing import *
from live_testing import Collector, end_job, steady_job

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="no chromium")
SHOWN = """({ state: one("state").textContent, title: one("title").textContent, rows: one("groups").textContent, problem: one("problem").textContent,
  share: share.data.datasets.map((line) => [line.label, line.data.map((point) => point.y)]),
  calls: calls.data.datasets.map((line) => [line.label, line.data.map((point) => point.y)]),
  note: one("traffic-note").textContent, cells: traffic.sums ? [...traffic.sums.keys()].sort((a, b) => a - b) : [],
  listed: [...one("list").rows].map((row) => row.cells[0].textContent.trim()), found: one("found").textContent,
  charts: [...vars.charts.values()].map(({ chart }) => chart.data.datasets.map((line) => [line.label, line.data.map((point) => point.y)])),
  about: one("control-about").textContent, refusal: one("set-problem").textContent, changes: [...one("changes").rows].map((row) => [row.cells[1].textContent, row.cells[2].textContent]),
  width: document.documentElement.scrollWidth })"""


def wait_for(page, is_so):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shown = page.value(SHOWN)
        if is_so(shown):
            return shown
        time.sleep(0.05)
    raise AssertionError({name: value for name, value in shown.items() if name not in ("share", "calls", "charts")})  # those fill screens


def points(shown):
    return len(shown["share"][0][1]) if shown["share"] else 0


def all_communicate(shown):
    """Before, ranks may be in MPI_Init for seconds where the machine is busy."""
    return len(shown["cells"]) == 12 and "MPI_Bcast" in [label for label, _ in shown["calls"]]


def test_the_page_moves_with_the_job(mpi, tmp_path):
    recording = tmp_path / "recording"
    with Collector(tmp_path, "--save", recording, every=0.2) as live, Browser(tmp_path) as page:
        page.open_address(live.address)
        shown = wait_for(page, lambda now: now["state"])
        assert shown["state"] == "waiting for a job with the tool 'where' in its stack"
        assert shown["note"] == "Not known: the tool 'comm' publishes it, beside 'where' (cairn run --tools where,comm)."
        with steady_job(mpi, tmp_path) as job:
            shown = wait_for(page, lambda now: points(now) > 12 and all_communicate(now))
            assert shown["cells"] == [cell for cell in range(16) if cell % 5] and re.match(r"From .*B \(light\) to .*B \(dark\), since the job began\.$", shown["note"])
            page.value("one('traffic-kind').value = '0'; one('traffic-kind').dispatchEvent(new Event('change'))")
            assert page.value(SHOWN)["cells"] == [1, 6, 11, 12]
            page.value("one('traffic').dispatchEvent(new PointerEvent('pointermove', {clientX: 1e5, clientY: one('traffic').getBoundingClientRect().top + 0.6 * one('traffic').clientHeight}))")
            assert re.fullmatch(r"rank 2 to rank 3: [\d.]+ k?B", page.value("one('traffic-cell').textContent"))
            assert (shown["title"], shown["problem"]) == ("steady on 4 ranks", "") and "MPI_" in shown["rows"] and "steady.c:" in shown["rows"]
            assert [label for label, _ in shown["share"]] == ["rank 0", "rank 1", "rank 2", "rank 3"]
            assert {"MPI_Allreduce", "MPI_Bcast", "MPI_Sendrecv"} <= {label for label, _ in shown["calls"]}
            assert all(0 <= share <= 100 for _, line in shown["share"] for share in line if share is not None)
            check_variables(page)
            check_settings(page, live)
            page.value("one('traffic-kind').value = ''")
            press(page, "document.getElementById('pause')")
            for name, width, height in (("laptop", 1280, 720), ("phone", 390, 1080), ("long", 1280, 1270)):
                page.value("one('job').lastElementChild.lastElementChild.textContent = 'results'; drawTraffic()")  # not this test's folder
                page.picture(BUILD / "tests" / f"live-{name}.png", width, height)
                assert page.value(SHOWN)["width"] <= width, "nothing stands out at the side"
            press(page, "document.getElementById('pause')")
            wait_for(page, lambda now: points(now) > points(shown))

            press(page, "document.getElementById('pause')")
            held = page.value(SHOWN)
            number = live.state()["next"]
            live.wait_for(lambda now: now["next"] > number + 3)
            assert points(page.value(SHOWN)) == points(held)
            press(page, "document.getElementById('pause')")
            wait_for(page, lambda now: points(now) >= points(held) + 3)  # what came meanwhile is there

            assert end_job(job, tmp_path) == (0, "")
            wait_for(page, lambda now: now["state"] == "over")
        assert page.problems == []
        live.process.kill()
        wait_for(page, lambda now: now["problem"] == "'cairn live' does not answer; it is asked again every second")
        page.open_address("about:blank")  # until then it asks, and adds to its problems
        page.problems.clear()
        check_recording(tmp_path, recording, page)


def search(page, words):
    page.value(f"one('search').value = '{words}'; one('search').dispatchEvent(new Event('input'))")
    return page.value(SHOWN)


def press(page, expression):
    """By script: the page moves with the job, and by the time of a mouse's click something else may be in that place."""
    page.value(f"({expression}).click()")


def known(line):
    """Without the moments in which the rank had no value yet."""
    return [value for value in line if value is not None]


def check_variables(page):
    """They are searched by words of name, class and description; the chosen one is a chart with a line per rank, of values or of their change."""
    every = search(page, "")
    assert len(every["listed"]) > 5 and re.match(r"\d+ of \d+", every["found"])
    assert search(page, "no such thing")["listed"] == []
    shown = search(page, "P2P bytes aggregate")
    assert "comm_p2p_bytes" in shown["listed"] and len(shown["listed"]) < len(every["listed"])
    press(page, f"document.getElementById('list').rows[{shown['listed'].index('comm_p2p_bytes')}].querySelector('input')")
    shown = wait_for(page, lambda now: now["charts"] and len(now["charts"][0]) == 4 and all(len(known(line)) > 3 for _, line in now["charts"][0]))
    assert [label for label, _ in shown["charts"][0]] == ["rank 0", "rank 1", "rank 2", "rank 3"] and max(known(shown["charts"][0][2][1])) > 0
    press(page, "document.querySelector('#variable-charts input')")  # values in place of changes
    values = known(page.value(SHOWN)["charts"][0][2][1])
    assert len(values) > 3 and values == sorted(values) and values[-1] > 0
    search(page, "")


def set_variable(page, name, value, ranks):
    for place, text in (("control", name), ("value", value), ("ranks", ranks)):
        page.value(f"one('{place}').value = '{text}'; one('{place}').dispatchEvent(new Event('input'))")
    press(page, "document.getElementById('set')")


def check_settings(page, live):
    """A variable is set on one rank, where it takes effect in the job, and the page shows that it is, and a line for it; what cannot be is told."""
    set_variable(page, "comm_active", "off", "1")
    shown = wait_for(page, lambda now: now["changes"] and "set on 1" in now["changes"][0][1] and "0 on 1" in now["about"])
    assert shown["changes"] == [["comm_active = off", "set on 1"]] and shown["refusal"] == ""
    still = live.still_at(1, other=2)
    assert shown["about"].startswith("the switch of layer 2 of the stack, on this rank. Type int: off, on. Each rank can have its own. Now ")
    set_variable(page, "comm_active", "1", "9")
    wait_for(page, lambda now: now["refusal"] == "cairn live: there are no such ranks\n")
    set_variable(page, "comm_active", "1", "")
    wait_for(page, lambda now: now["changes"][0] == ["comm_active = 1", "set on 0-3"] and now["refusal"] == "")
    live.wait_for(lambda now: live.sent_by(1) > still)
    assert all("400 (Bad Request)" in problem for problem in page.problems)  # the browser's own words about the refusal
    page.problems.clear()


def table(page, name):
    return page.value(f"[...one('{name}').rows].map((row) => [...row.cells].map((cell) => cell.textContent))")


def wait_for_table(page, name, is_so):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shown = table(page, name)
        if is_so(shown):
            return shown
        time.sleep(0.05)
    raise AssertionError(shown)


def test_tools_and_the_policy_are_switched_by_buttons(mpi, tmp_path):
    (tmp_path / "my.policy").write_text('rule "Together"\n every 5 calls of MPI_Allreduce\n agree all\n note "all have come"\n')
    recording = tmp_path / "recording"
    with Collector(tmp_path, "--save", recording, every=0.2) as live, Browser(tmp_path) as page:
        page.open_address(live.address)
        with steady_job(mpi, tmp_path, tools=lambda usual: f"{usual.replace('comm=table:off', 'comm=table:off@not:MPI_Sendrecv')},policy=file:{tmp_path}/my.policy:table:off") as job:
            tools = wait_for_table(page, "tools", lambda rows: len(rows) == 5 and all(row[1] == "on" for row in rows))
            assert [row[0] for row in tools] == ["tool comm", "filters of comm", "tool policy", "tool vars", "tool where"] and {row[2] for row in tools} == {"Switch off"}
            live.wait_for_answer("/api/controls", lambda now: len(now) and all(one["now"] == [["1", "0-3"]] for one in now if one["name"] in ("comm_active", "policy_active")))
            assert live.sent_by(0) == 0
            press(page, "one('tools').rows[1].querySelector('button')")
            assert wait_for_table(page, "tools", lambda rows: rows[1][1] == "off")[1] == ["filters of comm", "off", "Switch on"]
            live.wait_for(lambda now: live.sent_by(0) > 6)  # it takes effect in the job
            press(page, "one('tools').rows[0].querySelector('button')")
            assert wait_for_table(page, "tools", lambda rows: rows[0][1] == "off")[0] == ["tool comm", "off", "Switch on"]
            set_variable(page, "comm_active", "on", "1-2")
            assert wait_for_table(page, "tools", lambda rows: rows[0][1] == "off on 0,3, on on 1-2")[0] == ["tool comm", "off on 0,3, on on 1-2", "Switch offSwitch on"]

            [rule] = wait_for_table(page, "policy-rules", lambda rows: rows and int(rows[0][1].replace(",", "")) > 8)
            assert rule[0] == "Together" and not page.value("one('policy').hidden")
            [event] = wait_for_table(page, "policy-events", lambda rows: len(rows) == 1 and rows[0][3].startswith("on 0-3, "))
            assert event[1:3] == ["Together", "all have come"] and re.fullmatch(r"on 0-3, \d+ times since \d\d:\d\d:\d\d", event[3])
            assert page.value("one('policy-switch').textContent") == "Stop it"
            press(page, "one('policy-switch')")
            wait_for_table(page, "tools", lambda rows: rows[2][1] == "off")
            end = time.monotonic() + 60
            while page.value("one('policy-switch').textContent") != "Follow it again" and time.monotonic() < end:
                time.sleep(0.05)
            assert page.value("one('policy-file').textContent") == f"{tmp_path}/my.policy, stopped"
            press(page, "one('policy-switch')")
            wait_for_table(page, "tools", lambda rows: rows[2][1] == "on")
            assert live.state()["changes"][-1]["set"] == "0-3"
            assert end_job(job, tmp_path) == (0, "")
            wait_for(page, lambda now: now["state"] == "over")
        assert page.problems == []
        live.process.kill()
    with Collector(tmp_path, recording) as player, Browser(tmp_path) as page:
        page.open_address(player.address)
        page.value("one('speed').value = 600")
        wait_for_table(page, "policy-rules", lambda rows: rows)
        assert page.value("one('tools-box').hidden") and page.value("one('policy-switch').hidden")


def test_a_browser_that_is_killed_leaves_the_job_and_the_collector_as_they_are(tmp_path):
    with Collector(tmp_path, every=0.2) as live, steady_job(MPIS[0], tmp_path) as job:
        with Browser(tmp_path) as page:
            page.open_address(live.address)
            wait_for(page, lambda now: points(now) > 2 and now["listed"])
            live.wait_for_answer("/api/controls", lambda now: len(now) and all(one["now"] == [["1", "0-3"]] for one in now if one["name"] == "comm_active"))
            wait_for_value_of(page, "controls.length > 0")
            set_variable(page, "comm_active", "off", "")
            live.wait_for(lambda now: now["changes"])
        # killed, without a word
        live.wait_for(lambda now: [change["set"] for change in now["changes"]] == ["0-3"])
        with Browser(tmp_path) as page:
            page.open_address(live.address)
            shown = wait_for(page, lambda now: points(now) > 2 and now["changes"])
            assert shown["changes"] == [["comm_active = off", "set on 0-3"]] and shown["state"] == "moving"
        assert end_job(job, tmp_path) == (0, "")


def give(page, name, text):
    page.value(f"one('policy-name').value = {json.dumps(name)}; one('policy-text').value = {json.dumps(text)}")
    press(page, "one('policy-give')")


def wait_for_text(page, name, is_so):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shown = page.value(f"one('{name}').textContent")
        if is_so(shown):
            return shown
        time.sleep(0.05)
    raise AssertionError(shown)


def test_a_policy_is_given_on_the_page(mpi, tmp_path):
    rules = 'rule "Together"\n every 5 calls of MPI_Allreduce\n agree all\n note "all have come"\n'
    with Collector(tmp_path, every=0.2) as live, Browser(tmp_path) as page:
        page.open_address(live.address)
        with steady_job(mpi, tmp_path, tools=lambda usual: f"{usual},policy=table:off") as job:
            wait_for_text(page, "policy-file", lambda text: text == "None is followed yet.")
            live.wait_for(lambda now: now.get("job", {}).get("seen") == 4)
            assert page.value("one('policy-now').hidden") and page.value("one('policy-note').textContent") == ""
            give(page, "my.policy", rules.replace("Allreduce", "Alreduce"))
            told = wait_for_text(page, "policy-problem", lambda text: text.startswith("cairn live"))
            assert told == "cairn live: policy 'my.policy', line 2, column 2: there is no MPI function 'MPI_Alreduce'\n  try: MPI_Allreduce\n"
            assert all("400 (Bad Request)" in problem for problem in page.problems)
            page.problems.clear()
            page.value(f"(() => {{ const files = new DataTransfer(); files.items.add(new File([{json.dumps(rules)}], 'picked.policy')); one('policy-pick').files = files.files; one('policy-pick').dispatchEvent(new Event('change')); }})()")
            wait_for_value(page, "policy-text", rules)
            press(page, "one('policy-give')")
            assert wait_for_table(page, "changes", lambda rows: rows and rows[0][2] == "followed on 0-3")[0][1] == "policy = picked.policy"
            [rule] = wait_for_table(page, "policy-rules", lambda rows: rows and int(rows[0][1].replace(",", "")) > 8)
            assert rule[0] == "Together" and wait_for_text(page, "policy-file", lambda text: text == "picked.policy")
            assert page.value("one('policy-problem').textContent") == "" and not page.value("one('giving').hidden")
            page.picture(BUILD / "tests" / "live-policy.png", 1280, 720)
            assert end_job(job, tmp_path) == (0, "")
            wait_for(page, lambda now: now["state"] == "over")
        assert page.problems == []


def wait_for_value_of(page, expression):
    end = time.monotonic() + 60
    while not page.value(expression):
        assert time.monotonic() < end
        time.sleep(0.05)


def wait_for_value(page, name, wanted):
    end = time.monotonic() + 60
    while page.value(f"one('{name}').value") != wanted:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_a_job_that_waits_for_no_policy_is_told_how_it_would(mpi, tmp_path):
    with Collector(tmp_path, every=0.2) as live, Browser(tmp_path) as page:
        page.open_address(live.address)
        with steady_job(mpi, tmp_path):
            wait_for_text(page, "policy-note", lambda text: text == "None can be given to this job: it takes the tool 'policy' without a file, beside 'where' (cairn run --tools where,policy).")
            assert page.value("one('giving').hidden") and not page.value("one('policy').hidden")


def check_recording(tmp_path, recording, page):
    """It is played to its end; the slider goes back to any moment."""
    with Collector(tmp_path, recording) as player:
        page.open_address(player.address)
        page.value("one('speed').value = 600")
        last = wait_for(page, lambda now: now["state"] == "over")
        assert [name for name, _ in last["changes"]] == ["comm_active = 1", "comm_active = off"] and page.value("one('setting').hidden")
        assert last["cells"] == [cell for cell in range(16) if cell % 5]
        assert (last["title"], last["problem"]) == ("steady on 4 ranks", "") and points(last) > 15
        number = points(last) - 8  # all was known then, however slowly the job began
        page.value(f"one('moment').value = player.looks.find((look) => look.points.length && look.points[0].number === {number}).time + 0.01; one('moment').dispatchEvent(new Event('input'))")
        shown = page.value(SHOWN)
        assert shown["state"] == "moving" and points(shown) == number + 1 and "MPI_" in shown["rows"] and shown["share"][3][1] == last["share"][3][1][:number + 1]
        assert page.value("one('moment-time').textContent.length") > 15
        check_variables(page)
        press(page, "document.getElementById('pause')")
        wait_for(page, lambda now: now["state"] == "over")
        page.value("one('speed').value = 1")
        press(page, "document.getElementById('pause')")  # at the end: again
        wait_for(page, lambda now: points(now) < points(last))
        assert page.problems == []


def test_a_wrong_token_is_told(tmp_path):
    with Collector(tmp_path) as live, Browser(tmp_path) as page:
        page.open_address(live.address[:-1])
        wait_for(page, lambda now: now["problem"] == "cairn live: the token is missing or wrong: it is in the address that 'cairn live' printed\n")
