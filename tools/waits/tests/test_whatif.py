# SPDX-License-Identifier: BSD-3-Clause
# test_whatif.py - what changes would bring, long runs in sections, and what is left of runs that die

import json
import re

from waits_testing import *


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
        "cairn: error: no work between calls at planted.c:1 and planted.c:2\ncairn:   try: places that 'cairn report' shows\n")
    unused = line_of("late send")
    for change, what in ((f"planted.c:{line} eager", f"matched sends at planted.c:{line}"), (f"planted.c:{unused} free", f"calls at planted.c:{unused}"),
                         (f"planted.c:{line}..{unused} evenly", f"work between calls at planted.c:{line} and planted.c:{unused}")):
        refused = run(CAIRN, "whatif", tmp_path, change)
        assert (refused.code, refused.out, refused.err) == (125, "", f"cairn: error: no {what}\ncairn:   try: places that 'cairn report' shows\n")
    assert run(CAIRN, "whatif", tmp_path, f"planted.c:{line}..{line} sent first").err == (
        f"cairn: error: nothing is sent at planted.c:{line} right after work that begins at planted.c:{line}\n"
        "cairn:   try: work before a send, as 'cairn report' shows it\n")
    assert run(CAIRN, "whatif", tmp_path, "faster").err == (
        "cairn: error: the change 'faster' cannot be understood\n"
        "cairn:   try: 'heat.c:120..131 x 0.5', 'heat.c:120..131 as others' or 'heat.c:120..131 sent first' (work between two calls), 'heat.c:120 x 0' (a call), these "
        "with ' on 0-3' for some ranks; 'heat.c:120..131 evenly'; 'heat.c:120 free', 'heat.c:120 eager' (calls there); "
        "ideal_network, perfect_balance, eager_messages, free_collectives, expected_messages\n")
    for change in (f"planted.c:{line} free on 1", f"planted.c:{line}..{line} free", f"planted.c:{line} evenly", f"planted.c:{line}..{line} evenly on 1",
                   f"planted.c:{line}..0 x 0", "planted.c:0 x 0", "a" * 120_000):
        refused = run(CAIRN, "whatif", tmp_path, change)
        assert refused.code == 125 and refused.err.startswith(f"cairn: error: the change '{change}' cannot be understood\n")
    for ranks in ("1-0", "-1", "99", "0-99", "0,,1", "0:1:", "0-", "99999999999"):
        change = f"planted.c:{line}..{line} x 0.5 on {ranks}"
        refused = run(CAIRN, "whatif", tmp_path, change)
        assert (refused.code, refused.err) == (125, f"cairn: error: '{ranks}' is not a list of the run's ranks, of which there are {found['ranks']}\n"
                                               f"cairn:   asked for by: '{change}'\ncairn:   try: ranks such as 0-3 or 0,5, from 0 on\n")
    change = f"planted.c:{line}..{line} x 99999999999"
    assert run(CAIRN, "whatif", tmp_path, change).err == ("cairn: error: the factor 99999999999 is too large\n"
                                                          f"cairn:   asked for by: '{change}'\ncairn:   try: at most 10000\n")
    assert float(re.search(r" x 10000: ([\d.]+) s", run(CAIRN, "whatif", tmp_path, f"planted.c:{line}..{line} x 10000").out)[1]) > found["run_s"]
    for change, gain in ((f"planted.c:{line}..{line} as others", LATE), (f"planted.c:{line}..{line} as others on 2", LATE),
                         (f"planted.c:{line}..{line} evenly", 2 / 3 * LATE),
                         (f"planted.c:{line} free", None)):
        told = run(CAIRN, "whatif", tmp_path, change)
        assert (told.code, told.err) == (0, ""), change
        predicted = float(re.match(rf"{re.escape(change)}: ([\d.]+) s instead of ", told.out)[1])
        assert predicted < found["run_s"] + 1e-3 if gain is None else is_seen(found["run_s"] - predicted, gain, job), told.out


@pytest.mark.parametrize("how, can_choose", [
    *((how, True) for how in ("any", "exchange", "request", "probe", "matched", "turn", "persistent", "waitany", "many")), ("fixed", False), ("tags", False)])
def test_what_would_come_first_instead_is_in_the_error(mpi, tmp_path, how, can_choose):
    """With rank 2 after 6 ms, where rank 0 waits for rank 1 until 20 ms; it can be less by as much as ranks work more than the mean, some 11 ms."""
    job = run_stacked(mpi, 3, ("waits=table:off",), mpi.program("choosing"), how, out=tmp_path)
    assert job.code == 0, job.err
    begin, send = (line_of(mark, "choosing.c") for mark in ("begin", "send"))
    for factor, is_other in ((0.1, can_choose), (1, False)):
        told = run(CAIRN, "whatif", tmp_path, f"choosing.c:{begin}..{send} x {factor} on 2")
        assert (told.code, told.err) == (0, "")
        error = float(re.search(r", error ([\d.]+) s\n", told.out)[1])
        assert (error > 0.008) == is_other, told.out
    if how == "fixed":
        refused = run(CAIRN, "whatif", tmp_path, f"choosing.c:{begin}..{send} x 0.1 on 0")
        assert (refused.code, refused.err) == (125, f"cairn: error: no work between calls at choosing.c:{begin} and choosing.c:{send} on rank 0\n"
                                                    "cairn:   try: places that 'cairn report' shows\n")


def test_a_message_may_be_sent_first(mpi, tmp_path):
    """The receiver no longer waits, and the run is as long as the sender works."""
    job = waits(mpi, tmp_path, "sender")
    assert job.code == 0, job.err
    run_s = json.loads((tmp_path / "waits.json").read_text())["run_s"]
    line = line_of("late send")
    told = run(CAIRN, "whatif", tmp_path, f"planted.c:{line}..{line} sent first on 1")
    assert (told.code, told.err) == (0, "") and re.fullmatch(r".* sent first on 1: [\d.]+ s instead of [\d.]+ s \(.*\n", told.out), told.out
    assert -1e-3 < run_s - float(re.search(r": ([\d.]+) s", told.out)[1]) < LATE / 5, told.out  # rounded to ms
    for change in (f"planted.c:{line} sent first", f"planted.c:{line}..{line} sent"):
        assert run(CAIRN, "whatif", tmp_path, change).err.startswith(f"cairn: error: the change '{change}' cannot be understood\n")


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
    assert (told.code, told.err) == (0, "cairn: warning: waits.graph ends before the run: this covers the part before\n"
                                     "cairn:   try: cairn run --tools waits=analysis:0 PROGRAM\n")
    assert re.search(r"\n  these figures cover the first [\d.]+ m?s of the run's [\d.]+ m?s; the last [\d.]+ % is left out: not all ranks' calls are known there\n"
                     r"  ranks 0-1: calls for which waits.graph has no room\n    try: waits=analysis:0\n", run(CAIRN, "whatif", tmp_path).out)


def test_advice_on_transfers_within_a_node_predicts_nothing(mpi, tmp_path):
    result = run_stacked(mpi, 2, ["profile=table:off", "waits=table:off"], mpi.program("planted_cxx"), "no_overlap", "with", out=tmp_path, timeout=60)
    assert result.code == 0, result.err
    transfers = found_in(tmp_path)["transfers"]
    assert {one["function"] for one in transfers} == {"MPI_Isend", "MPI_Irecv"}
    assert not any("overlapped_run_s" in one for one in transfers)  # within a node it is the ranks that copy
    advice = run(CAIRN, "advise", tmp_path, "--json", "-")
    finding = next(one for one in json.loads(advice.out)["findings"] if one["kind"] == "no_overlap")
    assert finding["predicted_run_s"] is None and finding["gain_s"] == finding["cost_s"] > 0, finding


def test_whatif_needs_calls(tmp_path):
    told = run(CAIRN, "whatif", tmp_path)
    assert (told.code, told.err) == (125, f"cairn: error: the run of '{tmp_path}' left no calls to replay\n"
                                     f"cairn:   asked for by: '{tmp_path}'\n"
                                     "cairn:   try: a job started with 'cairn run --tools waits'\n")


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
               f"{left} rank{'s' if left != 1 else ''} left is analysed instead\n")
    assert report.code == 0 and report.err == missing
    assert re.search(r"\nefficiency\n.*\n +ended by SIGABRT\n", report.out, re.S), report.out
    advice = run(CAIRN, "advise", tmp_path)
    assert (advice.code, advice.err) == (0, missing)
    broken = tmp_path / "waits.rank-99.graph"
    broken.write_bytes(b"")  # as where the disk was full
    warning = f"cairn: warning: '{broken}' is not a graph file of Cairn's\n"
    for command in ("report", "advise", "whatif"):
        told = run(CAIRN, command, tmp_path)
        assert told.code == 0 and warning in told.err, told.err
    assert "  rank 1: ended by SIGABRT\n" in told.out


def test_who_holds_a_lock_when_the_program_dies_makes_nobody_wait(mpi, tmp_path):
    waits(mpi, tmp_path, "lock", "mended", "die in an epoch", code=None)
    told = run(CAIRN, "whatif", tmp_path)
    assert told.code == 0, told.err
    assert ": ended by SIGABRT\n" in told.out


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
    assert (told.code, told.out) == (125, "")
    assert told.err == (f"cairn: warning: '{tmp_path}/three/trace/rank-0.trace' is from another run and left out\n"
                        f"cairn: error: no trace in '{tmp_path}/three/trace' can be read\n"
                        f"cairn:   asked for by: '{tmp_path}/three'\n"
                        "cairn:   try: a job started with 'cairn run --tools trace'\n")


def test_what_a_trace_lacks_is_told(mpi, tmp_path):
    out = tmp_path / "killed"
    assert run_stacked(mpi, 2, ["trace"], mpi.program("actions"), "overrun", "2000", out=out, timeout=60).code != 0
    told = run(CAIRN, "whatif", out)
    assert told.code == 0 and re.search(
        r"cairn: warning: rank 0: the process was killed; what it had not written yet is from its page: \d+ records\n", told.err), told.err
    out = tmp_path / "chosen"
    assert run_stacked(mpi, 2, ["trace=functions:MPI_Send+MPI_Recv"], mpi.program("ring_c"), out=out, timeout=60).code == 0
    assert "cairn: warning: ranks 0-1: the trace has only selected calls: functions:MPI_Send+MPI_Recv\n" in run(CAIRN, "whatif", out).err
