# SPDX-License-Identifier: BSD-3-Clause
# test_spawn.py - spawned processes run under the same stack, with results of their own.

import json
import os
import pathlib
import socket

from cairn_testing import *

OPENMPI = MPIS[0]  # MPI_Comm_spawn of Debian's MPICH 4.0.2 does not work without Cairn either


def test_spawned_processes_have_the_same_stack_and_their_own_results(tmp_path):
    out = tmp_path / "out"
    result = run_stacked(OPENMPI, 1, ["profile=table:off", "profile=table:off"], OPENMPI.program("spawn"), out=out)
    assert (result.code, result.out) == (0, "heard 4 of 4\n"), result.err
    for instance in (1, 2):
        parent = read_profile(out, instance)
        assert parent["MPI_Comm_spawn"]["calls"] == 1 and parent["MPI_Recv"]["calls"] == 4 and "MPI_Send" not in parent
        for folder in ("spawned-0-1", "spawned-0-2"):
            children = read_profile(out / folder, instance)
            assert children["MPI_Init"]["calls"] == 2 and children["MPI_Send"]["calls"] == 2
            assert "MPI_Comm_spawn" not in children


def test_spawned_processes_write_where_their_parents_do(tmp_path):
    """Another run has the folder that was asked for."""
    out = tmp_path / "out"
    out.mkdir()
    start = int(pathlib.Path("/proc/self/stat").read_text().rsplit(")", 1)[1].split()[19])
    (out / "run.json").write_text(json.dumps({"format": "cairn-run 1", "run": "0123456789abcdef", "host": socket.gethostname(),
                                              "process": [os.getpid(), start]}))
    result = run_stacked(OPENMPI, 1, ["profile=table:off"], OPENMPI.program("spawn"), out=out)
    assert (result.code, result.out) == (0, "heard 4 of 4\n"), result.err
    assert [path.name for path in out.iterdir()] == ["run.json"]
    assert "profile.json" in [path.name for path in (tmp_path / "out-2" / "spawned-0-1").iterdir()]


def run_spawning(*words, **env):
    return run_that_spawns(*OPENMPI.mpirun(1), *words, OPENMPI.program("spawn"), timeout=40, **env)


def test_spawning_is_the_same_without_tools():
    bare, stacked = run_spawning(), run_spawning(CAIRN, "run")
    assert (bare.code, bare.out) == (stacked.code, stacked.out) == (0, "heard 4 of 4\n")


def test_processes_that_a_job_spawns_under_a_sites_tools_notice_as_little_of_them(tmp_path):
    env = dict(LD_PRELOAD=LIBCAIRN, CAIRN_SITE_TOOLS=f"usage=to:{tmp_path}/lines")
    result = run_spawning("-x", "LD_PRELOAD", "-x", "CAIRN_SITE_TOOLS", **env)
    assert (result.code, result.out, result.err) == (0, "heard 4 of 4\n", "")
    lines = [json.loads(line) for line in (tmp_path / "lines").read_text().splitlines()]
    assert [line["calls"].get("MPI_Comm_spawn", 0) for line in lines].count(1) == 1 and sum(line["ranks"] for line in lines) == 5
