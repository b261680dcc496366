# SPDX-License-Identifier: BSD-3-Clause
# test_report_ends.py - `cairn report` of jobs that hung: what the tool `where` wrote. How jobs died is in tools/where/tests/test_deaths.py.

import json

from cli_testing import *
from report_testing import *

WHERE = {"format": "cairn-where 1", "run": "r", "program": "/bin/a", "state": "stuck", "ranks": 2,
         "findings": [{"kind": "deadlock", "text": "ranks 0-1 wait for each other", "ranks": "0-1"}, {"kind": "other job", "text": "somebody waits", "ranks": ""}],
         "groups": [{"ranks": "0-1", "state": "waiting", "doing": "MPI_Recv on MPI_COMM_WORLD", "place": "a.c:3 main", "longest_s": 63.0}]}


def test_what_kept_a_job_is_shown_also_without_other_tools(tmp_path):
    folder = made(tmp_path / "run", run=run_text("where"), where=json.dumps(WHERE))
    result = report(folder, "--text", "-")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith("a on 2 ranks\n")
    assert result.out.endswith("""
Who waits for whom? (where)
 ranks 0-1  deadlock
              ranks 0-1 wait for each other.
     stuck  other job
              somebody waits.

What each rank did
  ranks  doing                       place        since
  0-1    MPI_Recv on MPI_COMM_WORLD  a.c:3 main  63.0 s
"""), result.out
    nothing = report(folder, folder)
    assert (nothing.code, nothing.err) == (125, error("nothing to compare: no tool wrote results in both runs", remedy="two runs with the same tools"))


def test_what_kept_another_job_is_left_out(tmp_path):
    folder = made(tmp_path / "run", run=json.dumps({**json.loads(run_text("where")), "run": "r"}), where=json.dumps({**WHERE, "run": "another"}))
    result = report(folder)
    assert (result.code, result.out, result.err) == (
        125, "", error(f"no report: '{folder}/where.json' belongs to another run (another) than run.json: left out", remedy="a folder of its own for each run"))
