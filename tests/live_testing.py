# SPDX-License-Identifier: BSD-3-Clause
# live_testing.py - a job that goes on until it is told to stop, and `cairn live` beside it, asked as a browser asks.

import contextlib
import http.client
import json
import re
import signal
import subprocess
import time
import urllib.parse

from cairn_testing import CAIRN, environment

ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})\n")


@contextlib.contextmanager
def steady_job(mpi, folder, ranks=4, tools=lambda usual: usual):
    """Ranks that work and communicate in steps (live/steady.c)."""
    go = folder / "go"
    go.write_text("")
    job = subprocess.Popen([*mpi.mpirun(ranks, patient=True), CAIRN, "run", "--tools", tools("where,comm=table:off,vars=calls:off:every:100ms:budget:0:table:off,steer"), "--out", str(folder / "out"), mpi.program("steady"), str(go)],
                           env=environment(CAIRN_PAGES=folder / "pages"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        yield job
    finally:
        go.unlink(missing_ok=True)
        try:
            job.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            job.send_signal(signal.SIGTERM)
            job.communicate()


def looks_in(recording):
    """What `cairn live --save RECORDING` has written so far."""
    if not recording.exists():
        return []
    return [json.loads(line) for line in recording.read_text().splitlines(keepends=True)[1:] if line.endswith("\n")]


def look_in(recording, is_so, text=None):
    """Waits for one; the last. `text`: a file that tells more of why there is none."""
    for _ in range(600):
        found = [look for look in looks_in(recording) if is_so(look)]
        if found:
            return found[-1]
        time.sleep(0.1)
    raise AssertionError((text or recording).read_text()[-3000:])


def end_job(job, folder):
    """Its exit code and what it has printed."""
    (folder / "go").unlink()
    out, _ = job.communicate(timeout=60)
    return job.returncode, out.decode()


class Collector:
    """`cairn live`, as a process; `with Collector(folder) as live: live.state()`."""

    def __init__(self, folder, *words, every=0.1):
        self.command = [CAIRN, "live", "--every", str(every), *map(str, words)]
        self.environment = environment(CAIRN_PAGES=folder / "pages")

    def __enter__(self):
        self.process = subprocess.Popen(self.command, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.line = self.process.stdout.readline()
        found = ADDRESS.fullmatch(self.line)
        assert found, self.line + self.process.stderr.read()
        self.port, self.token = int(found[1]), found[2]
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    @property
    def address(self):
        return self.line.strip()

    def ask(self, path, method="GET", token=None, body=None, **headers):
        """(status, headers, body)"""
        link = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        link.request(method, path, body, headers={"Authorization": f"Bearer {token or self.token}", **headers})
        answer = link.getresponse()
        said = answer.read().decode()
        link.close()
        return answer.status, answer.headers, said

    def set(self, variable, value, ranks="", **headers):
        """Status and answer."""
        query = urllib.parse.urlencode({"variable": variable, "value": value, "ranks": ranks})
        status, _, body = self.ask(f"/api/set?{query}", method="POST", **headers)
        return status, body

    def give_policy(self, text, name="", **words):
        """Status and answer."""
        status, _, body = self.ask(f"/api/policy?{urllib.parse.urlencode({'value': name})}", method="POST", body=text.encode(), **words)
        return status, body

    def change(self, variable, value, ranks=""):
        """Sets it, and returns the line about it when all ranks have answered."""
        return self.answers(lambda: self.set(variable, value, ranks))

    def answers(self, order):
        """Gives it once all these ranks have been seen, and returns the line about it when they have answered."""
        before = len(self.state()["changes"])
        for _ in range(600):
            answer = order()
            if "is not here, or without the tool" not in answer[1] and "there is no control variable" not in answer[1]:
                break
            time.sleep(0.05)
        assert answer == (200, ""), answer
        return self.wait_for(lambda now: len(now["changes"]) > before and not now["changes"][-1]["waiting"])["changes"][-1]

    def sent_by(self, rank):
        """Point-to-point messages so far, as `comm` has counted them."""
        return sum(messages for kind, row, _, messages, _ in json.loads(self.ask("/api/matrix")[2])["cells"] if (kind, row) == (0, rank))

    def still_at(self, rank, other):
        """What a rank has sent whose `comm` counts no more, while it does on another; what was counted before may be shown later."""
        for _ in range(20):
            still, moving = self.sent_by(rank), self.sent_by(other)
            self.wait_for(lambda now: self.sent_by(other) > moving + 6)
            if self.sent_by(rank) == still:
                return still
        raise AssertionError(f"rank {rank} goes on counting")

    def state(self, after=0):
        status, _, body = self.ask(f"/api/state?after={after}")
        assert status == 200, body
        return json.loads(body)

    def wait_for(self, is_so):
        """The first state of which that is true."""
        for _ in range(600):
            state = self.state()
            if is_so(state):
                return state
            time.sleep(0.05)
        raise AssertionError(state)

    def wait_for_answer(self, path, is_so):
        """The first of which that is true."""
        for _ in range(600):
            answer = json.loads(self.ask(path)[2])
            if is_so(answer):
                return answer
            time.sleep(0.05)
        raise AssertionError(answer)
