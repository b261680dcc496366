# SPDX-License-Identifier: BSD-3-Clause
# test_live.py - `cairn live` before, beside and after a job, and with clients that mean no good.

import contextlib
import json
import re
import resource
import shutil
import socket
import struct
import time

from cairn_testing import *
from live_testing import Collector, end_job, look_in, steady_job


def test_a_job_is_followed_from_before_its_begin_to_after_its_end(mpi, tmp_path):
    with Collector(tmp_path) as live:
        state = live.state()
        assert (state["format"], state["jobs"], state["points"], "job" in state) == ("cairn-live 1", 0, [], False)
        with steady_job(mpi, tmp_path) as job:
            state = live.wait_for(lambda now: len(now["points"]) > 3 and now["job"]["seen"] == 4 and now["points"][-1]["calls"] and sum(now["points"][-1]["calls"]) > 0)
            assert {key: state["job"][key] for key in ("program", "mpi", "ranks", "seen", "folder", "is_over")} == {
                "program": "steady", "mpi": mpi.id, "ranks": 4, "seen": 4, "folder": str(tmp_path / "out"), "is_over": False}
            assert {rank for group in state["where"]["groups"] for rank in group["ranks"].replace("-", ",").split(",")} & {"0", "3"}
            assert not any("libc" in caller for group in state["where"]["groups"] for caller in group.get("callers", []))

            # rank 3 works most, rank 0 not at all
            def all_seen(now):
                return [point["shares"] for point in now["points"] if len(point["shares"]) == 4 and None not in point["shares"]]
            live.wait_for(lambda now: "MPI_Bcast" in now["functions"] and len(all_seen(now)) > 5 and sum(shares[0] - shares[3] for shares in all_seen(now)) > 0)

            check_matrix(live)
            check_variables(live)
            check_metrics(live)
            check_settings(live)
            live.process.kill()  # the job does not mind
            terminal = subprocess.Popen([CAIRN, "live", "--text", "--every", "0.1", "--save", tmp_path / "recording"], env=live.environment, stdout=subprocess.PIPE, text=True)
            with Collector(tmp_path, tmp_path / "out", "--read-only") as second:
                second.wait_for(lambda now: len(now["points"]) > 1)
                look_in(tmp_path / "recording", has_rates)  # on a busy machine its first looks may find no time between them
                assert second.set("comm_active", "0") == (403, "cairn live: nothing can be set: it was started with --read-only\n")
                assert end_job(job, tmp_path) == (0, "")
                assert second.wait_for(lambda now: now["job"]["is_over"])["job"]["program"] == "steady"
                assert [file.name for file in (tmp_path / "pages").iterdir()] == []
            shown, _ = terminal.communicate(timeout=20)
            assert terminal.returncode == 0
            assert re.search(r"^steady, 4 ranks on .*\nmoving: .*\n(.*\n)*time in MPI, by rank: \d+ % on average, \d+ to \d+ %\n +\d+  calls/s  MPI_Sendrecv\n", shown, re.M)
            # some pages may be gone in the last look that found any
            assert re.search(r"\nthe job is over; last seen of it:\nsteady, \d ranks?( of 4)? on ", shown), shown[-2000:]
            again = run(CAIRN, "live", tmp_path / "recording", "--text")
            assert (again.code, again.err) == (0, "") and shown.endswith(again.out)  # before, there may have been no job


def has_rates(look):
    point = (look["points"] or [{}])[0]
    return point.get("calls") and None not in (point.get("shares") or [None])


def check_matrix(live):
    """In each step three messages to the next rank, one Allreduce and one Bcast."""
    status, _, body = live.ask("/api/matrix")
    matrix = json.loads(body)
    assert (status, matrix["ranks"], matrix["block"], matrix["published"], matrix["lost"]) == (200, 4, 1, 4, 0)
    sent = {(kind, row, column): (messages, size) for kind, row, column, messages, size in matrix["cells"]}
    assert {key for key in sent if key[0] == 0} == {(0, rank, (rank + 1) % 4) for rank in range(4)}
    assert all(abs(size - 8 * messages) <= 8 for (kind, *_), (messages, size) in sent.items() if kind == 0)
    steps = sent[0, 2, 3][0] // 3
    assert {key[1:] for key in sent if key[0] == 2} == {(row, column) for row in range(4) for column in range(4) if row != column}
    assert all(abs(sent[2, row, column][0] - (2 if row == 0 else 1) * steps) <= 4 for row in range(4) for column in range(4) if row != column)
    assert json.loads(live.ask(f"/api/matrix?after={matrix['look'] + 1000}")[2])["cells"] == []


def check_variables(live):
    """The library's and the tools', with a value of each rank; one of them over time."""
    def known():
        return json.loads(live.ask("/api/variables")[2])
    variables = known()
    names = [variable["name"] for variable in variables["variables"]]
    assert (variables["ranks"], variables["by_rank"]) == (4, True) and len(names) > 5 and len(names) == len(set(names))
    number = names.index("comm_read_bytes")
    assert variables["variables"][number] == {"name": "comm_read_bytes", "class": "aggregate", "text": "bytes read from files", "of_tool": True, "grows": True}
    assert variables["values"][number] == [0, 0, 0, 0]
    moving = names.index("comm_p2p_bytes")
    series = live.wait_for_answer(f"/api/series?variable={moving}", lambda now: sum(point[2] is not None for point in now["points"]) > 3)
    assert all(len(point) == 5 for point in series["points"])
    of_rank_1 = [point[2] for point in series["points"] if point[2] is not None]  # a look may come while the rank writes
    assert of_rank_1[-1] > of_rank_1[0] >= 0
    assert [len(point) for point in json.loads(live.ask(f"/api/series?variable={moving}&after=1000000")[2])["points"]] == []
    assert live.ask("/api/series?variable=x")[0] == 400
    assert len(json.loads(live.ask(f"/api/variables?after={len(names)}")[2])["variables"]) == 0


def result(change):
    return change["set"], change["refused"]


def check_settings(live):
    """A switch of a tool on one rank and back, values that are refused, and a variable that all ranks set in the same call."""
    controls = {control["name"]: control for control in json.loads(live.ask("/api/controls")[2])}
    assert controls["comm_active"] == {"name": "comm_active", "type": "int", "scope": "local", "text": "the switch of layer 2 of the stack, on this rank",
                                       "values": "off, on", "only_together": False, "now": [["1", "0-3"]]}
    assert result(live.change("comm_active", "off", "2")) == ("2", [])
    assert live.wait_for_answer("/api/controls", lambda now: ["0", "2"] in next(one for one in now if one["name"] == "comm_active")["now"])
    still = live.still_at(2, other=1)  # it has taken effect in the job, on that rank alone
    assert result(live.change("comm_active", "1", "1-2")) == ("1-2", [])
    live.wait_for(lambda now: live.sent_by(2) > still)
    assert result(live.change("comm_active", "later")) == ("", [["0-3", "'later' is not a valid value; try one of off, on"]])

    together = next(control for control in controls.values() if control["only_together"] and control["type"] == "int" and control["now"][0][1] == "0-3")
    assert live.set(together["name"], together["now"][0][0], "0,2") == (400, "cairn live: it must be the same on all 4 ranks\n")
    assert result(live.change(together["name"], together["now"][0][0]))[0] == "0-3" or live.state()["changes"][-1]["refused"][0][0] == "0-3"
    assert live.set("no_such", "1") == (400, "cairn live: there is no control variable 'no_such' that can be set\n")
    assert live.set("comm_active", "1", "7") == (400, "cairn live: there are no such ranks\n")
    assert live.set("comm_active", "x" * 300) == (400, "cairn live: a value is a line of at most 255 characters\n")
    assert live.set("comm_active", "1", Origin="http://evil.example")[0] == 403
    assert live.set("comm_active", "1", token="0" * 32)[0] == 401
    status, headers, body = live.ask("/api/set?variable=comm_active&value=0")
    assert (status, headers["Allow"], body) == (405, "POST", "cairn live: this changes the job: it takes POST\n")


def in_controls(live, name):
    return next(control["now"] for control in json.loads(live.ask("/api/controls")[2]) if control["name"] == name)


def test_what_one_rank_refuses_no_rank_keeps_and_values_are_shown_as_they_are(mpi, tmp_path):
    with Collector(tmp_path) as live, steady_job(mpi, tmp_path, tools=lambda usual: f"where,{mpi.tool('choosy')},steer=every:4") as job:
        assert result(live.change("choosy_limit", "7")) == ("0-3", [])
        assert live.set("choosy_limit", "8", "0,2") == (400, "cairn live: it must be the same on all 4 ranks\n")  # its scope is all
        invalid, not_now = "writing it returned MPI_T_ERR_INVALID", "writing it returned MPI_T_ERR_CVAR_SET_NOT_NOW"
        assert result(live.change("choosy_limit", "11")) == ("", [["0,2-3", "refused on another rank"], ["1", invalid]])
        assert in_controls(live, "choosy_limit") == [["7", "0-3"]]
        assert result(live.change("choosy_limit", "13")) == ("", [["2-3", "refused on another rank"], ["0", f"refused on another rank, but it cannot be set back to '7': {not_now}"], ["1", invalid]])
        assert in_controls(live, "choosy_limit") == [["13", "0"], ["7", "1-3"]]
        assert result(live.change("choosy_steps", "1", "2")) == ("", [["2", not_now]])
        steps = max(int(value) for value, _ in in_controls(live, "choosy_steps"))
        live.wait_for_answer("/api/controls", lambda now: all(int(value) > steps + 10 for control in now if control["name"] == "choosy_steps" for value, _ in control["now"]))
        check_orders_that_are_none(tmp_path)
        assert end_job(job, tmp_path) == (0, "")


def check_orders_that_are_none(tmp_path):
    """Written past the collector: of a variable that is not there, and a value without an end for the one that was set last, on one rank."""
    mailbox = struct.Struct("=QQII256s256s")  # asked, answered, control, outcome, value, answer

    def answer_to(path, control, value):
        with open(path, "r+b", buffering=0) as file:
            file.seek(64 + 16)
            asked = mailbox.unpack(file.read(mailbox.size))[0]
            file.seek(64 + 16 + 16)
            file.write(struct.pack("=II256s", control, 0, value))
            file.seek(64 + 16)
            file.write(struct.pack("=Q", asked + 1))
            for _ in range(600):
                file.seek(64 + 16)
                _, answered, _, outcome, _, answer = mailbox.unpack(file.read(mailbox.size))
                if answered == asked + 1:
                    return outcome, answer.split(b"\0")[0].decode()
                time.sleep(0.05)
        raise AssertionError(path)

    paths = sorted((tmp_path / "pages").glob("*.controls"))
    assert len(paths) == 4
    path, control = next((path, control) for path in paths for _, _, control, _, value, _ in [mailbox.unpack(path.read_bytes()[64 + 16:][:mailbox.size])] if value.startswith(b"1\0"))
    assert answer_to(path, control, b"x" * 256) == (1, f"'{'x' * 256}' is not a valid value"[:255])
    assert [answer_to(path, 2**32 - 1, b"1") for path in paths] == [(1, "there is no such variable")] * 4


def check_metrics(live):
    status, headers, body = live.ask("/metrics")
    assert (status, headers["Content-Type"]) == (200, "application/openmetrics-text; version=1.0.0; charset=utf-8")
    parser = pytest.importorskip("prometheus_client.openmetrics.parser")
    families = {family.name: family for family in parser.text_string_to_metric_families(body)}
    calls = {sample.labels["function"]: sample.value for sample in families["cairn_mpi_calls"].samples}
    assert abs(calls["MPI_Sendrecv"] - 3 * calls["MPI_Bcast"]) <= 12 and calls["MPI_Init"] == 4  # the look may be in the middle of a step
    assert [sample.labels["rank"] for sample in families["cairn_rank_mpi_seconds"].samples] == ["0", "1", "2", "3"]
    in_functions, in_ranks = (sum(sample.value for sample in families[name].samples) for name in ("cairn_mpi_function_seconds", "cairn_rank_mpi_seconds"))
    assert 0.8 * in_ranks < in_functions <= in_ranks * 1.001  # calls under way count in ranks only
    assert families["cairn_job_ranks"].samples[0].value == 4
    assert sum(sample.value for sample in families["cairn_job_state"].samples) == 1
    sent = {(sample.labels["kind"], sample.labels["from"], sample.labels["to"]): sample.value for sample in families["cairn_sent_messages"].samples}
    matrix = {(kind, str(row), str(column)) for kind, row, column in ((cell[0], cell[1], cell[2]) for cell in json.loads(live.ask("/api/matrix")[2])["cells"])}
    assert {(["point-to-point", "one-sided", "collective"].index(kind), row, column) for kind, row, column in sent} <= matrix
    assert min(sent.values()) > 0 and {kind for kind, _, _ in sent} == {"point-to-point", "collective"}
    values = [(sample.labels["name"], sample.labels["class"], sample.labels["rank"], sample.value) for sample in families["cairn_variable"].samples]
    assert [value for value in values if value[0] == "comm_read_bytes"] == [("comm_read_bytes", "aggregate", str(rank), 0) for rank in range(4)]
    documented = (SOURCE / "docs" / "live.md").read_text()
    assert [name for name in families if f"`{name}" not in documented] == []


# ---------------------------------------------------------------- clients that mean no good


def memory_of(pid):
    """In MB."""
    return int(re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{pid}/status").read_text())[1]) / 1024


def connect(live):
    link = socket.create_connection(("127.0.0.1", live.port), timeout=20)
    return link


GARBAGE = [b"\0" * 4096, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: " + b"y" * 100000, b"\r\n" * 5000, b"GET " + b"/" * 50000 + b" HTTP/1.1\r\n\r\n",
           b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n", b"\x16\x03\x01\x02\0" * 100,
           b"GET / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
           b"POST /api/policy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000000\r\n\r\n" + b"z" * 200000]


def crowd(live, count):
    """Most say nothing and stay, others send garbage, or ask for much and read nothing."""
    links = []
    for number in range(count):
        link = connect(live)
        links.append(link)
        link.setblocking(False)
        with contextlib.suppress(OSError):
            if number % 3 == 0:
                link.send(GARBAGE[number // 3 % len(GARBAGE)])
            elif number % 3 == 1:
                link.send(b"GET /chart.js HTTP/1.1\r\nHost: localhost\r\n\r\n" * 20)
    return links


@contextlib.contextmanager
def many_files():
    """How many there may be."""
    least, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 3000), most))
    try:
        yield min(most, 3000)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (least, most))


def test_hostile_clients_keep_nobody_out_get_nothing_and_do_the_job_no_harm(tmp_path):
    with Collector(tmp_path) as live, steady_job(MPIS[0], tmp_path) as job, many_files() as files:
        live.wait_for(lambda now: len(now["points"]) > 3 and now["job"]["seen"] == 4)
        before = memory_of(live.process.pid)
        links = crowd(live, min(2000, files - 200))
        assert len(links) > 700 and live.process.poll() is None
        seen = live.state()
        live.wait_for(lambda now: now["next"] > seen["next"] + 3 and sum(now["points"][-1]["calls"]) > 0)  # both go on
        assert memory_of(live.process.pid) - before < 60
        for link in links:
            link.close()
        status, headers, body = live.ask("/", Host="evil.example")
        assert (status, body) == (403, "cairn live: the name of this host is not 'localhost'\n")
        assert live.ask("/metrics", token="0" * 32)[0] == 401
        status, headers, _ = live.ask("/api/state", method="DELETE")
        assert (status, headers["Allow"]) == (405, "GET, HEAD")
        assert live.ask("/%2e%2e/%2e%2e/etc/passwd")[0] == 404
        status, headers, body = live.ask("/")
        assert status == 200 and headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert live.state()["changes"] == [] and end_job(job, tmp_path) == (0, "")


def test_only_this_machine_can_connect(tmp_path):
    with Collector(tmp_path) as live:
        listening = pathlib.Path("/proc/net/tcp").read_text().upper()
        assert f"0100007F:{live.port:04X} 00000000:0000 0A" in listening and f"00000000:{live.port:04X} 00000000:0000 0A" not in listening


# ---------------------------------------------------------------- what cannot be done


def refused(tmp_path, *words):
    told = run(CAIRN, "live", *words, timeout=20, CAIRN_PAGES=tmp_path / "pages")
    assert (told.code, told.out) == (125, "")
    return told.err


def test_what_cannot_be_done_is_told_with_the_reason(tmp_path):
    with Collector(tmp_path) as live:
        assert refused(tmp_path, "--port", live.port) == (
            f"cairn: error: port {live.port} cannot be used: Address already in use\ncairn:   asked for by: --port {live.port}\n"
            "cairn:   try: another port, or none: 'cairn live' then takes a free one\n")
    token = tmp_path / "token"
    with Collector(tmp_path, "--token-file", token) as live:
        assert token.read_text() == live.token + "\n" and token.stat().st_mode & 0o777 == 0o600
    token.chmod(0o640)
    assert refused(tmp_path, "--token-file", token) == (
        f"cairn: error: '{token}' can be read by others\ncairn:   asked for by: --token-file {token}\ncairn:   try: chmod 600 {token}\n")


def test_what_is_no_recording_is_told_and_nothing_is_written_over(tmp_path):
    file = tmp_path / "file"
    file.write_text("mine")
    assert refused(tmp_path, file) == f"cairn: error: '{file}' is not a recording of 'cairn live'\n"
    assert refused(tmp_path, "--save", file) == (
        f"cairn: error: '{file}' already exists\ncairn:   asked for by: --save {file}\ncairn:   try: another name, or remove it first\n")
    assert refused(tmp_path, file, "--save", tmp_path / "other") == (
        f"cairn: error: a recording is played, not saved again\ncairn:   asked for by: --save {tmp_path}/other\ncairn:   try: cp\n")
    assert file.read_text() == "mine" and not (tmp_path / "other").exists()


def test_a_page_of_another_version_is_told(tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir(mode=0o700)
    (pages / "1-1.page").write_bytes(b"CAIRNPG\n" + (2).to_bytes(4, "little") + bytes(10000))
    with Collector(tmp_path) as live:
        state = live.wait_for(lambda now: now["problems"])
        version = re.search(r" version = (\d+);", (SOURCE / "include/cairn/page.hpp").read_text())[1]
        assert state["problems"] == [f"'{pages}/1-1.page' was written by another version of Cairn (layout 2, this one reads {version})"]


def test_without_a_job_the_terminals_text_says_so_once_and_again_when_something_changes(tmp_path):
    waits = "no job yet: one started with 'cairn run --tools where' will show up\n"
    (tmp_path / "pages").mkdir(mode=0o700)
    live = subprocess.Popen([CAIRN, "live", "--text", "--every", "0.05"], env=environment(CAIRN_PAGES=tmp_path / "pages"), stdout=subprocess.PIPE, text=True)
    try:
        shown = [live.stdout.readline(), live.stdout.readline()]
        (tmp_path / "pages" / "1-1.page").write_text("nothing of ours")  # told when it has been met twice
        shown += [live.stdout.readline() for _ in range(3)]
    finally:
        live.kill()
        live.communicate()
    assert shown == [waits, "\n", f"cairn: warning: '{tmp_path}/pages/1-1.page' is not a page of Cairn's recorder\n", waits, "\n"]


def test_a_run_that_is_over_is_told(tmp_path):
    over = tmp_path / "over"
    assert run_stacked(MPIS[0], 2, ["where", "profile=table:off"], MPIS[0].program("ring_c"), out=over).code == 0
    with Collector(tmp_path, over) as live:
        state = live.wait_for(lambda now: now["problems"])
        assert state["problems"] == [f"'{over}' has results, but no running job with 'where': 'cairn report {over}' shows them"]
        assert state["jobs"] == 0


def test_without_its_library_it_says_what_to_install(tmp_path):
    for folder in ("bin", "lib"):
        shutil.copytree(BUILD / folder, tmp_path / folder, symlinks=True, ignore=lambda path, names: [name for name in names if name == "libcairn-live.so" or path.endswith("/cairn") and (pathlib.Path(path) / name).is_dir()])
    told = run(tmp_path / "bin" / "cairn", "live", CAIRN_PAGES=tmp_path / "pages")
    path = tmp_path / "lib" / "cairn" / "libcairn-live.so"
    assert (told.code, told.err) == (125, f"cairn: error: the page in the browser needs libmicrohttpd: {path}: cannot open shared object file: No such file or directory\n"
                                     "cairn:   try: apt-get install libmicrohttpd12, or 'cairn live --text' without it\n")
