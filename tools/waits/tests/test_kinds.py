# SPDX-License-Identifier: BSD-3-Clause
# test_kinds.py - calls that wait in other ways: finding messages, asking in vain, starting again, and one of each kind

import re

from waits_testing import *

FINDING_LINES = (SOURCE / "tools" / "waits" / "tests" / "finding.c").read_text().splitlines()


@pytest.mark.parametrize("what, ranks, expected", [
    # By the mark of its line: what is waited for, and seconds of all ranks.
    ("matched", 2, {"found": ("late_sender", STEPS), "second receive": ("wrong_order", STEPS / 2)}),
    ("matched later", 2, {"found": ("late_sender", STEPS), "second receive": ("wrong_order", STEPS / 2)}),
    ("twice", 2, {"found": ("late_sender", STEPS)}),
    ("found then matched", 2, {"found first": ("late_sender", STEPS)}),
    ("reversed", 2, {"found": ("late_sender", STEPS)}),
    ("truncated", 2, {"found": ("late_sender", STEPS)}),
    ("asked", 2, {"found": ("late_sender", STEPS)}),
    ("in turn", 2, {"in turn": ("late_sender", STEPS)}),
    ("working", 2, {}),
    ("worker", 2, {}),
    ("asleep", 2, {"between rests": ("late_sender", STEPS)}),
    ("asleep in turn", 2, {"found asleep": ("late_sender", STEPS)}),
    ("broadcast", 3, {"broadcast": ("wait_at_one_to_n", 2 * STEPS)}),
    ("reduction", 3, {"reduction": ("wait_at_n_to_one", STEPS)}),
    ("restarted", 3, {"wait": ("wait_at_one_to_n", 2 * STEPS)}),
])
def test_who_finds_tests_or_starts_again_waits(mpi, tmp_path, what, ranks, expected):
    """Not the root's own group in an inter-communicator, and nobody who works between two tests, or has another thread work, unlike one who sleeps."""
    result = planted_run(mpi, ranks, ["waits"], mpi.program("finding"), what, out=tmp_path)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    coverage = found["coverage"]
    assert coverage["matched"] == coverage["sends"] == coverage["receives"] and coverage["incomplete_collectives"] == 0, coverage
    seen = {}
    for wait in found["waits"]:
        kind = {"early_reduce": "wait_at_n_to_one"}.get(wait["kind"], wait["kind"])
        mark = re.search(r"/\* (.*) \*/", FINDING_LINES[wait["line"] - 1]) if wait["file"].endswith("finding.c") else None
        if mark is not None:
            seen.setdefault((mark[1], kind), []).append(wait["time_s"])
    for mark, (kind, seconds) in expected.items():
        assert is_seen(sum(seen[mark, kind]), seconds, result), (mark, seen)
    assert sum(sum(times) for (mark, _), times in seen.items() if mark not in expected) < STEPS / 4, seen


def test_asking_again_and_again_is_waiting_in_fortran(mpi, tmp_path):
    """However the calls reach the library's C functions."""
    result = planted_run(mpi, 2, ["waits"], mpi.program("asking"), out=tmp_path)
    assert result.code == 0, result.err
    assert is_seen(kinds_of(found_in(tmp_path)).get("late_sender", 0), STEPS, result), found_in(tmp_path)["waits"]


@pytest.mark.parametrize("how", ["anew", "begun", "taken"])
def test_a_late_process_is_found_whichever_of_its_threads_call_mpi(mpi, tmp_path, how):
    """15 steps, each 40 ms longer on the last of three ranks: what the others' threads wait for at once is lost once."""
    result = run_stacked(mpi, 3, ["waits"], mpi.program("crew"), how, out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"]) == ("work", "2"), result.err
    assert 0.6 < cause["cost_s"] < 1.8, result.err
    assert abs(found["replayed_s"] - found["run_s"]) < 0.01 * found["run_s"]
    assert cause["predicted_run_s"] < found["run_s"] - 0.3, result.err


@pytest.mark.parametrize("how", ["stop", "done"])
def test_a_thread_that_waits_while_its_process_works_costs_nothing(mpi, tmp_path, how):
    result = run_stacked(mpi, 3, ["waits"], mpi.program("crew"), how, out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    assert kinds_of(found)["late_sender"] > 0.8  # of three threads, 0.3 s and more each
    assert sum(cause["cost_s"] for cause in found["causes"] if cause["kind"] != "start") < 0.3, result.err


KINDS = {"scan": "wait_at_scan", "fence": "wait_at_fence", "creation": "communicator_creation", "file": "io_collective", "write": "io_collective",
         "close": "io_collective", "persistent": "late_sender", "persistent synchronous": "late_receiver", "partitioned": "late_sender",
         "any": "late_sender", "some": "late_sender", "groups": "late_sender", "thread": "late_sender"}


def test_calls_of_all_kinds_wait_for_who_comes_late(mpi, tmp_path):
    """Once each, 100 ms; what else the machine does is no matter here. The thread's first call is work of its process."""
    lines = (SOURCE / "tools" / "waits" / "tests" / "kinds.c").read_text().splitlines()
    line = {mark: number for number, text in enumerate(lines, 1) for mark in re.findall(r"/\* ([a-z ]+) \*/$", text)}
    # Open MPI 4 has no partitioned messages, and writes little where nobody has to wait for it: the late rank is waited for in the next call.
    expected = set(KINDS) - ({"close"} if mpi.id == "mpich" else {"partitioned", "write"})
    for attempt in range(3):
        out = tmp_path / str(attempt)
        result = planted_run(mpi, 2, ["waits=table:off"], mpi.program("kinds"), tmp_path / "file", out=out)
        assert result.code == 0, result.err
        found = found_in(out)
        seen = {mark for mark in expected for wait in found["waits"] if (wait["kind"], wait["line"]) == (KINDS[mark], line[mark]) and wait["time_s"] > 0.04}
        if seen == expected:
            break
    assert seen == expected, (expected - seen, found["waits"])
    assert found["coverage"]["matched"] == found["coverage"]["sends"] == found["coverage"]["receives"]
    cause = next(one for one in found["causes"] if one["to"].get("line") == line["thread sends"])
    assert (cause["kind"], cause["ranks"], cause["from"]["function"]) == ("work", "1", "MPI_Barrier") and cause["cost_s"] > 0.04
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
