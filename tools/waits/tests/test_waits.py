# SPDX-License-Identifier: BSD-3-Clause
# test_waits.py - programs with one problem of known size: its kind, place, ranks and cost are found, and what mending it brings

import json
import re

from cairn_testing import *

SOURCE_LINES = (SOURCE / "tools" / "waits" / "tests" / "planted.c").read_text().splitlines()
LATE = 10 * 0.036  # ten steps in which one rank comes 36 ms after the others


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE_LINES, 1) if f"/* {mark} */" in line)


def work_of(job):
    """Of each rank: seconds that it was at work, and that it was to be (work.h)."""
    return [(float(worked), float(asked)) for worked, asked in re.findall(r"^worked +([\d.]+) s instead of ([\d.]+) s$", job.out, re.M)]


def planted_run(*arguments, **options):
    """Once more where the machine has made ranks late that were not to be."""
    for _ in range(5):
        job = run_stacked(*arguments, timeout=60, TELL_WORK="1", **options)
        if all(worked - asked < LATE / 10 for worked, asked in work_of(job)):
            break
    return job


def is_seen(seconds, planted, job):
    """Where other work keeps ranks from running, less or more than was planted. To the nanosecond: unit.Waits; to a tenth, on an idle machine: tests/planted."""
    worked, asked = max(work_of(job), key=lambda one: one[1])
    return abs(seconds) < 1e-3 if planted == 0 else 0.5 * planted < seconds < 1.5 * planted * worked / asked


def waits(mpi, out, *arguments, ranks=3, code=0):
    result = planted_run(mpi, ranks, ["waits"], mpi.program("planted"), *arguments, out=out)
    assert code is None or result.code == code, result.err
    return result


@pytest.mark.parametrize("what, ranks, kind, mark, to, rank, waiters", [
    ("barrier", 3, "wait_at_barrier", "barrier", "barrier", 2, 2),
    ("sender", 2, "late_sender", "probe", "late send", 1, 1),
    ("receiver", 2, "late_receiver", "large send", "late receive", 1, 1),
    ("root", 3, "wait_at_one_to_n", "broadcast", "broadcast", 0, 2),
    ("region", 3, "wait_at_barrier", "region", "region", 2, 2),
    ("halo", 2, "late_sender", "halo", "halo begins", 1, 1),
])
def test_what_was_planted_is_the_first_cause(mpi, tmp_path, what, ranks, kind, mark, to, rank, waiters):
    told = waits(mpi, tmp_path, what, ranks=ranks)
    found = json.loads((tmp_path / "waits.json").read_text())
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"]) == ("work", str(rank))
    assert (pathlib.Path(cause["to"]["file"]).name, cause["to"]["line"]) == ("planted.c", line_of(to))
    wait = next(one for one in found["waits"] if one["kind"] == kind)
    assert (wait["line"], wait["communicator"]) == (line_of(mark), "MPI_COMM_WORLD")
    assert is_seen(wait["time_s"], waiters * LATE, told)
    assert is_seen(cause["cost_s"], waiters * LATE, told)
    assert is_seen(found["run_s"] - cause["predicted_run_s"], LATE, told)
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    efficiency = found["efficiency"]
    assert abs(efficiency["parallel"] - efficiency["load_balance"] * efficiency["communication"]) < 1e-9
    assert found["coverage"]["matched"] == found["coverage"]["sends"] == found["coverage"]["receives"]
    assert f"  what ranks wait for:\n    work of rank {rank} between " in told.err
    assert cause["symptoms"][0]["kind"] in (kind, "wait_at_barrier")


@pytest.mark.parametrize("above", [[], ["profile=table:off"]])
def test_work_before_the_end_keeps_others_waiting_in_it(mpi, tmp_path, above):
    """The tools meet in MPI_Finalize: that is not the program's time, whichever does so first."""
    result = planted_run(mpi, 2, [*above, "waits=table:off"], mpi.program("planted"), "end", out=tmp_path)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    assert is_seen(kinds_of(found)["wait_at_finalize"], LATE, result)
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"], cause["to"]["function"]) == ("work", "1", "MPI_Finalize")
    assert cause["to"].get("line", line_of("end") if above else 0) == line_of("end")
    assert is_seen(found["run_s"] - cause["predicted_run_s"], LATE, result)
    if above:
        own = json.loads((tmp_path / "profile.json").read_text())["own_time_s"]
        assert is_seen(own["max"] - own["min"], LATE, result)


def found_in(out):
    return json.loads((out / "waits.json").read_text())


def kinds_of(found):
    sums = {}
    for wait in found["waits"]:
        sums[wait["kind"]] = sums.get(wait["kind"], 0) + wait["time_s"]
    return sums


@pytest.mark.parametrize("what, ranks, kind, to, rank", [
    ("post", 2, "late_post", "post", 0),
    ("complete", 2, "late_complete", "complete", 1),
    ("lock", 3, "lock_contention", "unlock", 0),
])
def test_one_sided_synchronization_waits_for_whoever_comes_late(mpi, tmp_path, what, ranks, kind, to, rank):
    waits(mpi, tmp_path, what, ranks=ranks)
    found = found_in(tmp_path)
    seen = kinds_of(found)[kind]
    assert seen > LATE / 2, found["waits"]  # longer where the other side has no processor
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"], cause["to"]["line"]) == ("work", str(rank), line_of(to))
    assert cause["cost_s"] > LATE / 2
    assert found["run_s"] - cause["predicted_run_s"] > LATE / 2
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    advice = run(CAIRN, "advise", tmp_path, "--json", "-")
    assert (advice.code, advice.err) == (0, "")
    first = next(one for one in json.loads(advice.out)["findings"] if one["kind"] == "one_sided_sync")
    assert (first["ranks"], first["measured"]) == ([rank], True)


def test_only_neighbors_wait_in_neighborhood_calls(mpi, tmp_path):
    """Rank 1 waits for rank 0, and rank 2 for rank 1 in the next step."""
    waits(mpi, tmp_path, "neighbors", ranks=3)
    found = found_in(tmp_path)
    assert kinds_of(found)["wait_at_neighbors"] > LATE  # sleep is never shorter
    pairs = {(waiter, late): seconds for waiter, late, seconds, _ in found["pairs"]}
    assert pairs[1, 0] > 0 and pairs[2, 1] > 0 and pairs.get((2, 0), 0) < LATE / 2
    assert (found["causes"][0]["ranks"], found["causes"][0]["to"]["line"]) == ("0", line_of("neighbors"))
    assert found["run_s"] - found["causes"][0]["predicted_run_s"] > LATE / 2


@pytest.mark.parametrize("tools", [["waits", "profile"], ["profile", "waits"], ["waits", "waits"], ["waits", "trace", "where"]], ids="+".join)
def test_regions_have_their_work(mpi, tmp_path, tools):
    """Rank 2 works 36 ms more than the others in one that begins and ends between two calls."""
    result = run_stacked(mpi, 3, tools, mpi.program("planted"), "region", out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    for name in ("waits.json", "waits.2.json")[:tools.count("waits")]:
        found = json.loads((tmp_path / name).read_text())
        inner = next(one for one in found["efficiency_by_region"] if one["region"] == "solve/inner")
        split = inner["efficiency"]
        assert abs(split["communication"] - split["serialisation"] * split["transfer"]) < 1e-9
        assert inner["time_s"] >= 0.4  # sleep is never shorter
        assert inner["efficiency"]["load_balance"] < 0.7
        cause = next(one for one in found["causes"] if one["region"] == "solve/inner")
        assert (cause["kind"], cause["to"]["line"]) == ("work", line_of("region")) and "2" in cause["ranks"]
        assert dict(found["critical_path"]["regions"])["solve/inner"] > 0.2
        assert all(wait["region"] == "" for wait in found["waits"] if wait["kind"] == "wait_at_barrier")


FINDING_LINES = (SOURCE / "tools" / "waits" / "tests" / "finding.c").read_text().splitlines()
STEPS = 10 * 0.04


@pytest.mark.parametrize("what, ranks, expected", [
    # By the mark of its line: what is waited for, and seconds of all ranks.
    ("matched", 2, {"found": ("late_sender", STEPS), "second receive": ("wrong_order", STEPS / 2)}),
    ("matched later", 2, {"found": ("late_sender", STEPS), "second receive": ("wrong_order", STEPS / 2)}),
    ("twice", 2, {"found": ("late_sender", STEPS)}),
    ("reversed", 2, {"found": ("late_sender", STEPS)}),
    ("truncated", 2, {"found": ("late_sender", STEPS)}),
    ("asked", 2, {"found": ("late_sender", STEPS)}),
    ("working", 2, {}),
    ("broadcast", 3, {"broadcast": ("wait_at_one_to_n", 2 * STEPS)}),
    ("reduction", 3, {"reduction": ("wait_at_n_to_one", STEPS)}),
    ("restarted", 3, {"wait": ("wait_at_one_to_n", 2 * STEPS)}),
])
def test_who_finds_tests_or_starts_again_waits(mpi, tmp_path, what, ranks, expected):
    """Not the root's own group in an inter-communicator, and nobody who works between two tests."""
    if what == "restarted" and mpi.id == "openmpi":
        pytest.skip("Open MPI 4 has no persistent collective operations")
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


KINDS = {"scan": "wait_at_scan", "fence": "wait_at_fence", "creation": "communicator_creation", "file": "io_collective", "persistent": "late_sender",
         "partitioned": "late_sender", "any": "late_sender", "some": "late_sender", "groups": "late_sender", "thread": "late_sender"}


def test_calls_of_all_kinds_wait_for_who_comes_late(mpi, tmp_path):
    """Once each, 100 ms; what else the machine does is no matter here. The thread's first call is work of its process."""
    lines = (SOURCE / "tools" / "waits" / "tests" / "kinds.c").read_text().splitlines()
    line = {mark: number for number, text in enumerate(lines, 1) for mark in re.findall(r"/\* ([a-z ]+) \*/$", text)}
    expected = set(KINDS) - (set() if mpi.id == "mpich" else {"partitioned"})  # Open MPI 4 has none
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


def sampled(mpi, out, *arguments, tools=("waits=sample:on",)):
    result = run_stacked(mpi, 2, list(tools), mpi.program("relaxing"), *arguments, out=out, timeout=60)
    assert result.code == 0, result.err
    return result, found_in(out)["causes"][0]


@pytest.mark.parametrize("arguments", [[], ["helper"]], ids=["itself", "a thread"])
def test_samples_tell_the_functions_that_fill_the_work_waited_for(mpi, tmp_path, arguments):
    """480 ms of processor time, 48 samples: three quarters in relax, also where a thread that makes no calls has them."""
    told, cause = sampled(mpi, tmp_path, *arguments)
    assert (cause["kind"], cause["ranks"]) == ("work", "1")
    functions = {one["caller"]: one for one in cause["samples"]}
    assert 0.2 < functions["relax"]["time_s"] < 0.5 and 0.03 < functions["pack"]["time_s"] < 0.25, cause["samples"]
    assert pathlib.Path(functions["relax"]["file"]).name == "relaxing.c" and cause["samples"][0]["caller"] == "relax"
    assert re.search(r"\n      of that time [\d.]+ % relaxing\.c:\d+ relax, [\d.]+ % relaxing\.c:\d+ pack", told.err), told.err
    assert told.out == "heard 0, timers 0\n"
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0 and "relaxing.c" in report.out
    again = run(CAIRN, "whatif", tmp_path)
    assert again.code == 0 and " % relaxing.c:" in again.out, again.out


def test_a_handler_of_the_program_stays(mpi, tmp_path):
    """It is told where sampling cannot be, and a signal that comes late does nothing."""
    told, cause = sampled(mpi, tmp_path / "handler", "handler")
    assert told.out == "heard 1, timers 0\n" and "samples" not in cause
    assert told.err.count("sample:on: SIGURG has a handler already; no functions are sampled\n") == 1, told.err
    told, cause = sampled(mpi, tmp_path / "reset", "reset")
    assert told.out == "heard 0, timers 0\n" and cause["samples"][0]["caller"] == "relax"
    assert told.err.count("sample:on: the program has begun to handle SIGURG itself; sampling ends here\n") == 1, told.err


def test_in_fortran_too(mpi, tmp_path):
    result = run_stacked(mpi, 3, ["waits"], mpi.program("windows_f08"), out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    found = found_in(tmp_path)
    for kind, seconds in (("late_post", 0.2), ("wait_at_neighbors", 0.2)):
        assert kinds_of(found)[kind] > seconds / 2, (kind, found["waits"])
    assert kinds_of(found)["lock_contention"] > 0.05
    assert {wait["region"] for wait in found["waits"] if wait["kind"] == "late_post"} == {"windows"}


def test_who_holds_a_lock_when_the_program_dies_makes_nobody_wait(mpi, tmp_path):
    waits(mpi, tmp_path, "lock", "mended", "die in an epoch", code=None)
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0, told.err
    assert ": ended by SIGABRT\n" in told.out


def test_the_report_and_whatif_tell_it(mpi, tmp_path):
    job = waits(mpi, tmp_path, "barrier")
    result = run(CAIRN, "report", tmp_path)
    assert result.code == 0, result.err
    assert re.search(rf"\nfindings\n  1\. [A-Z][a-z ]+, planted.c:{line_of('barrier')} barrier\n", result.out), result.out  # its words: unit.Advice
    line = line_of("barrier")
    found = json.loads((tmp_path / "waits.json").read_text())
    for change, gain in ((f"planted.c:{line}..{line} x 0.1 on 2", 0.9 * LATE), (f"planted.c:{line}..{line} x 1", 0)):
        told = run(CAIRN, "whatif", tmp_path, change)
        assert (told.code, told.err) == (0, "")
        predicted = float(re.fullmatch(rf"{re.escape(change)}: ([\d.]+) s instead of [\d.]+ s \([+-][\d.]+ %\), error [\d.]+ s\n", told.out)[1])
        assert is_seen(found["run_s"] - predicted, gain, job)
    assert run(CAIRN, "whatif", tmp_path, "planted.c:1..2 x 0").err == (
        "cairn: error: no calls at planted.c:1 and planted.c:2\ncairn:   try: places that 'cairn report' shows\n")
    assert run(CAIRN, "whatif", tmp_path, "faster").err == (
        "cairn: error: no change: 'faster' cannot be understood\n"
        "cairn:   try: 'heat.c:120..131 x 0.5' or 'heat.c:120..131 as others' (work between two calls), 'heat.c:120 x 0' (a call), these "
        "with ' on 0-3' for some ranks; 'heat.c:120 free', 'heat.c:120 eager' (calls there); "
        "ideal_network, perfect_balance, eager_messages, free_collectives, expected_messages\n")
    assert run(CAIRN, "whatif", tmp_path, f"planted.c:{line} free on 1").code == 125
    for change, gain in ((f"planted.c:{line}..{line} as others", LATE), (f"planted.c:{line}..{line} as others on 2", LATE),
                         (f"planted.c:{line} free", None), (f"planted.c:{line} eager", 0)):
        told = run(CAIRN, "whatif", tmp_path, change)
        assert (told.code, told.err) == (0, ""), change
        predicted = float(re.match(rf"{re.escape(change)}: ([\d.]+) s instead of ", told.out)[1])
        assert predicted < found["run_s"] + 1e-3 if gain is None else is_seen(found["run_s"] - predicted, gain, job), told.out


def seconds_in(text, kind):
    return float(re.search(rf"^ +{kind} +([\d.e-]+) s ", text, re.M)[1])


def test_long_runs_are_analysed_in_sections(mpi, tmp_path):
    """What is found is what the analysis of the same run's trace finds at once; figures of random programs, to the nanosecond: unit.WaitsSections."""
    steps, ranks = 1500, 4
    result = run_stacked(mpi, ranks, ["waits=analysis:1", "trace"], mpi.program("stencil"), str(steps), out=tmp_path / "out", timeout=100)
    assert result.code == 0, result.err
    found = found_in(tmp_path / "out")
    coverage = found["coverage"]
    messages = 2 * (ranks - 1) * steps
    assert {key: coverage[key] for key in ("calls", "sends", "receives", "matched", "collectives", "incomplete_collectives")} == {
        "calls": ranks * (5 * steps + steps // 10 + 2), "sends": messages, "receives": messages, "matched": messages,
        "collectives": steps // 10 + 1, "incomplete_collectives": 0}  # the last one is MPI_Finalize
    assert "left_out" not in coverage and "analysed_s" not in coverage
    assert found["critical_path"]["length_s"] == pytest.approx(found["run_s"], rel=1e-6)
    assert sum(sum(row[1:5]) for row in found["by_rank"]) == pytest.approx(sum(found["time_s"].values()), rel=1e-6)
    (tmp_path / "at once").mkdir()
    (tmp_path / "out" / "trace").rename(tmp_path / "at once" / "trace")
    at_once = run(CAIRN, "whatif", tmp_path / "at once").out
    again = run(CAIRN, "whatif", tmp_path / "out")
    assert (again.code, again.err) == (0, "") and again.out in result.err
    for kind in ("late_sender", "wait_at_n_to_n"):
        time_s = sum(row["time_s"] for row in found["waits"] if row["kind"] == kind)
        assert seconds_in(at_once, kind) == pytest.approx(time_s, rel=0.02, abs=1e-4), at_once
    told = run(CAIRN, "whatif", tmp_path / "out", "ideal_network")
    ideal = next(one["predicted_run_s"] for one in found["what_if"] if one["change"] == "ideal_network")
    assert told.err == "" and float(re.match(r"ideal_network: ([\d.]+) s", told.out)[1]) == pytest.approx(ideal, abs=2e-3)


def test_what_waits_graph_has_no_room_for_is_told(mpi, tmp_path):
    assert run_stacked(mpi, 2, ["waits=analysis:1"], mpi.program("stencil"), "8000", out=tmp_path, timeout=100).code == 0
    assert "analysed_s" not in found_in(tmp_path)["coverage"]
    told = run(CAIRN, "whatif", tmp_path, "ideal_network")
    assert (told.code, told.err) == (0, "cairn: warning: waits.graph ends before the run: this is of the part before\n"
                                     "cairn:   try: cairn run --tools waits=analysis:0 PROGRAM\n")
    assert re.search(r"\n  these figures are of the first [\d.]+ m?s of the run's [\d.]+ m?s; the last [\d.]+ % is left out, because not all ranks' calls are known there\n"
                     r"  ranks 0-1: calls for which waits.graph has no room\n    try: waits=analysis:0\n", run(CAIRN, "whatif", tmp_path).out)


def test_advice_on_transfers_is_predicted(mpi, tmp_path):
    result = run_stacked(mpi, 2, ["profile=table:off", "waits=table:off"], mpi.program("planted_cxx"), "no_overlap", "with", out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    transfers = found_in(tmp_path)["transfers"]
    assert {one["function"] for one in transfers} == {"MPI_Isend", "MPI_Irecv"}
    assert all(0 < one["overlapped_run_s"] < found_in(tmp_path)["run_s"] for one in transfers)  # each step has work after it
    advice = run(CAIRN, "advise", tmp_path, "--json", "-")
    finding = next(one for one in json.loads(advice.out)["findings"] if one["kind"] == "no_overlap")
    assert finding["predicted_run_s"] > 0 and 0 < finding["gain_s"] < finding["cost_s"], finding


def test_whatif_needs_calls(tmp_path):
    told = run(CAIRN, "whatif", tmp_path)
    assert (told.code, told.err) == (125, f"cairn: error: the run of '{tmp_path}' has left no calls to replay\n"
                                     f"cairn:   asked for by: '{tmp_path}'\n"
                                     "cairn:   try: a job that is started with 'cairn run --tools waits'\n")


def test_of_a_program_that_dies_each_rank_leaves_its_records(mpi, tmp_path):
    waits(mpi, tmp_path, "barrier", "mended", "die", code=None)
    assert (tmp_path / "waits.rank-1.graph").read_bytes().startswith(b"CAIRNWTS")
    assert not (tmp_path / "waits.json").exists()
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0, told.err
    assert "  rank 1: ended by SIGABRT\n" in told.out  # Hydra kills the others
    report = run(CAIRN, "report", tmp_path)
    left = len(list(tmp_path.glob("waits.rank-*.graph")))
    missing = (f"cairn: warning: '{tmp_path}/waits.json' is missing: the run did not reach MPI_Finalize, or is still running; what "
               f"{left} rank{'s' if left != 1 else ''} left is analysed instead\ncairn:   try: cairn whatif {tmp_path}\n")
    assert report.code == 0 and report.err == missing
    assert re.search(r"\nefficiency\n.*\n +ended by SIGABRT\n", report.out, re.S), report.out
    advice = run(CAIRN, "advise", tmp_path)
    assert (advice.code, advice.err) == (0, missing)
    broken = tmp_path / "waits.rank-99.graph"
    broken.write_bytes(b"")  # as where the disk was full
    warning = f"cairn: warning: '{broken}' is not a graph of Cairn's\n"
    for command in ("report", "advise", "whatif"):
        told = run(CAIRN, command, tmp_path)
        assert told.code == 0 and warning in told.err, told.err
    assert "  rank 1: ended by SIGABRT\n" in told.out


def test_calls_of_another_run_are_left_out(mpi, tmp_path):
    for name in ("one", "two"):
        waits(mpi, tmp_path / name, "barrier", "mended", "die", code=None)
    run_of = {name: json.loads((tmp_path / name / "run.json").read_text())["run"] for name in ("one", "two")}
    foreign = tmp_path / "two" / "waits.rank-77.graph"
    shutil.copy(tmp_path / "one" / "waits.rank-1.graph", foreign)
    before = run(CAIRN, "whatif", tmp_path / "one")
    told = run(CAIRN, "whatif", tmp_path / "two")
    assert (before.code, before.err, told.code) == (0, "", 0)
    assert told.err == (f"cairn: warning: '{foreign}' belongs to another run ({run_of['one']}) than run.json: left out\n"
                        "cairn:   try: a folder of its own for each run\n")
    (tmp_path / "three" / "trace").mkdir(parents=True)
    assert run_stacked(mpi, 2, ["trace"], mpi.program("ring_c"), out=tmp_path / "traced", timeout=60).code == 0
    shutil.copy(tmp_path / "two" / "run.json", tmp_path / "three")
    shutil.copy(tmp_path / "traced" / "trace" / "rank-0.trace", tmp_path / "three" / "trace")
    told = run(CAIRN, "whatif", tmp_path / "three")
    assert told.code == 125 and "rank-0.trace' belongs to another run" in told.err and "has left no calls to replay" in told.err


def odd(mpi, out, what, options=""):
    result = run_stacked(mpi, 2, [f"waits=table:off{options}"], mpi.program("odd"), what, out=out, timeout=60)
    assert result.code == 0, result.err
    return found_in(out)


def test_a_quiet_thread_does_not_end_the_records_of_others(mpi, tmp_path):
    found = odd(mpi, tmp_path, "quiet", ":memory:1:interval:1ms:calls:524288")
    assert found["coverage"]["calls"] > 10000 and found["run_s"] > 0.01


def test_what_comes_after_the_first_lost_record_is_left_out(mpi, tmp_path):
    """Half a second of waiting and 500 messages are taken in a rest of 1.5 s; of 100,000 more there is room for 4096 records."""
    found = odd(mpi, tmp_path, "fast", ":calls:4096:interval:400ms")
    coverage = found["coverage"]
    assert 500 <= coverage["matched"] < 100000 and coverage["matched"] >= coverage["receives"] - 1, coverage
    assert {one["why"] for one in coverage["left_out"]} == {
        "records came faster than they could be taken, and are lost",
        "calls after the moment from which on not all ranks' calls are known"}
    assert 0.5 < found["run_s"] <= coverage["analysed_s"] < coverage["whole_run_s"]
    assert found["clock"]["corrected"] == 0
    assert 0.4 < kinds_of(found)["wait_at_barrier"]
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0 and re.search(r"\n  these figures are of the first [\d.]+ s of the run's [\d.]+ s; the last [\d.]+ % is left out, ", told.out), told.out
    report = run(CAIRN, "report", tmp_path)
    assert report.code == 0 and "of the run is left out" in report.out, report.out
    advice = run(CAIRN, "advise", tmp_path)
    assert advice.code == 0 and "which is predicted" not in advice.out, advice.out
    assert re.fullmatch(
        r"cairn: warning: causes of waiting: these figures are of the first [\d.]+ s of the run's [\d.]+ s; the last [\d.]+ % is left out, because "
        r"not all ranks' calls are known there; nothing is predicted\ncairn:   try: cairn run --tools waits=calls:1048576:memory:0 PROGRAM\n",
        advice.err), advice.err


def test_what_each_process_is_given_is_not_recorded(mpi, tmp_path):
    """Of 1,500 MPI_Alltoallv of two ranks, there is room for the calls and their amounts, not for two parts of each, too."""
    found = odd(mpi, tmp_path, "parts", ":calls:4096:interval:60s:sample:off")
    assert found["coverage"]["collectives"] >= 1500
    assert "left_out" not in found["coverage"]


def test_messages_that_nobody_receives_are_told(mpi, tmp_path):
    coverage = odd(mpi, tmp_path, "unread")["coverage"]
    assert (coverage["sends"], coverage["receives"], coverage["matched"]) == (103, 100, 100)
    assert "\n  sends without a receive that is known: 3 of 103\n" in run(CAIRN, "whatif", tmp_path).out
    report = run(CAIRN, "report", tmp_path)
    assert re.search(r" 3 +sends without a receive that is known\n +Of 103 in all; who waits for whom in these is unknown\.\n", report.out), report.out


def test_a_forked_child_leaves_the_records_of_its_parent_alone(mpi, tmp_path):
    found = odd(mpi, tmp_path, "fork")
    assert found["coverage"]["sends"] == found["coverage"]["matched"] == 2000


def test_work_before_a_test_in_vain_is_its_regions(mpi, tmp_path):
    time_of = {one["region"]: one["time_s"] for one in odd(mpi, tmp_path, "test")["efficiency_by_region"]}
    assert time_of["long"] >= 0.2 and time_of["short"] >= 0.02
