# SPDX-License-Identifier: BSD-3-Clause
# test_waits.py - programs with one problem of known size: its kind, place, ranks and cost are found, and what mending it brings

import json
import re

from cairn_testing import *

SOURCE_LINES = (SOURCE / "tools" / "waits" / "tests" / "planted.c").read_text().splitlines()
LATE = 10 * 0.036  # ten steps in which one rank comes 36 ms after the others


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE_LINES, 1) if f"/* {mark} */" in line)


def is_seen(seconds, planted):
    """Where other work keeps ranks from running, less or more than was planted. To the nanosecond: unit.Waits; to a tenth, on an idle machine: tests/planted."""
    return abs(seconds) < 1e-3 if planted == 0 else 0.5 * planted < seconds < 1.5 * planted


def waits(mpi, out, *arguments, ranks=3, code=0):
    result = run_stacked(mpi, ranks, ["waits"], mpi.program("planted"), *arguments, out=out, timeout=60)
    assert code is None or result.code == code, result.err
    return result


@pytest.mark.parametrize("what, ranks, kind, mark, to, rank, waiters", [
    ("barrier", 3, "wait_at_barrier", "barrier", "barrier", 2, 2),
    ("sender", 2, "late_sender", "probe", "late send", 1, 1),
    ("receiver", 2, "late_receiver", "large send", "late receive", 1, 1),
    ("root", 3, "wait_at_one_to_n", "broadcast", "broadcast", 0, 2),
])
def test_what_was_planted_is_the_first_cause(mpi, tmp_path, what, ranks, kind, mark, to, rank, waiters):
    told = waits(mpi, tmp_path, what, ranks=ranks)
    found = json.loads((tmp_path / "waits.json").read_text())
    cause = found["causes"][0]
    assert (cause["kind"], cause["ranks"]) == ("work", str(rank))
    assert (pathlib.Path(cause["to"]["file"]).name, cause["to"]["line"]) == ("planted.c", line_of(to))
    wait = next(one for one in found["waits"] if one["kind"] == kind)
    assert (wait["line"], wait["communicator"]) == (line_of(mark), "MPI_COMM_WORLD")
    assert is_seen(wait["time_s"], waiters * LATE)
    assert is_seen(cause["cost_s"], waiters * LATE)
    assert is_seen(found["run_s"] - cause["predicted_run_s"], LATE)
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    efficiency = found["efficiency"]
    assert abs(efficiency["parallel"] - efficiency["load_balance"] * efficiency["communication"]) < 1e-9
    assert found["coverage"]["matched"] == found["coverage"]["sends"] == found["coverage"]["receives"]
    assert f"  what ranks wait for:\n    work of rank {rank} between " in told.err
    assert cause["symptoms"][0]["kind"] in (kind, "wait_at_barrier")


def test_the_report_and_whatif_tell_it(mpi, tmp_path):
    waits(mpi, tmp_path, "barrier")
    result = run(CAIRN, "report", tmp_path)
    assert result.code == 0, result.err
    assert re.search(rf"\nfindings\n  1\. [A-Z][a-z ]+, planted.c:{line_of('barrier')} barrier\n", result.out), result.out  # its words: unit.Advice
    line = line_of("barrier")
    found = json.loads((tmp_path / "waits.json").read_text())
    for change, gain in ((f"planted.c:{line}..{line} x 0.1 on 2", 0.9 * LATE), (f"planted.c:{line}..{line} x 1", 0)):
        told = run(CAIRN, "whatif", tmp_path, change)
        assert (told.code, told.err) == (0, "")
        predicted = float(re.fullmatch(rf"{re.escape(change)}: ([\d.]+) s instead of [\d.]+ s \([+-][\d.]+ %\), error [\d.]+ s\n", told.out)[1])
        assert is_seen(found["run_s"] - predicted, gain)
    assert run(CAIRN, "whatif", tmp_path, "planted.c:1..2 x 0").err == (
        "cairn: error: no calls at planted.c:1 and planted.c:2\ncairn:   try: places that 'cairn report' shows\n")
    assert run(CAIRN, "whatif", tmp_path, "faster").err == (
        "cairn: error: no change: 'faster' cannot be understood\n"
        "cairn:   try: 'heat.c:120..131 x 0.5' (work between two calls), 'heat.c:120 x 0' (a call), either with ' on 0-3' for "
        "some ranks; ideal_network, perfect_balance, eager_messages, free_collectives\n")


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
