# SPDX-License-Identifier: BSD-3-Clause
# test_live_policy.py - `cairn live` beside a job that follows a policy: what it does is seen, it is stopped and followed again on all ranks, and others are given to it.

import json
import re
import struct
import time

from cairn_testing import *
from live_testing import Collector, end_job, steady_job

POLICY = """
rule "Together"
  every 5 calls of MPI_Allreduce
  agree all
  note "all have come"
rule "Alone"
  every 200 ms
  ranks 2
  set comm_active = 1 - comm_active
rule "At the end"
  at end
  note "the end"
"""


def looks(state):
    return {rule["title"]: rule["looks"] for rule in state["policy"]["rules"]}


def follow(live, way):
    change = live.change("policy_active", way)
    assert (change["set"], change["refused"]) == ("0-3", [])


def made(tmp_path):
    path = tmp_path / "my.policy"
    path.write_text(POLICY)
    return path


def check_report(tmp_path):
    """The recording lies in the run's folder; one of another run is left out."""
    recording = tmp_path / "out" / "seen"
    (tmp_path / "seen").rename(recording)
    told = run(CAIRN, "report", tmp_path / "out", "--html", tmp_path / "report.html")
    words = " ".join(run(CAIRN, "report", tmp_path / "out").out.split())
    assert (told.code, told.err) == (0, "")
    assert "of the time in MPI while 'cairn live' watched" in words and f"'cairn live {recording}' plays it again." in words and "orders to set variables were given meanwhile" in words
    assert '"the first look"' in (tmp_path / "report.html").read_text()
    assert run(CAIRN, "report", tmp_path / "out", "--json", tmp_path / "report.json").code == 0
    section = next(one for one in json.loads((tmp_path / "report.json").read_text())["sections"] if one["tool"] == "live")
    assert section["file"] == "seen" and [(row["name"], row["value"], row["set"]) for row in section["tables"]["settings"]["rows"]] == [("policy_active", way, "0-3") for way in ("off", "on")]
    recording.write_text(re.sub(r'"run": ?"[^"]*"', '"run": "another"', recording.read_text()))
    told = run(CAIRN, "report", tmp_path / "out")
    assert f"cairn: warning: '{recording}' is a recording of another run\n" in told.err and "while 'cairn live' watched" not in told.out


@pytest.mark.parametrize("place", ["above", "below"])
def test_a_policy_is_watched_stopped_and_followed_again(mpi, tmp_path, place):
    words = f"policy=file:{made(tmp_path)}:table:off"
    with Collector(tmp_path, "--save", tmp_path / "seen") as live, steady_job(mpi, tmp_path, tools=lambda usual: f"{words},{usual}" if place == "above" else f"{usual},{words}") as job:
        state = live.wait_for(lambda now: now.get("policy") and looks(now).get("Together", 0) > 8 and len(now["policy"]["events"]) >= 3)
        assert state["policy"]["file"] == str(tmp_path / "my.policy") and not state["policy"]["dry_run"]
        events = {(event["rule"], event["what"]): event["ranks"] for event in live.wait_for(lambda now: any(event["ranks"] == "0-3" for event in now["policy"]["events"]))["policy"]["events"]}
        assert events["Together", "all have come"] == "0-3"
        live.wait_for_answer("/api/controls", lambda now: ["0", "2"] in next(one["now"] for one in now if one["name"] == "comm_active"))  # what the policy has set is shown
        assert events["Alone", "set comm_active: 1 -> 0"] == events["Alone", "set comm_active: 0 -> 1"] == "2"
        assert live.set("policy_active", "0", "1") == (400, "cairn live: it must be the same on all 4 ranks\n")  # the others would wait for it

        follow(live, "off")
        before = live.state()
        live.wait_for(lambda now: now["next"] > before["next"] + 3)
        still = live.state()
        live.wait_for(lambda now: now["next"] > still["next"] + 8 and now["points"][-1]["calls"] and sum(now["points"][-1]["calls"]) > 0)  # the job goes on
        assert looks(live.state()) == looks(still)
        follow(live, "on")
        live.wait_for(lambda now: looks(now)["Together"] > looks(still)["Together"] and looks(now)["Alone"] > looks(still)["Alone"])
        assert end_job(job, tmp_path) == (0, "")
        live.wait_for(lambda now: now["job"]["is_over"])
    check_report(tmp_path)
    done = json.loads((tmp_path / "out" / "policy.json").read_text())
    assert {event["rule"] for event in done["events"]} == {"Together", "Alone", "At the end"}


def test_a_policy_that_is_off_waits_until_somebody_wants_it(mpi, tmp_path):
    with Collector(tmp_path) as live, steady_job(mpi, tmp_path, tools=lambda usual: f"{usual},policy=file:{made(tmp_path)}:table:off@active:off") as job:
        state = live.wait_for(lambda now: now.get("policy") and now["job"]["seen"] == 4 and len(now["points"]) > 10)
        assert set(looks(state).values()) == {0} and state["policy"]["events"] == []
        follow(live, "on")
        live.wait_for(lambda now: looks(now)["Together"] > 8)
        follow(live, "off")
        assert end_job(job, tmp_path) == (0, "")
    done = json.loads((tmp_path / "out" / "policy.json").read_text())
    assert "At the end" not in {event["rule"] for event in done["events"]}


# ---- policies that come while the job runs

OTHER = """
rule "Another"
  every 3 calls of MPI_Allreduce
  agree all
  note "the other one"
"""
WRONG = {
    "syntax": ('rule "r"\n  every 1 s\n  set = 1', "line 3, column 7: the name of a control variable expected, but found '='"),
    "variable": ('rule "r"\n  every 1 s\n  set comm_activ = 1', "line 3, column 7: there is no control variable 'comm_activ'\n  try: comm_active"),
    "value": ('rule "r"\n  every 1 s\n  set comm_active = 1.5', "line 3, column 7: 'comm_active' cannot be set: 1.5 is not a whole number\n  try: one of off, on"),
    "function": ('rule "r"\n  every 10 calls of MPI_Barier\n  note "x"', "line 2, column 3: there is no MPI function 'MPI_Barier'\n  try: MPI_Barrier"),
    "layer": ('rule "r"\n  every 1 s\n  switch nonesuch off', "line 3, column 10: there is no layer 'nonesuch' in the stack\n  try: --tools nonesuch"),
}


def waiting_job(mpi, tmp_path, place="below", options=":table:off", **words):
    return steady_job(mpi, tmp_path, tools=lambda usual: f"policy={options[1:]},{usual}" if place == "above" else f"{usual},policy={options[1:]}", **words)


def is_ready(now):
    return now.get("job", {}).get("seen") == 4 and now["takes_policies"] and now["has_controls"]


@pytest.mark.parametrize("place", ["above", "below"])
def test_a_policy_is_given_while_the_job_runs_and_then_another(mpi, tmp_path, place):
    with Collector(tmp_path) as live, waiting_job(mpi, tmp_path, place) as job:
        assert "policy" not in live.wait_for(is_ready)
        change = live.answers(lambda: live.give_policy(POLICY, "first.policy"))
        assert (change["name"], change["value"], change["set"], change["refused"]) == ("policy", "first.policy", "0-3", [])
        state = live.wait_for(lambda now: now.get("policy") and looks(now).get("Together", 0) > 8 and looks(now).get("Alone", 0) > 1)
        assert state["policy"]["file"] == "first.policy" and "Another" not in looks(state)
        follow(live, "off")
        follow(live, "on")
        change = live.answers(lambda: live.give_policy(OTHER, "second.policy"))
        assert (change["set"], change["refused"]) == ("0-3", [])
        state = live.wait_for(lambda now: looks(now).get("Another", 0) > 8 and any(event["rule"] == "Another" and event["ranks"] == "0-3" for event in now["policy"]["events"]))
        assert state["policy"]["file"] == "second.policy" and set(looks(state)) == {"Another"}
        assert end_job(job, tmp_path) == (0, "")
    done = json.loads((tmp_path / "out" / "policy.json").read_text())
    rules = {rule["title"]: rule for rule in done["rules"]}
    assert (done["policy"], list(rules)) == ("first.policy, second.policy", ["Together", "Alone", "At the end", "Another"])
    assert rules["Together"]["looks"] > 8 and rules["At the end"]["looks"] == 0  # it was not followed any more at the end
    assert {event["rule"] for event in done["events"]} == {"Together", "Alone", "Another"}
    assert all(0 < event["first_s"] <= event["last_s"] <= done["run_s"] for event in done["events"])


def test_a_policy_that_makes_no_sense_is_told_and_does_no_harm(mpi, tmp_path):
    with Collector(tmp_path) as live, waiting_job(mpi, tmp_path) as job:
        live.wait_for(lambda now: is_ready(now) and (tmp_path / "out" / "run.json").exists())  # which tells the stack
        for name, (text, told) in WRONG.items():
            assert live.give_policy(text, f"{name}.policy") == (400, f"cairn live: policy '{name}.policy', {told}\n")
        assert live.give_policy("") == (400, "cairn live: policy 'from the page' has no rules\n  try: findings are for 'cairn advise'\n")
        assert live.give_policy(OTHER, "two\nlines") == (400, "cairn live: the name of a policy is a line of at most 255 characters\n")
        assert live.give_policy(OTHER + "#" + 16200 * "x") == (400, "cairn live: a policy has at most 16127 characters\n")
        assert live.give_policy(OTHER + "# \0") == (400, "cairn live: a policy has at most 16127 characters\n")
        assert live.give_policy(20000 * "x") == (413, "cairn live: that is too large\n")
        assert live.give_policy(OTHER, token="0" * 32)[0] == 401
        assert live.give_policy(OTHER, Origin="http://evil.example")[0] == 403
        assert live.ask("/api/policy")[0] == 405
        assert live.state()["changes"] == [] and "policy" not in live.state()
        # what only the ranks can know: the rule works nowhere, so that none of the policy is followed
        change = live.answers(lambda: live.give_policy('rule "Few"\n  every 5 calls of MPI_Send\n  agree all\n  note "x"\n'))
        assert change["set"] == "" and [ranks for ranks, _ in change["refused"]] == ["0-3"]
        assert change["refused"][0][1].startswith("rule 'Few' is left out: ")
        change = live.answers(lambda: live.give_policy(OTHER))
        assert (change["value"], change["set"]) == ("from the page", "0-3")
        assert end_job(job, tmp_path) == (0, "")


def test_ranks_that_were_given_different_policies_follow_none(mpi, tmp_path):
    """As two collectors could do it; and what is no policy at all."""
    with Collector(tmp_path) as live, waiting_job(mpi, tmp_path) as job:
        live.wait_for(is_ready)
        boards = sorted((tmp_path / "pages").glob("*.policy"))
        assert len(boards) == 4
        for number, path in enumerate(boards):
            write_order(path, f"mine\n{OTHER}# {number % 2}".encode())
        wait_for_answers(boards, 1)
        assert {answer_in(path) for path in boards} == {(1, "other ranks were given another policy")}
        for path in boards:
            write_order(path, b"\xff\x01" * 8000)
        wait_for_answers(boards, 2)
        assert {outcome for outcome, _ in map(answer_in, boards)} == {1}
        seen = live.state()["next"]
        live.wait_for(lambda now: now["next"] > seen + 2)  # the answers
        assert live.answers(lambda: live.give_policy(OTHER))["set"] == "0-3"
        assert end_job(job, tmp_path) == (0, "")


HEAD = struct.Struct("=QQII")  # asked, answered, control, outcome
ROOM = 16384


def mailbox_at(path):
    """Where it is: the first entry of the board."""
    return 64 + 16


def write_order(path, text):
    with open(path, "r+b") as file:
        file.seek(mailbox_at(path))
        asked, *_ = HEAD.unpack(file.read(HEAD.size))
        file.write(text[:ROOM])
        file.seek(mailbox_at(path))
        file.write(struct.pack("=Q", asked + 1))


def answer_in(path):
    content = path.read_bytes()[mailbox_at(path):]
    *_, outcome = HEAD.unpack(content[:HEAD.size])
    return outcome, content[HEAD.size + ROOM:].split(b"\0")[0].decode(errors="replace")


def wait_for_answers(boards, number):
    for _ in range(600):
        if all(HEAD.unpack(path.read_bytes()[mailbox_at(path):][:HEAD.size])[1] == number for path in boards):
            return
        time.sleep(0.05)
    raise AssertionError([HEAD.unpack(path.read_bytes()[mailbox_at(path):][:HEAD.size]) for path in boards])


def test_who_only_reads_gives_no_policy(tmp_path):
    with Collector(tmp_path, "--read-only") as live, waiting_job(MPIS[0], tmp_path) as job:
        live.wait_for(is_ready)
        assert live.give_policy(OTHER) == (403, "cairn live: nothing can be set: it was started with --read-only\n")
        assert end_job(job, tmp_path) == (0, "")


def test_a_job_that_waits_for_no_policy_takes_none(tmp_path):
    with Collector(tmp_path) as live, steady_job(MPIS[0], tmp_path) as job:
        live.wait_for(lambda now: now.get("job", {}).get("seen") == 4 and now["has_controls"])
        assert live.give_policy(OTHER) == (400, "cairn live: no policy can be given: the job has no tool 'policy' that waits for one\n")
        assert end_job(job, tmp_path) == (0, "")
    assert not (tmp_path / "out" / "policy.json").exists()


def test_a_policy_that_nobody_has_given_leaves_nothing(mpi, tmp_path):
    with waiting_job(mpi, tmp_path) as job:
        assert end_job(job, tmp_path) == (0, "")
    assert not (tmp_path / "out" / "policy.json").exists()


def test_without_the_recorder_nobody_can_give_one(mpi):
    told = run(CAIRN, "run", "--tools", "policy", mpi.program("steady"))
    assert (told.code, told.err) == (125, "cairn: error: tool 'policy' has no policy, and without the tool 'where' it cannot be given one\n"
                                          "cairn:   asked for by: --tools policy\n"
                                          "cairn:   try: policy=file:PATH, or 'where' in the stack and a policy from the page of 'cairn live'\n")
