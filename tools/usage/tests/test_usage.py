# SPDX-License-Identifier: BSD-3-Clause
# test_usage.py - a job's line: what is in it, where it goes, and that nobody notices it who has not asked for it

import json
import os
import re
import socket

from cairn_testing import *

RING_OUTPUT = "ok ring_c: 2 ranks, 10 rounds, rank sum 1, errors 0\n"
CALLS = {"MPI_Init": 2, "MPI_Comm_rank": 2, "MPI_Comm_size": 2, "MPI_Send": 20, "MPI_Recv": 20, "MPI_Bcast": 2, "MPI_Barrier": 2, "MPI_Allreduce": 2}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}


def check(line, mpi):
    job = json.loads(line)
    assert job["format"] == "cairn-usage 1" and job["program"] == "ring_c" and job["ranks"] == 2 and job["uid"] == os.getuid()
    assert job["calls"] == CALLS and "other_calls" not in job
    assert 0 < job["run_s"] < 60
    assert re.fullmatch(NAMES[mpi.id] + r" \d+\.\d+(\.\d+)?", job["mpi"])
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", job["ended"])
    return job


def test_each_job_adds_a_line_and_no_folder(mpi, tmp_path):
    for number in ("17", "18"):
        result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "usage=to:jobs,profile=table:off:sites:0", mpi.program("ring_c"), cwd=tmp_path, CAIRN_OUT=str(tmp_path / "out"), PBS_JOBID=number)
        assert (result.code, result.out, result.err) == (0, RING_OUTPUT, "")
    lines = (tmp_path / "jobs").read_text().splitlines()
    assert [check(line, mpi)["job"] for line in lines] == ["17", "18"]
    result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", "usage", mpi.program("ring_c"), cwd=tmp_path)
    assert result.code == 0
    check(result.err, mpi)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["jobs", "out"]


def test_for_a_whole_site_by_the_environment(mpi, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as log:
        log.bind(str(tmp_path / "log"))
        log.settimeout(10)
        env = dict(LD_PRELOAD=LIBCAIRN, CAIRN_TOOLS=f"usage=to:{tmp_path}/log:quiet:on")
        words = [word for name in env for word in ("-x", name)] if mpi.id == "openmpi" else []
        result = run(*mpi.mpirun(2), *words, mpi.program("ring_c"), cwd=tmp_path, **env)
        assert (result.code, result.out, result.err) == (0, RING_OUTPUT, "")
        message = log.recv(1 << 16).decode()
    assert message.startswith("<14>cairn-usage: {")
    check(message.removeprefix("<14>cairn-usage: "), mpi)
    assert [entry.name for entry in tmp_path.iterdir()] == ["log"]


def test_a_line_that_cannot_be_written_is_told_or_not(mpi, tmp_path):
    for quiet, said in (("off", True), ("on", False)):
        asked = f"usage=to:{tmp_path}/none/jobs:quiet:{quiet}"
        result = run(*mpi.mpirun(2), CAIRN, "run", "--tools", asked, mpi.program("ring_c"), cwd=tmp_path)
        assert (result.code, result.out) == (0, RING_OUTPUT)
        assert result.err == (f"cairn: warning: tool 'usage': its line cannot be written to '{tmp_path}/none/jobs': No such file or directory\n"
                              f"cairn:   asked for by: --tools {asked}\n" if said else "")
