# SPDX-License-Identifier: BSD-3-Clause
# filters_testing.py - running the program of these tests under layers with filters.

import re

import cairn_testing
from cairn_testing import *  # noqa: F401,F403  (for the tests' star import)

mpi = cairn_testing.mpi  # the fixture


def steps(mpi, *layers, do, ranks=1, launched=True, options=(), **more):
    """Runs the steps under layers such as "seen@functions:MPI_Comm_rank"; `seen` and `leads` are these tests' tools."""
    tools = ",".join(re.sub(r"^(seen|leads)\b", lambda name: mpi.tool(f"filters/{name[1]}"), layer) for layer in layers)
    launcher = mpi.mpirun(ranks) if launched else []
    return run(*launcher, CAIRN, "run", "--tools", tools, *options, "--", mpi.program("filters/steps"), *do.split(), **more)


def seen(result):
    """What the layers `seen` say: {rank: [{function: calls}, …]}, the layers of a rank in the order of their ends."""
    assert result.code == 0, result.err
    counts = {}
    for rank, words in re.findall(r"^seen (-?\d+): (.*)$", result.err, re.MULTILINE):
        counts.setdefault(int(rank), []).append({name: int(calls) for name, _, calls in
                                                 (word.partition("=") for word in words.split())})
    return counts


def said(result):
    """Cairn's own words."""
    return "".join(line for line in result.err.splitlines(keepends=True) if line.startswith("cairn: "))
