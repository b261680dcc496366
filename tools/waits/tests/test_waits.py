# SPDX-License-Identifier: BSD-3-Clause
# test_waits.py - programs with one problem of known size: its kind, place, ranks and cost are found, and what mending it brings

import json
import re

from cairn_testing import *

SOURCE_LINES = (SOURCE / "tools" / "waits" / "tests" / "planted.c").read_text().splitlines()
LATE = 10 * 0.036  # ten steps in which one rank comes 36 ms after the others


def line_of(mark):
    return next(i for i, line in enumerate(SOURCE_LINES, 1) if f"/* {mark} */" in line)


def waits(mpi, out, *arguments, ranks=3, code=0):
    result = run_stacked(mpi, ranks, ["waits"], mpi.program("planted"), *arguments, out=out, timeout=60)
    assert code is None or result.code == code, result.err
    return result


@pytest.mark.parametrize("what, ranks, kind, mark, to, rank, waiters", [
    ("barrier", 3, "wait_at_barrier", "barrier", "barrier", 2, 2),
    ("sender", 2, "late_sender", "receive", "late send", 1, 1),
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
    assert wait["time_s"] > 0.85 * waiters * LATE
    assert cause["cost_s"] > 0.85 * waiters * LATE
    assert abs(found["run_s"] - cause["predicted_run_s"] - LATE) < 0.15 * LATE
    assert abs(found["replayed_s"] - found["run_s"]) < 1e-6
    efficiency = found["efficiency"]
    assert abs(efficiency["parallel"] - efficiency["load_balance"] * efficiency["communication"]) < 1e-9
    assert found["coverage"]["matched"] == found["coverage"]["sends"] == found["coverage"]["receives"]
    assert f"  what ranks wait for:\n    work of rank {rank} between " in told.err
    assert cause["symptoms"][0]["kind"] in (kind, "wait_at_barrier")


def test_the_report_tells_it(mpi, tmp_path):
    waits(mpi, tmp_path, "barrier")
    result = run(CAIRN, "report", tmp_path)
    assert result.code == 0, result.err
    assert re.search(r"work of rank 2 between MPI_Barrier at planted.c:\d+ barrier and MPI_Barrier at planted.c:\d+ barrier", result.out)


def test_of_a_program_that_dies_each_rank_leaves_its_records(mpi, tmp_path):
    waits(mpi, tmp_path, "barrier", "mended", "die", code=None)
    assert (tmp_path / "waits.rank-1.graph").read_bytes().startswith(b"CAIRNWTS")
    assert not (tmp_path / "waits.json").exists()
