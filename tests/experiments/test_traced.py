# SPDX-License-Identifier: BSD-3-Clause
# test_traced.py - the benchmark of traces, at a size that takes a moment: all calls are there, and the tables hold together.

import json

from cairn_testing import BUILD, SOURCE, run

CALLS = 4000


def test_the_benchmark_of_traces_keeps_all_calls(tmp_path):
    file = tmp_path / "trace.json"
    done = run("/usr/bin/python3", SOURCE / "bench/traced.py", "--calls", CALLS, "--build", BUILD, "--json", file, timeout=280)
    assert done.code == 0, done.err
    results = json.loads(file.read_text())["results"]
    assert set(results) == {f"{kind}, {mpi}" for kind in ("stencil", "irregular", "equal") for mpi in ("openmpi", "mpich")}
    for name, one in results.items():
        kind = name.partition(",")[0]
        ranks_calls = one["made"] * (1 if kind == "equal" else 2)  # there rank 1 calls once more in each window
        assert one["warnings"] == "" and one["calls"] == one["binned"]["calls"] >= ranks_calls >= CALLS, name
        assert one["otf2"]["to_mb"] > one["mb"] > one["binned"]["mb"] or kind != "stencil", name
        assert all(one[what]["to_mb"] > 0 for what in ("otf2", "perfetto", "replay", "report")), name
        assert f"| {name} | {one['calls']:,} |" in done.out
