# SPDX-License-Identifier: BSD-3-Clause
# test_scale.py - the benchmark of jobs that never were, at sizes that take a moment: what is read of them is right, and what
# travels grows as docs/scale.md says.

import json

from cairn_testing import BUILD, SOURCE, run

FUNCTIONS = 20  # that each rank calls (bench/scale/rank_summary.cc)


def test_jobs_that_never_were_are_read_as_they_would_have_been(tmp_path):
    file = tmp_path / "scale.json"
    result = run("/usr/bin/python3", SOURCE / "bench/scale.py", "--quick", "--build", BUILD, "--json", file, timeout=280)
    assert result.code == 0, result.err
    small, large = json.loads(file.read_text())["sizes"]
    assert (small["ranks"], large["ranks"]) == (100, 1000)
    for one in (small, large):
        late = one["ranks"] // 3
        assert one["where"]["seen"] and one["where"]["answer"].startswith(f"- rank {late} has been outside MPI for ")
        assert one["where"]["answer"].endswith(f"ranks 0-{late - 1},{late + 1}-{one['ranks'] - 1} wait in MPI_Allreduce for it")
        assert one.get("browser", {"problems": 0})["problems"] == 0
        reduce = one["reduce"]
        more = reduce["profile_ranks"]["first_bytes"] - reduce["profile"]["first_bytes"]
        assert more < 12 * FUNCTIONS * one["ranks"], "of a rank's time in a function: its number, and the time"
        waits = one["waits"]
        assert waits["calls"] == one["ranks"] * 1002 and waits["cause_ranks"] == f"{late}" and waits["cause_share"] > 0.9, waits
    rows = [one["reduce"]["profile"]["first_bytes"] for one in (small, large)]
    assert rows[1] < 2 * rows[0], "as many rows as places and communicators, not ranks"
    assert "| 1,000 |" in result.out
